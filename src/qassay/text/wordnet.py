"""Synonyms from an installed WordNet, read from its database files.

The files are those of WNDB(5WN) and MORPHY(7WN): Debian's `wordnet-base` installs them, and NLTK's `wordnet`
corpus holds them as a folder or a zip file. Nothing is downloaded.
"""

import os
import re
import sys
import zipfile
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from hashlib import blake2b
from mmap import ACCESS_READ, mmap
from pathlib import Path

from qassay.errors import DataError
from qassay.home import below_home

PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
INDEXES = tuple(f"index.{part}" for part in PARTS_OF_SPEECH)
FILES = (
    *INDEXES,
    *(f"data.{part}" for part in PARTS_OF_SPEECH),
    *(f"{part}.exc" for part in PARTS_OF_SPEECH),
)

ENDINGS = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
"""MORPHY's rules of detachment, with NLTK's `-ves`."""

SYNSET_PREAMBLE = len("00001740 03 n 01 ")
CACHED_WORDS = 1 << 15


class WordNet:
    """An installed WordNet: a folder of database files, or NLTK's `wordnet.zip`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._synonyms = lru_cache(CACHED_WORDS)(self._look_up)
        self._data: dict[str, bytes | mmap] = {}

    def __reduce__(self) -> tuple[type["WordNet"], tuple[Path]]:
        return (WordNet, (self.root,))

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the word itself and the one-word members of all synsets of it and of its base forms.

        This is the set that NLTK's METEOR matches a word of the candidate with: all parts of speech, base
        forms by MORPHY's exception lists or else its rules of detachment, names spelt as WordNet spells them.
        """
        return self._synonyms(word)

    @cached_property
    def fingerprint(self) -> str:
        """The version that the files state, and a hash of the indexes and of the other files' sizes."""
        digest = blake2b(digest_size=4)
        for name in FILES:
            content = _content(self.root, name)
            digest.update(f"{name} {len(content)}\n".encode())
            if name in INDEXES:
                digest.update(content)
        stated = re.search(rb"Word[nN]et (\S+) Copyright", _content(self.root, "data.adj")[:4096])
        return f"wordnet-{stated[1].decode() if stated else 'unknown'}-{digest.hexdigest()}"

    @cached_property
    def _indexes(self) -> Mapping[str, list[bytes]]:
        # Princeton's files are sorted by byte already, which makes sorting cheap; other builds need not be.
        # The licence at the top is indented.
        indexes = {}
        for part in PARTS_OF_SPEECH:
            lines = _content(self.root, f"index.{part}")[:].splitlines()
            indexes[part] = sorted(line for line in lines if not line.startswith(b" "))
        return indexes

    @cached_property
    def _exceptions(self) -> Mapping[str, Mapping[str, list[str]]]:
        exceptions: dict[str, dict[str, list[str]]] = {}
        for part in PARTS_OF_SPEECH:
            lines = _content(self.root, f"{part}.exc")[:].decode().splitlines()
            exceptions[part] = {form: bases for form, *bases in map(str.split, lines) if bases}
        return exceptions

    def _look_up(self, word: str) -> frozenset[str]:
        lowered = word.lower()
        names = {word}
        for part in PARTS_OF_SPEECH:
            for form in self._base_forms(lowered, part):
                for offset in self._synsets(form, part):
                    names.update(name for name in self._members(part, offset) if "_" not in name)
        return frozenset(names)

    def _base_forms(self, word: str, part: str) -> set[str]:
        exceptional = self._exceptions[part].get(word)
        if exceptional is not None:
            return {word, *exceptional}
        return {word, *(word.removesuffix(end) + new for end, new in ENDINGS[part] if word.endswith(end))}

    def _synsets(self, form: str, part: str) -> list[int]:
        if " " in form:
            return []
        key = form.encode(errors="surrogatepass") + b" "
        lines = self._indexes[part]
        place = bisect_left(lines, key)
        if place == len(lines) or not lines[place].startswith(key):
            return []
        # lemma pos synset_cnt p_cnt [ptr_symbol...] sense_cnt tagsense_cnt synset_offset...
        fields = lines[place].split()
        return [int(offset) for offset in fields[-int(fields[2]) :]]

    def _members(self, part: str, offset: int) -> Iterator[str]:
        name = f"data.{part}"
        content = self._data.get(name)
        if content is None:
            content = self._data[name] = _content(self.root, name)
        # synset_offset lex_filenum ss_type w_cnt word lex_id...: four fields of fixed width, then the words
        preamble = content[offset : offset + SYNSET_PREAMBLE].split()
        if not preamble or preamble[0] != b"%08d" % offset:
            raise DataError(
                f"no synset at byte {offset}, where index.{part} points; reinstall WordNet", self.root / name
            )
        members = 2 * int(preamble[3], 16)
        line = content[offset + SYNSET_PREAMBLE : content.find(b"\n", offset)]
        for member in line.split(b" ", members)[:members:2]:
            # an adjective may carry its position: galore(ip)
            yield member.partition(b"(")[0].decode()


def find_wordnet() -> Path | None:
    """Return an installed WordNet: `$QASSAY_WORDNET`, then NLTK's data folders, then the system's.

    A `$QASSAY_WORDNET` that holds no WordNet is an error: a mistyped path must not change scores silently.
    """
    named = os.environ.get("QASSAY_WORDNET")
    if named:
        if not _is_wordnet(Path(named)):
            raise DataError(
                "QASSAY_WORDNET names no WordNet; give a folder with index.noun, data.noun and the other "
                "database files, or NLTK's wordnet.zip",
                named,
            )
        return Path(named)
    return next((place for place in _places() if _is_wordnet(place)), None)


def _places() -> Iterator[Path]:
    nltk_data = [Path(folder) for folder in os.environ.get("NLTK_DATA", "").split(os.pathsep) if folder]
    nltk_data.append(below_home("~/nltk_data"))
    nltk_data += [Path(sys.prefix, *inner) for inner in (("nltk_data",), ("share", "nltk_data"))]
    nltk_data += [Path(base, "nltk_data") for base in ("/usr/share", "/usr/local/share", "/usr/lib")]
    for folder in nltk_data:
        yield folder / "corpora" / "wordnet"
        yield folder / "corpora" / "wordnet.zip"
    if "WNSEARCHDIR" in os.environ:
        yield Path(os.environ["WNSEARCHDIR"])
    if "WNHOME" in os.environ:
        yield Path(os.environ["WNHOME"], "dict")
    yield from map(Path, ("/usr/share/wordnet", "/usr/local/share/wordnet", "/usr/share/wordnet-3.0"))
    yield Path("/opt/homebrew/opt/wordnet/dict")


def _is_wordnet(place: Path) -> bool:
    if place.is_dir():
        return all((place / name).is_file() for name in FILES)
    if not zipfile.is_zipfile(place):
        return False
    with zipfile.ZipFile(place) as archive:
        return {f"wordnet/{name}" for name in FILES} <= set(archive.namelist())


def _content(root: Path, name: str) -> bytes | mmap:
    try:
        if root.is_dir():
            with (root / name).open("rb") as file:
                return mmap(file.fileno(), 0, access=ACCESS_READ)
        with zipfile.ZipFile(root) as archive:
            return archive.read(f"wordnet/{name}")
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise DataError(f"cannot read WordNet's {name} ({error}); reinstall WordNet", root) from error
