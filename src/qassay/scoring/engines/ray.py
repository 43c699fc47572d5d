"""Ray Data (extra `ray`): a pool of actors, which hold the models, scores shards; Ray does again what is lost."""

from __future__ import annotations

import logging
import os
import pickle
import socket
import sys
import warnings
from contextlib import ExitStack, redirect_stdout
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec

from qassay.errors import ClusterWarning, QassayError, SpecError, StoppedError, option
from qassay.io.scores.scores_folder import ShardRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from qassay.scoring.shards import ShardScorer, ShardTask

_Found = TypeVar("_Found")
_AT_ONCE = 4096
"""Shards per data set: what Ray's bookkeeping holds in the driver does not grow with the run."""
_IN_FLIGHT = 2
"""Shards that wait at an actor: its next one is there when it is done with one."""
_ANSWER = 10
"""Seconds within which a cluster answers; Ray itself would try for ten minutes."""
_HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""How a client of gRPC begins: the preface and empty settings (RFC 9113, section 3.4)."""
_SETTINGS, _FRAME_HEADER = 4, 9
"""The type of the frame that a server begins with, and the bytes before its content."""
_NODES_LISTED = 3


class RayCluster:
    """The cluster that RAY_ADDRESS names, or one that is started on this machine. A context manager.

    What Ray prints meanwhile goes to stderr. At the end it is left, unless the program was connected before.
    """

    def __init__(self, cpus: float = 1, gpus: float = 0, workers: int | None = None) -> None:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # before the import, which reads it
        os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
        try:
            import ray  # noqa: PLC0415 - an optional extra
            import ray.data  # noqa: PLC0415 - as above
        except ImportError as missing:
            raise SpecError(f'{option("engine", "ray")} needs the extra "ray": pip install "qassay[ray]"') from missing
        self._ray = ray
        self._cpus = cpus
        self._gpus = gpus
        self._workers = workers
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        self._closing.enter_context(redirect_stdout(sys.stderr))
        own = False
        if not self._ray.is_initialized():
            own = self._connect()
            self._closing.callback(self._ray.shutdown)
        self._check_room(fixed=own)
        self._ray.data.DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def _connect(self) -> bool:
        """Connect, and return whether the cluster was started for that."""
        # Without an address Ray looks for traces of older clusters on the machine, which may be gone.
        address = os.environ.get("RAY_ADDRESS") or "local"
        try:
            _check_answers(address)
            self._ray.init(address, log_to_driver=False, include_dashboard=False, logging_level=logging.ERROR)
        except (OSError, OverflowError, RuntimeError, ValueError) as problem:
            self._closing.close()
            reason = getattr(problem, "strerror", None) or str(problem).partition("\n")[0]
            raise SpecError(f"no Ray cluster can be reached ({reason}); check RAY_ADDRESS") from problem
        return address == "local"

    def _check_room(self, *, fixed: bool) -> None:
        """Refuse workers that no node of a `fixed` cluster has room for; another may grow, which Ray waits for."""
        nodes = [each["Resources"] for each in self._ray.nodes() if each["Alive"]]
        rooms = sorted({(each.get("CPU", 0), each.get("GPU", 0)) for each in nodes}, reverse=True)
        if any(self._cpus <= cpus and self._gpus <= gpus for cpus, gpus in rooms):
            return
        there = "; ".join(_resources(*each) for each in rooms[:_NODES_LISTED]) or "nothing"
        problem = (
            f"no machine of the cluster has room for a worker with {_resources(self._cpus, self._gpus)} (they have "
            f"{there})"
        )
        remedy = f"ask for less with {option('ray_cpus')} or {option('ray_gpus')}"
        if not fixed:
            warnings.warn(ClusterWarning(f"{problem}; the run waits for one, or {remedy}"), stacklevel=3)
            return
        self._closing.close()
        raise SpecError(f"{problem}; {remedy}, or name another cluster with RAY_ADDRESS")

    def score(self, make_scorer: Callable[[], ShardScorer], tasks: Sequence[ShardTask]) -> Iterator[ShardRecord]:
        """Score shards on a pool of actors and yield their records as they are done; raise what one raised."""
        for start in range(0, len(tasks), _AT_ONCE):
            some = tasks[start : start + _AT_ONCE]
            pool = self._ray.data.ActorPoolStrategy(
                min_size=1,
                max_size=self._pool_size(len(some)),
                max_tasks_in_flight_per_actor=_IN_FLIGHT,
            )
            rows = self._ray.data.from_items(
                [{"task": pickle.dumps(each)} for each in some], override_num_blocks=len(some)
            )
            done = rows.map(
                _ShardActor,
                fn_constructor_args=(make_scorer,),
                compute=pool,
                num_cpus=self._cpus,
                num_gpus=self._gpus or None,
            )
            for row in self._rows(done):
                yield msgspec.json.decode(row["found"], type=ShardRecord)

    def map(self, work: Callable[[int], _Found], items: Sequence[int]) -> Iterator[_Found]:
        """Do some work on numbers, each anywhere in the cluster; yield what it returns in any order."""
        rows = self._ray.data.from_items([{"item": each} for each in items], override_num_blocks=len(items))
        for row in self._rows(rows.map(_Task(work), num_cpus=1)):
            yield pickle.loads(row["found"])  # noqa: S301 - from our own tasks

    def _rows(self, data: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - Ray has no types
        try:
            for row in data.iter_rows():
                if row["problem"]:
                    raise pickle.loads(row["problem"])  # noqa: S301 - from our own actors
                yield row
        except self._ray.exceptions.RayError as problem:
            cause = getattr(problem, "cause", None) or problem
            raise StoppedError(f"the cluster failed ({str(cause).strip().splitlines()[-1]})") from problem

    def _pool_size(self, tasks: int) -> int:
        """Return how many actors there may be: as many as were asked for, or as have work, if the cluster has room."""
        return min(tasks, self._workers) if self._workers is not None else tasks


def _check_answers(address: str) -> None:
    """Raise `OSError` if no server of gRPC, which Ray speaks, answers at a `host:port`."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdigit():
        return
    with socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER) as connection:
        if os.environ.get("RAY_USE_TLS", "0") != "0":
            return
        connection.sendall(_HTTP2)
        frame = connection.recv(_FRAME_HEADER)
    if frame[3:4] != bytes((_SETTINGS,)):
        raise ConnectionError(f"what answers at {address} is not Ray")


