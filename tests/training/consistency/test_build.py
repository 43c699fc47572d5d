"""Claims about passages, split by article."""

import json
from collections import Counter

import numpy as np
import pytest

from qassay.errors import DataError
from qassay.models.load_readers import load_chunker
from qassay.training.consistency.build import Maker, apart, build, side_of, tags_of
from qassay.training.consistency.inputs import NOWHERE, prepare
from qassay.training.consistency.rewordings import Synonyms
from qassay.training.consistency.rows import ClaimRow, DocumentRow, read_documents
from qassay.training.consistency.texts import Passage, PassageQuestion, read_passages, windows_of
from qassay.training.files import write_rows

TEXT = (
    "Marie Curie was born in Warsaw in 1867. She moved to Paris in 1891 and studied physics there. "
    "In 1903, Curie shared the Nobel Prize in Physics with Pierre Curie and Henri Becquerel. "
    "The Nobel Committee had not planned to honour her at first. She won a second prize in 1911."
)
ASKED = (
    PassageQuestion("When was Marie Curie born?", ("1867",), spans=((34, 38),)),
    PassageQuestion("Who discovered penicillin?", wrong=("Pierre Curie",)),
    PassageQuestion("was marie curie born in warsaw", yes=True),
)


@pytest.fixture(scope="module")
def made():
    """Make claims about one passage, many times over."""
    chunker = load_chunker()
    passage = Passage(TEXT, "squad", "squad:Marie_Curie", ASKED)
    maker = Maker(tags_of([passage], chunker), Synonyms(), np.random.default_rng(0))
    return [row for _ in range(12) for row in maker.make([passage]).sides["train"]]


def test_claims_are_of_both_kinds_and_know_their_places(made):
    """What is wrong lies inside the claim, and what supports it is a sentence of the document."""
    claims = [(claim, row) for row in made for claim in row.claims]
    kinds = Counter(claim.consistent for claim, _ in claims)
    assert 0.35 < kinds[True] / kinds.total() < 0.65
    for claim, row in claims:
        assert all(claim.text[start:end].strip() for start, end in claim.wrong)
        assert all(row.document[start:end].endswith((".", "?", "!")) for start, end in claim.support)
        assert not (claim.consistent and claim.wrong)


def test_a_kept_sentence_is_in_the_document_and_a_corrupted_one_is_not(made):
    """A claim that is wrong is never a sentence of its document."""
    for row in made:
        for claim in row.claims:
            if claim.consistent and claim.kind == "kept":
                assert claim.text in row.document
            elif not claim.consistent:
                assert claim.text not in row.document


def test_questions_become_claims(made):
    """With the right answer they are consistent, with a wrong one not; so are yes and no."""
    found = {(claim.text, claim.consistent) for row in made for claim in row.claims}
    assert {("Marie Curie was born in 1867.", True), ("When was Marie Curie born? 1867", True)} & found
    assert {("Pierre Curie discovered penicillin.", False), ("Who discovered penicillin? Pierre Curie", False)} & found
    assert ("Marie curie was born in warsaw.", True) in found
    assert ("Marie curie was not born in warsaw.", False) in found


def test_a_removed_sentence_is_unsupported(made):
    """The document lacks it, and the claim names nothing that supports it."""
    removed = [(claim, row) for row in made for claim in row.claims if claim.kind == "removed"]
    assert removed
    for claim, row in removed:
        assert row.document != TEXT
        assert not claim.consistent
        assert not claim.support


def test_articles_stay_on_one_side():
    """SQuAD's are named; the others go by a hash, most of them to training."""
    assert side_of("squad:Oxygen") == "test"
    assert side_of("squad:Huguenot") == "dev"
    sides = Counter(side_of(f"boolq:{number}") for number in range(4000))
    assert sides["test"] == pytest.approx(200, abs=60)
    assert sides["dev"] == pytest.approx(160, abs=60)


