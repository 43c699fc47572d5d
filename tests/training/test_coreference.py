"""Mentions of an article's subject at the beginning of a sentence, replaced where it is clear who or what is meant."""

import json

import pytest

from qassay.errors import DataError
from qassay.training.coreference import name_of, resolve_by_title
from qassay.training.corpora import hotpotqa
from qassay.training.keyphrase import sources
from qassay.training.reader import sources as reader_sources

# the slides of Lee et al. (2021), Constructing Training Set for KPQA
TANG = "The Glory of Tang Dynasty is a 2017 Chinese television series starring Jing Tian and Allen Ren."
TANG_ON = 'It is based on the novel "The Concubine of Tang: Legend of Pearl" by Cang Mingshui.'
WIDE = {"title": ["A"], "sentences": [["A is b."]]}
JING = "Jing Tian is a Chinese actress."
JING_ON = "She graduated from the Beijing Dance Academy and Beijing Film Academy."


@pytest.mark.parametrize(
    ("title", "sentences", "last"),
    [
        ("Jing Tian", [JING, JING_ON], f"Jing Tian {JING_ON.removeprefix('She ')}"),
        ("The Glory of Tang Dynasty", [TANG, TANG_ON], f"The Glory of Tang Dynasty {TANG_ON.removeprefix('It ')}"),
        ("Ed Wood (film)", ["Ed Wood is a 1994 film.", "The film stars him."], "Ed Wood stars him."),
        ("Wes Hill", ["Wes Hill (born 1970) is a pilot.", "His home is Oslo."], "Wes Hill's home is Oslo."),
        ("Ann Jones", ["Ann Jones (born 1970) is a pilot.", "Her home is Oslo."], "Ann Jones' home is Oslo."),
        ("Wes Hill", ["Wes Hill (born 1970) is a pilot.", "Hill lives in Oslo."], "Wes Hill lives in Oslo."),
        ("Wes Hill", ["Wes Hill is an American film producer.", "He lives in Oslo."], "Wes Hill lives in Oslo."),
        ("Oslo", ["Oslo is a city.", "It's the capital.", "Its harbour is old."], "Oslo's harbour is old."),
    ],
)
def test_clear_mentions_become_the_name(title, sentences, last):
    """A pronoun that fits, a last name, and the kind of thing that the first sentence states."""
    assert resolve_by_title(title, sentences)[-1] == last


@pytest.mark.parametrize(
    ("title", "sentences"),
    [
        # the sentence before is about another one
        ("Oslo", ["Oslo is a city.", "The king lives there.", "It is old."]),
        # who makes films is no film, and what is theirs may be the sentence before
        ("Wes Hill", ["Wes Hill is a film producer.", "Hill directed Oslo.", "The film was shot in Oslo."]),
        ("Wes Hill", ["Wes Hill (born 1970) is a theatre director.", "Wes Hill's first is Oslo.", "It was staged."]),
        # nobody is named by it
        ("Oslo", ["Oslo is a city.", "It is believed that people came early."]),
        ("Oslo", ["Oslo is a city.", "It was in 1905 that it became the capital."]),
        # he or she may be another
        ("Ann Jones", ["Ann Jones (born 1970) is a pilot.", "She met Tom.", "He is a pilot too."]),
        ("Ann Jones", ["Ann Jones (born 1970) is a pilot.", "It was her dream."]),
        # things are not persons, and persons are no things
        ("The Mast", ["The Mast is a novel about Tom.", "He sails."]),
        # of two kinds it is not clear which
        ("The Mast", ["The Mast is a film after a novel.", "The novel came first."]),
        # the paragraph begins with something else
        ("Oslo", ["The old city of Oslo burnt.", "It was built again."]),
        ("Oslo", ["It is a city."]),
    ],
)
def test_what_is_not_clear_stays(title, sentences):
    """A sentence keeps its words where another reading is possible."""
    assert resolve_by_title(title, sentences) == sentences


def test_white_space_stays():
    """HotpotQA's sentences begin with a space, by which they are joined."""
    assert resolve_by_title("Jing Tian", [JING, f" {JING_ON}"])[1].startswith(" Jing Tian graduated")


@pytest.mark.parametrize(("title", "name"), [("Ed Wood (film)", "Ed Wood"), ("AC/DC", "AC/DC"), ("(film)", "")])
def test_titles_lose_what_tells_them_apart(title, name):
    """Brackets at the end are not part of a name."""
    assert name_of(title) == name


@pytest.fixture
def hotpot(tmp_path):
    """Write the slides' example as a file of HotpotQA's form."""
    row = {
        "question": "What dance academy did the starring actress from The Glory of Tang Dynasty graduate from?",
        "answer": "Beijing Dance Academy",
        "supporting_facts": [["The Glory of Tang Dynasty", 0], ["Jing Tian", 1]],
        "context": [["The Glory of Tang Dynasty", [TANG, f" {TANG_ON}"]], ["Jing Tian", [JING, f" {JING_ON}"]]],
    }
    path = tmp_path / "hotpot.json"
    path.write_text(json.dumps([row]), encoding="utf-8")
    return path


def test_the_answer_sentences_are_those_of_the_slides(hotpot):
    """Taken out of its paragraph, "She graduated" becomes "Jing Tian graduated"."""
    (row,) = sources.hotpot(hotpot, "hotpotqa")

    assert row.answer == f"{TANG} Jing Tian graduated from the Beijing Dance Academy and Beijing Film Academy."
    assert [row.answer[start:end] for start, end in row.spans] == ["Beijing Dance Academy"]


def test_readers_learn_from_sentences_as_they_are(hotpot):
    """What is read is a text that somebody wrote."""
    (row,) = reader_sources.hotpot(hotpot, "hotpotqa")

    assert row.passage == f"{TANG} {JING_ON}"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"question": "q", "answer": "a"}, "missing required field `supporting_facts`"),
        ({"question": "q", "answer": "a", "supporting_facts": []}, "missing required field `context`"),
        ({"question": "q", "answer": "a", "supporting_facts": [], "context": {"title": []}}, "Expected `object`"),
        (
            {"question": "q", "answer": "a", "supporting_facts": {"title": [], "sent_id": [1]}, "context": WIDE},
            "longer than argument 1",
        ),
        ({"question": 7, "answer": "a", "supporting_facts": [], "context": []}, "Expected `str`"),
    ],
)
def test_a_file_of_another_shape_is_refused(tmp_path, row, said):
    """The message has the file, the question and what is wrong."""
    path = tmp_path / "hotpot.json"
    path.write_text(json.dumps([row]), encoding="utf-8")

    with pytest.raises(DataError, match=rf"question 1 is not in the expected format: .*{said}"):
        list(hotpotqa.read(path))