def _resources(cpus: float, gpus: float) -> str:
    return " and ".join(
        f"{count:g} {kind}{'' if count == 1 else 's'}" for count, kind in ((cpus, "CPU"), (gpus, "GPU"))
    )


class _ShardActor:
    """Scores the shards that it gets; opens the models with the first."""

    def __init__(self, make_scorer: Callable[[], ShardScorer]) -> None:
        self._make_scorer = make_scorer
        self._scorer: ShardScorer | None = None

    def __call__(self, row: dict[str, Any]) -> dict[str, bytes]:
        try:
            self._scorer = self._scorer or self._make_scorer()
            record = self._scorer.score(pickle.loads(row["task"]))  # noqa: S301 - from our own driver
        except QassayError as problem:
            return {"found": b"", "problem": pickle.dumps(problem)}
        return {"found": msgspec.json.encode(record), "problem": b""}


class _Task:
    """Work on one number, with what went wrong as a value."""

    def __init__(self, work: Callable[[int], Any]) -> None:
        self._work = work

    def __call__(self, row: dict[str, Any]) -> dict[str, bytes]:
        try:
            return {"found": pickle.dumps(self._work(int(row["item"]))), "problem": b""}
        except QassayError as problem:
            return {"found": b"", "problem": pickle.dumps(problem)}