def test_a_text_that_shares_a_sentence_with_the_test_is_not_trained_on():
    """The same article may be in two sets under two names."""
    kept_back = Passage(TEXT, "squad", "squad:Oxygen")
    copy = Passage(f"Something else. {TEXT}", "boolq", "squad:Other")
    other = Passage("Nothing of the kind is said here by anyone at all.", "boolq", "squad:Third")
    assert apart([kept_back, copy, other]) == [kept_back, other]


def test_windows_are_whole_sentences_that_fit():
    """They cover the passage, do not overlap, and keep to the longest."""
    passage = Passage(" ".join(f"This is sentence number {n} of a long text." for n in range(120)), "x", "x:1")
    found = list(windows_of(passage, np.random.default_rng(0)))
    assert sum(len(window.sentences) for window in found) == 120
    assert all(len(window.text.split()) <= 190 for window in found)
    assert all(window.text.startswith("This") and window.text.endswith("text.") for window in found)


def test_rows_are_written_and_read_back(tmp_path):
    """What was built is what is trained on."""
    claims = [ClaimRow("a b", consistent=False, kind="name", wrong=((0, 1),), support=((0, 5),))]
    row = DocumentRow("c d e", claims, "squad", "squad:A")
    write_rows(tmp_path / "train.jsonl", [row])
    assert list(read_documents(tmp_path / "train.jsonl")) == [row]


def test_a_span_outside_its_text_is_named(tmp_path):
    """The message has the place of the row."""
    claims = [ClaimRow("a b", consistent=False, kind="name", wrong=((0, 9),))]
    write_rows(tmp_path / "train.jsonl", [DocumentRow("c d e", claims, "squad", "squad:A")])
    with pytest.raises(DataError, match='1: "wrong" must hold character ranges inside the claim'):
        list(read_documents(tmp_path / "train.jsonl"))


def test_a_missing_set_is_named(tmp_path):
    """The message says which file is wanted."""
    with pytest.raises(DataError, match=r"dev-v2\.0\.json"):
        build(tmp_path, load_chunker(), rng=np.random.default_rng(0))


def test_passages_of_published_shapes_are_read(tmp_path):
    """SQuAD's paragraphs come with their questions, unanswerable ones with what systems answered."""
    folder = tmp_path / "squad"
    (folder / "predictions").mkdir(parents=True)
    question = {"question": "Where?", "id": "1", "answers": []}
    known = {"question": "When?", "id": "2", "answers": [{"text": "1867", "answer_start": TEXT.index("1867")}]}
    article = {"title": "Oxygen", "paragraphs": [{"context": TEXT, "qas": [question, known]}]}
    (folder / "dev-v2.0.json").write_text(json.dumps({"data": [article]}))
    (folder / "predictions" / "v2.0_BERT.json").write_text(json.dumps({"1": "Paris"}))
    reading = read_passages(tmp_path, Counter())
    passage = next(reading)
    assert passage.group == "squad:Oxygen"
    assert passage.questions == (
        PassageQuestion("Where?", wrong=("Paris",)),
        PassageQuestion("When?", ("1867",), spans=((34, 38),)),
    )


def test_inputs_are_pieces_with_their_spans():
    """Spans of characters become those of pieces; nothing wrong and nothing that supports is the opening mark."""

    def cut(text):
        words = text.split()
        places = [(text.index(word), text.index(word) + len(word)) for word in words]
        return [1, *range(2, 2 + len(words)), 1], [(0, 0), *places, (0, 0)]

    claims = [
        ClaimRow("it is new", consistent=False, kind="opposite", wrong=((6, 9),), support=((4, 13),)),
        ClaimRow("it is old", consistent=True, kind="kept", support=((4, 13),)),
        ClaimRow("far away", consistent=False, kind="removed"),
        ClaimRow("maybe", consistent=True, kind="opinion"),
    ]
    made = prepare([DocumentRow("yes it is old now", claims, "a", "b")], cut)
    assert made.wrong == [((3, 3),), (NOWHERE,), (), (NOWHERE,)]
    assert made.support == [((2, 4),), ((2, 4),), (NOWHERE,), ()]
    assert made.consistent == [False, True, False, True]
    assert len(made.texts) == 5
    assert made.documents == [0, 0, 0, 0]
