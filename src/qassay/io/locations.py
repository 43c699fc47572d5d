"""Files and folders wherever they are: paths of this machine, and URLs of file systems that Arrow or fsspec know."""

from __future__ import annotations

import io
import re
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol, cast
from uuid import uuid4

from qassay.errors import DataError, OutputError
from qassay.io.dataset_folders import dataset_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_WILD = re.compile(r"[*?\[]")
_HIDDEN = (".", "_")


def is_url(path: str | Path) -> bool:
    """Whether it names a place on another file system, as s3://bucket/answers.parquet does."""
    return _URL.match(str(path)) is not None


class FileStatus(NamedTuple):
    """What a file system says of a file or folder."""

    size: int
    modified: int
    """Nanoseconds; 0 where it is not known."""
    is_folder: bool


class _Files(Protocol):
    """A file system, with paths as it writes them."""

    def status(self, path: str) -> FileStatus | None: ...

    def open(self, path: str) -> IO[bytes]: ...

    def seekable(self, path: str) -> Any: ...  # noqa: ANN401 - what Arrow reads from: a path, or a file of its own

    def create(self, path: str) -> IO[bytes]: ...

    def listed(self, path: str) -> list[str]: ...

    def clear(self, path: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Location:
    """A file or folder by its path or URL. Can be pickled: the file system is opened where it is used."""

    url: str

    def __str__(self) -> str:
        return self.url

    def __truediv__(self, name: str) -> Location:
        return Location(f"{self.url.rstrip('/')}/{name}")

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.url.rstrip("/").rsplit("/", 1)[-1]

    def absolute(self) -> Location:
        """Return the same place for processes that work in other folders."""
        return self if is_url(self.url) else Location(str(Path(self.url).absolute()))

    def status(self) -> FileStatus | None:
        """Return size and age, or None where there is nothing; raise `DataError` where that cannot be found out."""
        files, path = self._files()
        with reachable(self.url):
            return files.status(path)

    def open(self) -> IO[bytes]:
        """Open for reading."""
        files, path = self._files()
        return files.open(path)

    def seekable(self) -> Any:  # noqa: ANN401 - what Arrow reads from
        """Return what Arrow can read any part of."""
        files, path = self._files()
        return files.seekable(path)

    def read(self) -> bytes:
        """Return the whole content; raise `FileNotFoundError` where there is no file, `DataError` otherwise."""
        with reachable(self.url, may_be_missing=True), self.open() as file:
            return file.read()

    @contextmanager
    def writing(self, unfinished: Location | None = None) -> Iterator[IO[bytes]]:
        """Yield a stream to write to; the file appears when all is written, and replaces what was there.

        Until then it is beside it, or in a folder for `unfinished` files, which must be on the same file system.
        """
        files, path = self._files()
        partial = path
        if isinstance(files, _LocalFiles):
            partial = f"{unfinished / self.name if unfinished else path}.{uuid4().hex[:12]}.part"
        try:
            with files.create(partial) as file:
                yield file
            if partial != path:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(partial).replace(path)
        except OSError as problem:
            remedy = "choose another place, or make room for it"
            raise OutputError(f"cannot be written: {_reason(problem)}; {remedy}", self.url) from problem
        finally:
            if partial != path:
                with suppress(OSError):
                    Path(partial).unlink()

    def write(self, content: bytes) -> None:
        """Write the whole content."""
        with self.writing() as file:
            file.write(content)

    def names(self) -> list[str]:
        """Return the sorted names of the files and folders in a folder; none where there is no folder."""
        files, path = self._files()
        with reachable(self.url):
            return sorted(files.listed(path))

    def clear(self) -> None:
        """Remove a folder with everything in it."""
        files, path = self._files()
        try:
            files.clear(path)
        except OSError as problem:
            raise OutputError(
                f"cannot be emptied ({_reason(problem)}); check the address and the access rights", self.url
            ) from problem

    def _files(self) -> tuple[_Files, str]:
        if not is_url(self.url):
            return _LocalFiles(), self.url
        return _resolved(self.url)


def expand(paths: Sequence[str]) -> list[str]:
    """Return the files that paths name, in order: patterns and folders become the files that they stand for.

    Hidden files and those whose names begin with an underscore, as the notes of other programs do, are left out.
    """
    return [file for path in paths for file in _expanded(path)]


def _expanded(path: str) -> list[str]:
    dataset = dataset_files(path)
    if dataset is not None:
        return [str(each) for each in dataset]
    if path == "-" or not (is_url(path) or _WILD.search(path) or Path(path).is_dir()):
        return [path]
    if not is_url(path) and Path(path).is_file():
        return [path]
    if not _WILD.search(path):
        place = Location(path)
        with reachable(path):
            found = place.status()
            if found is None or not found.is_folder:
                return [path]
            inside = [place / name for name in place.names() if not name.startswith(_HIDDEN)]
            files = [str(each) for each in inside if (known := each.status()) is not None and not known.is_folder]
        if not files:
            raise DataError("there are no files in this folder; check the path", path)
        return files
    with reachable(path):
        files = sorted(each for each in _matching(path) if is_url(each) or Path(each).is_file())
    if not files:
        raise DataError("there is no file that matches this pattern; check the path", path)
    return files


def _matching(pattern: str) -> list[str]:
    """Return the paths that match a pattern; a wildcard stands for characters within one part of the path."""
    scheme = found.group() if (found := _URL.match(pattern)) else ""
    parts = pattern.removeprefix(scheme).split("/")
    first = next(at for at, part in enumerate(parts) if _WILD.search(part))
    folders = [f"{scheme}{''.join(f'{part}/' for part in parts[:first])}"]
    for part in parts[first:]:
        folders = [
            f"{folder}{'/' if folder and not folder.endswith('/') else ''}{name}"
            for folder in folders
            for name in Location(folder or ".").names()
            if fnmatchcase(name, part) and not (name.startswith(_HIDDEN) and not part.startswith(_HIDDEN))
        ]
    return folders


@contextmanager
def reachable(path: str, *, may_be_missing: bool = False) -> Iterator[None]:
    """Raise errors of a file system as `DataError`s with the place; `FileNotFoundError` where it may be missing."""
    try:
        yield
    except OSError as problem:
        if may_be_missing and isinstance(problem, FileNotFoundError):
            raise
        raise DataError(
            f"cannot be read ({_reason(problem)}); check the address and the access rights", path
        ) from problem


def _reason(problem: OSError) -> str:
    return problem.strerror or str(problem).partition("\n")[0]


class _LocalFiles:
    """The files of this machine."""

    def status(self, path: str) -> FileStatus | None:
        """Return size and age."""
        try:
            found = Path(path).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return FileStatus(found.st_size, found.st_mtime_ns, Path(path).is_dir())

    def open(self, path: str) -> IO[bytes]:
        """Open for reading."""
        return Path(path).open("rb")

    def seekable(self, path: str) -> Path:
        """Return the path."""
        return Path(path)

    def create(self, path: str) -> IO[bytes]:
        """Open for writing, with the folder that it is in."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        return Path(path).open("xb")

    def listed(self, path: str) -> list[str]:
        """Return the names in a folder."""
        return [each.name for each in Path(path).iterdir()] if Path(path).is_dir() else []

    def clear(self, path: str) -> None:
        """Remove a folder."""
        if Path(path).is_dir():
            shutil.rmtree(path)


class _ArrowFiles:
    """A file system of Arrow's."""

    def __init__(self, system: Any) -> None:  # noqa: ANN401 - pyarrow has no types
        self._system = system

    def status(self, path: str) -> FileStatus | None:
        """Return size and age."""
        from pyarrow.fs import FileType  # noqa: PLC0415 - optional and heavy

        found = self._system.get_file_info(path)
        if found.type == FileType.NotFound:
            return None
        return FileStatus(found.size or 0, found.mtime_ns or 0, found.type == FileType.Directory)

    def open(self, path: str) -> IO[bytes]:
        """Open for reading, in pieces of a size that suits a network."""
        return cast("IO[bytes]", io.BufferedReader(self._system.open_input_file(path), 1 << 20))

    def seekable(self, path: str) -> Any:  # noqa: ANN401 - as above
        """Open for reading any part."""
        return self._system.open_input_file(path)

    def create(self, path: str) -> IO[bytes]:
        """Open for writing; object stores show the file when it is closed."""
        self._make_folder(path)
        return cast("IO[bytes]", self._system.open_output_stream(path, compression=None))

    def listed(self, path: str) -> list[str]:
        """Return the names in a folder."""
        from pyarrow.fs import FileSelector  # noqa: PLC0415 - optional and heavy

        try:
            found = self._system.get_file_info(FileSelector(path, allow_not_found=True))
        except NotADirectoryError:
            return []
        return [each.base_name for each in found]

    def clear(self, path: str) -> None:
        """Remove what a folder holds."""
        self._system.delete_dir_contents(path, missing_dir_ok=True)

    def _make_folder(self, path: str) -> None:
        # Object stores have no folders, and would keep an empty object in place of one.
        if self._system.type_name not in {"s3", "gcs", "abfs"}:
            self._system.create_dir(path.rpartition("/")[0], recursive=True)


def _resolved(url: str) -> tuple[_Files, str]:
    scheme, _, rest = url.partition("://")
    host = rest.partition("/")[0]
    files, prefix = _file_system(f"{scheme}://{host}")
    return files, f"{prefix}{rest[len(host) :]}".rstrip("/")


@lru_cache(maxsize=64)
def _file_system(root: str) -> tuple[_Files, str]:
    """Return the file system of a bucket or host, Arrow's own where it has one, and how it writes the root."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - optional and heavy
        from pyarrow import fs  # noqa: PLC0415 - as above
    except ImportError as error:
        raise DataError('files on other file systems need pyarrow; pip install "qassay[parquet]"', root) from error
    try:
        system, path = fs.FileSystem.from_uri(f"{root}/")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        system, path = _through_fsspec(root, fs)
    except OSError as problem:
        raise DataError(
            f"cannot be reached ({_reason(problem)}); check the address and the access rights", root
        ) from problem
    return _ArrowFiles(system), path.rstrip("/")


def _through_fsspec(root: str, fs: Any) -> tuple[Any, str]:  # noqa: ANN401 - a module without types
    try:
        import fsspec  # noqa: PLC0415 - optional

        system, path = fsspec.core.url_to_fs(f"{root}/")
    except ImportError as error:
        raise DataError(
            f"this kind of address needs fsspec and the package that it names ({error}); install them", root
        ) from error
    except ValueError as error:
        raise DataError(f"is an address of an unknown kind ({error}); check it", root) from error
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path
