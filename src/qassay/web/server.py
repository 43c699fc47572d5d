"""What one running server holds: its file, its scorer, its runs, its limits and its counts."""

from __future__ import annotations

import logging
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from qassay.errors import OutputError
from qassay.web.http.assets import Assets
from qassay.web.http.counters import Counted, Counters
from qassay.web.http.limits import RateLimit
from qassay.web.scoring.service import ScoringService
from qassay.web.store.database import SUFFIX
from qassay.web.study import people
from qassay.web.study.dashboard import Dashboards

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from starlette.applications import Starlette
    from starlette.requests import Request

    from qassay.web.explore.runs import Runs
    from qassay.web.http.endpoint import Endpoint
    from qassay.web.settings import Settings
    from qassay.web.store.database import Database
    from qassay.web.study.people import Person

BACKUP_SECONDS = 3600.0
_BEARER = "bearer "
_log = logging.getLogger("qassay.web")


class Server:
    """What the endpoints of one running server share."""

    def __init__(
        self, settings: Settings, database: Database, *, runs: Runs | None = None, metrics: Sequence[str] = ()
    ) -> None:
        settings.check()
        self.settings = settings
        self.database = database
        self.assets = Assets.load()
        self.counters = Counters()
        self.join_limit = RateLimit(settings.joins_per_minute / 60, settings.joins_per_minute)
        self.write_limit = RateLimit(settings.writes_per_second, 2 * settings.writes_per_second)
        self.cookie_name = f"qassay-{settings.port}"
        self.runs = runs
        self.description: dict[str, Any] = {}
        """Of the API, as OpenAPI has it."""
        self.scoring = ScoringService(self.counters, metrics, settings.waiting_answers, settings.batch_answers)
        self.dashboards = Dashboards(database)
        self._stopping = threading.Event()

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Copy the file every hour while the server runs, and when it stops."""
        copier = threading.Thread(target=self._copy_hourly, name="qassay-backup", daemon=True)
        copier.start()
        try:
            yield
        finally:
            self._stopping.set()
            copier.join()
            self.close()

    def close(self) -> None:
        """Stop scoring; copy and close the file."""
        self.scoring.close()
        self._copy()
        self.database.close()

    def identify(self, request: Request) -> Person | None:
        """Return who calls, by the session's cookie or by a program's token; None for a stranger."""
        given = request.headers.get("authorization", "")
        if given[: len(_BEARER)].lower() == _BEARER:
            return people.by_token(self.database, given[len(_BEARER) :].strip())
        secret = request.cookies.get(self.cookie_name)
        return None if not secret else people.by_session(self.database, secret)

    def limit_writes(self, person: Person | None, request: Request) -> None:
        """Raise a `RefusedError` where someone writes too often."""
        address = request.client.host if request.client else ""
        self.write_limit.check(address if person is None else person.id)

    def counted(self, endpoint: Endpoint) -> Counted:
        """Count a request when it is done."""
        return Counted(self.counters, endpoint)

    def _copy_hourly(self) -> None:
        while not self._stopping.wait(BACKUP_SECONDS):
            self._copy()

    def _copy(self) -> None:
        path = self.database.path
        if not path.name.endswith(SUFFIX):
            return
        try:
            self.database.backup(path.with_name(f"{path.name}.backup"))
        except OutputError as problem:
            # The study itself is whole, and there may be room again in an hour.
            _log.error("%s", problem)
