"""Synonyms are those that NLTK's METEOR uses, from the same files."""

import pickle
import re
import shutil
import zipfile

import pytest

from nltk_wordnet import installed_wordnet, nltk_wordnet
from qassay.errors import DataError
from qassay.text.wordnet import FILES, WordNet, find_wordnet
from shared import train

SPELLINGS = [
    "",
    " ",
    "a",
    "s",
    "1",
    "dog n",
    "DOG",
    "'s",
    "galore",
    "men",
    "geese",
    "best",
    "axes",
    "été",
    "犬",
]


def nltk_synonyms(word):
    synsets = nltk_wordnet().synsets(word)
    return {lemma.name() for synset in synsets for lemma in synset.lemmas() if "_" not in lemma.name()} | {word}


def differences(words):
    wordnet = installed_wordnet()
    return {word for word in words if wordnet.synonyms(word) != nltk_synonyms(word)}


def zip_as_nltk_does(folder, target):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in FILES:
            archive.write(folder / name, f"wordnet/{name}")


@pytest.fixture
def copied(tmp_path):
    """Copy the installed files to where a test may damage them."""
    root = installed_wordnet().root
    if not root.is_dir():
        pytest.skip("needs WordNet as a folder; the one found is a zip file")
    for name in FILES:
        shutil.copyfile(root / name, tmp_path / name)
    return tmp_path


def test_every_word_of_squad():
    """Each word of real passages and questions has NLTK's synonyms."""
    words = set(re.findall(r"[\w'-]+", train("squad/dev-v1.1.json").read_text(encoding="utf-8")))
    assert len(words) >= 20_000
    assert differences(words) == set()


def test_a_sample_of_the_index_itself():
    """Words that WordNet lists, hyphens, underscores and all, have NLTK's synonyms."""
    words = sorted(nltk_wordnet().all_lemma_names())[::40]
    assert len(words) >= 3_000
    assert differences(words) == set()


@pytest.mark.parametrize("word", SPELLINGS)
def test_unusual_spellings(word):
    """Empty, spaced, foreign and irregular words have NLTK's synonyms."""
    assert differences([word]) == set()


def test_a_word_that_utf8_cannot_hold():
    """A lone surrogate, which JSON may contain, is its own only synonym."""
    assert installed_wordnet().synonyms("\ud800") == {"\ud800"}


def test_zip_file_of_nltk(copied, tmp_path, monkeypatch):
    """NLTK's zipped corpus is found and read, with the fingerprint of the same files in a folder."""
    corpora = tmp_path / "nltk_data" / "corpora"
    corpora.mkdir(parents=True)
    zip_as_nltk_does(copied, corpora / "wordnet.zip")
    monkeypatch.delenv("QASSAY_WORDNET", raising=False)
    monkeypatch.setenv("NLTK_DATA", str(tmp_path / "nltk_data"))

    zipped = WordNet(find_wordnet())

    assert zipped.root == corpora / "wordnet.zip"
    assert zipped.synonyms("dogs") == installed_wordnet().synonyms("dogs")
    assert zipped.fingerprint == installed_wordnet().fingerprint


def test_unsorted_index(copied):
    """An index in another order is read all the same."""
    lines = (copied / "index.noun").read_bytes().splitlines(keepends=True)
    (copied / "index.noun").write_bytes(b"".join(reversed(lines)))
    assert WordNet(copied).synonyms("dogs") == installed_wordnet().synonyms("dogs")


def test_named_place_without_wordnet(tmp_path, monkeypatch):
    """A wrong QASSAY_WORDNET is an error that says what belongs there."""
    monkeypatch.setenv("QASSAY_WORDNET", str(tmp_path))
    with pytest.raises(DataError, match=r"QASSAY_WORDNET names no WordNet; give a folder with index\.noun"):
        find_wordnet()


def test_named_place_comes_first(copied, monkeypatch):
    """QASSAY_WORDNET decides which WordNet is used."""
    monkeypatch.setenv("QASSAY_WORDNET", str(copied))
    assert find_wordnet() == copied


def test_damaged_data_file(copied):
    """An index that points to no synset is an error with the file's name."""
    (copied / "data.noun").write_bytes(b"x\n")
    with pytest.raises(DataError, match=r"data\.noun: no synset at byte \d+, where index\.noun points"):
        WordNet(copied).synonyms("dog")


def test_missing_file(copied):
    """A file that has gone is an error with a remedy."""
    (copied / "verb.exc").unlink()
    with pytest.raises(DataError, match=r"cannot read WordNet's verb\.exc .*; reinstall WordNet"):
        WordNet(copied).synonyms("dog")


def test_fingerprint_states_version_and_content(copied):
    """Two databases that differ in one index differ in fingerprint, and both state their version."""
    before = WordNet(copied).fingerprint
    with (copied / "index.adv").open("r+b") as file:
        file.write(b"  2")
    after = WordNet(copied).fingerprint

    assert re.fullmatch(r"wordnet-\d\.\d-[0-9a-f]{8}", before)
    assert before != after


def test_travels_to_worker_processes():
    """A pickled WordNet opens the same files again."""
    wordnet = installed_wordnet()
    wordnet.synonyms("dog")
    assert pickle.loads(pickle.dumps(wordnet)).synonyms("dogs") == wordnet.synonyms("dogs")  # noqa: S301 - ours
