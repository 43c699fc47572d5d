"""Download public data files: resumable, checked against their hashes, never half-written."""

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse, InvalidURL
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from qassay.errors import QassayError
from qassay.home import below_home
from qassay.io.manifest import GITHUB, DataFile, DataSet, find_set
from qassay.version import __version__

CHUNK = 1 << 18
TIMEOUT = 30
PASSING = {
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
}
"""HTTP status codes that mean "try again later"."""

Progress = Callable[[DataFile, int], None]
"""Called with a file and how many of its bytes have arrived."""


class FetchError(QassayError):
    """A file that could not be downloaded, with its address and the remedy."""


class _PassingError(Exception):
    """A failure after which another attempt may succeed."""


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file that is now in the data folder."""

    file: DataFile
    path: Path
    fresh: bool
    """False when it was there already, and intact."""


def data_folder() -> Path:
    """Return the folder of public data: `$QASSAY_DATA`, or `qassay/data` in the user's cache."""
    named = os.environ.get("QASSAY_DATA")
    if named:
        return below_home(named)
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else below_home("~/.cache")) / "qassay" / "data"


def fetch(
    wanted: str | DataSet,
    folder: Path | None = None,
    *,
    base_url: str = GITHUB,
    progress: Progress | None = None,
    attempts: int = 4,
    pause: float = 1.0,
) -> list[FetchedFile]:
    """Download all files of a set into the folder, under their names in the manifest.

    A file that is there is checked and kept. A broken download continues where it ended, in this call or the next;
    after `attempts` failures in a row, with pauses that double from `pause` seconds, it is a `FetchError`.
    """
    dataset = find_set(wanted) if isinstance(wanted, str) else wanted
    _check_address(base_url)
    if not dataset.files:
        raise FetchError(f"{dataset.name} cannot be fetched: {'; '.join(each.reason for each in dataset.left_out)}")
    root = folder or data_folder()
    return [
        _Download(file, root / file.name, file.url(base_url.rstrip("/")), progress, attempts, pause).bring()
        for file in dataset.files
    ]


def _check_address(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        valid = parts.scheme in {"https", "http"} and bool(parts.hostname) and base_url.isprintable()
        _ = parts.port, (parts.hostname or "").encode("idna")
    except ValueError:
        valid = False
    if not valid or " " in base_url:
        raise FetchError(f'"{base_url}" is no web address; give one that begins with https://')


@dataclass(frozen=True, slots=True)
class _Download:
    file: DataFile
    target: Path
    url: str
    progress: Progress | None
    attempts: int
    pause: float

    @property
    def part(self) -> Path:
        return self.target.with_name(f"{self.target.name}.part")

    def bring(self) -> FetchedFile:
        try:
            if self.target.exists():
                return self._keep()
            self.target.parent.mkdir(parents=True, exist_ok=True)
            self._complete()
            self.part.replace(self.target)
        except OSError as error:
            raise FetchError(
                f"{error.filename or self.target}: cannot be written ({error.strerror}); "
                "free some space or choose another folder"
            ) from error
        return FetchedFile(self.file, self.target, fresh=True)

    def _keep(self) -> FetchedFile:
        if not self._intact(self.target):
            raise FetchError(
                f"{self.target}: not the published file, its sha256 differs; delete or rename it and fetch again"
            )
        self._report(self.file.size)
        return FetchedFile(self.file, self.target, fresh=False)

    def _complete(self) -> None:
        """Download until the file is complete and its hash is right."""
        failures, furthest, restarted = 0, 0, False
        while True:
            start = self._received()
            try:
                if start < self.file.size:
                    self._receive(start)
            except _PassingError as error:
                # Bytes that never came before are success enough; a server that ends at the same byte is not.
                failures = failures + 1 if self._received() <= max(furthest, start) else 1
                furthest = max(furthest, self._received())
                if failures >= self.attempts:
                    raise self._unreachable(str(error)) from error
                time.sleep(self.pause * 2 ** (failures - 1))
                continue
            if self._intact(self.part):
                return
            self.part.unlink()
            # What an earlier run left may be to blame: begin once more without it.
            if start == 0 or restarted:
                raise self._wrong()
            restarted = True

    def _receive(self, start: int) -> None:
        with self._open(start) as response:
            resumed = response.status == HTTPStatus.PARTIAL_CONTENT
            if resumed and not response.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
                self.part.unlink()
                raise _PassingError("the server sent another range than requested")
            received = start if resumed else 0
            if response.length is not None and received + response.length != self.file.size:
                self.part.unlink(missing_ok=True)
                raise self._wrong()
            with self.part.open("ab" if resumed else "wb") as part:
                for chunk in _chunks(response, self.file.size - received):
                    part.write(chunk)
                    received += len(chunk)
                    self._report(received)
        if received < self.file.size:
            raise _PassingError(f"the connection ended after {received:,} of {self.file.size:,} bytes")

    def _open(self, start: int) -> HTTPResponse:
        request = Request(self.url, headers={"User-Agent": f"qassay/{__version__}"})  # noqa: S310 - checked in fetch
        if start:
            request.add_header("Range", f"bytes={start}-")
        try:
            response: HTTPResponse = urlopen(request, timeout=TIMEOUT)  # noqa: S310 - as above
        except HTTPError as error:
            error.close()
            if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                self.part.unlink(missing_ok=True)
            elif error.code not in PASSING:
                raise FetchError(
                    f"{self.url}: the server answers {error.code} {error.reason}; "
                    "a newer version of Qassay may know where the file is now"
                ) from error
            raise _PassingError(f"the server answers {error.code} {error.reason}") from error
        except (InvalidURL, ValueError) as error:
            raise FetchError(f"{self.url}: is no web address ({error}); check it") from error
        except (URLError, OSError, HTTPException) as error:
            raise _PassingError(str(getattr(error, "reason", error))) from error
        return response

    def _received(self) -> int:
        size = self.part.stat().st_size if self.part.exists() else 0
        if size > self.file.size:
            self.part.unlink()
            return 0
        return size

    def _intact(self, path: Path) -> bool:
        if path.stat().st_size != self.file.size:
            return False
        with path.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest() == self.file.sha256

    def _report(self, received: int) -> None:
        if self.progress:
            self.progress(self.file, received)

    def _unreachable(self, reason: str) -> FetchError:
        return FetchError(
            f"{self.url}: cannot be fetched ({reason}); check the network connection and run the command again, "
            f"which continues where it ended, or put the file at {self.target} yourself"
        )

    def _wrong(self) -> FetchError:
        return FetchError(
            f"{self.url}: what the server sent is not the published file (its size or sha256 differs), and was "
            "deleted; a proxy or a log-in page may stand in between"
        )


def _chunks(response: HTTPResponse, wanted: int) -> Iterator[bytes]:
    """Yield up to one byte more than expected, which reveals a longer file."""
    left = wanted + 1
    while left > 0:
        try:
            chunk = response.read(min(CHUNK, left))
        except (OSError, HTTPException) as error:
            raise _PassingError(str(error) or type(error).__name__) from error
        if not chunk:
            return
        left -= len(chunk)
        yield chunk
