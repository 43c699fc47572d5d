"""NLTK reading the WordNet that Qassay reads: the oracle for synonyms and METEOR."""

import atexit
import shutil
import warnings
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import nltk
import pytest
from nltk.corpus.reader.wordnet import WordNetCorpusReader

from qassay.text.wordnet import FILES, WordNet, find_wordnet


class EnglishReader(WordNetCorpusReader):
    """NLTK's reader without its table for other languages, which needs files that Debian does not ship."""

    def map_wn(self, _version="wordnet"):
        """Map nothing: English needs no map."""


@cache
def installed_wordnet():
    """Return the installed WordNet, or skip the test."""
    root = find_wordnet()
    if root is None:
        pytest.skip("needs a WordNet: apt-get install wordnet-base, or NLTK's wordnet corpus")
    return WordNet(root)


@cache
def nltk_wordnet():
    """Return NLTK's reader over the same files, or skip the test."""
    root = installed_wordnet().root
    if not root.is_dir():
        pytest.skip("needs a WordNet folder for NLTK to read; the one found is a zip file")
    # NLTK reads only below its own data folders, and wants the names of the lexicographer files,
    # which play no part in synonyms.
    home = Path(mkdtemp(prefix="qassay-nltk-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    folder = home / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for name in FILES:
        shutil.copyfile(root / name, folder / name)
    (folder / "lexnames").write_text("".join(f"{number:02} file{number} 1\n" for number in range(45)))
    nltk.data.path.insert(0, str(home))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The multilingual functions")
        return EnglishReader(str(folder), None)
