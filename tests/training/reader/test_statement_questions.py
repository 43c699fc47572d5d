import numpy as np
import pytest

from grammar import tagged
from qassay.metrics.questions.sentences.phrase_selection import select_answers
from qassay.training.reader.rows import ReaderRow
from qassay.training.reader.statement_questions import (
    from_parallel,
    from_passages,
    in_statement_order,
    in_statement_order_rows,
    thinned,
)

_ASKED = (
    "Where/WRB/B-ADVP did/VBD/O Super/NNP/B-NP Bowl/NNP/I-NP 50/CD/I-NP take/VB/B-VP place/NN/B-NP ~?/./O",
    "Super Bowl 50 take place where?",
)
_SENTENCES = {
    "The old gallery sold the vase in May.": (
        "The/DT/B-NP old/JJ/I-NP gallery/NN/I-NP sold/VBD/B-VP the/DT/B-NP vase/NN/I-NP in/IN/B-PP May/NNP/B-NP/B-time "
        "~././O"
    ),
    "In spring the museum bought a big painting.": (
        "In/IN/B-PP spring/NN/B-NP the/DT/B-NP museum/NN/I-NP bought/VBD/B-VP a/DT/B-NP big/JJ/I-NP "
        "painting/NN/I-NP ~././O"
    ),
    "A vase was bought from the old gallery.": (
        "A/DT/B-NP vase/NN/I-NP was/VBD/B-VP bought/VBN/I-VP from/IN/B-PP the/DT/B-NP old/JJ/I-NP gallery/NN/I-NP "
        "~././O"
    ),
}


class _Chunker:
    """Knows a few sentences."""

    fingerprint = "few"

    def tag(self, sentences):
        return [tagged(_SENTENCES.get(sentence, _ASKED[0])) for sentence in sentences]

    def knows(self, word):
        return word == "sell"


@pytest.mark.parametrize(
    ("marked", "statement"),
    [
        _ASKED,
        (
            "Who/WP/B-NP was/VBD/B-VP the/DT/B-NP king/NN/I-NP ~?/./O",
            "The king was who?",
        ),
        ("Who/WP/B-NP won/VBD/B-VP ~?/./O", None),
        ("Is/VBZ/O it/PRP/B-NP true/JJ/B-ADJP ~?/./O", None),
    ],
)
def test_questions_are_put_back_into_statement_order(marked, statement):
    """Questions about the subject are in it already; yes-no questions have no such order."""
    assert in_statement_order(tagged(marked)) == statement


def test_restated_rows_keep_their_answers():
    """Only the wording changes, and the source says so."""
    row = ReaderRow("Where did Super Bowl 50 take place?", "In Santa Clara.", ((3, 14),), "squad", "g")
    assert list(in_statement_order_rows([row], _Chunker())) == [
        ReaderRow("Super Bowl 50 take place where?", "In Santa Clara.", ((3, 14),), "squad_restated", "g")
    ]


def test_thinning_leaves_out_what_the_question_can_do_without():
    """Over many draws the phrase with "in" goes now and then; the question word never does."""
    sentence = tagged(_SENTENCES["The old gallery sold the vase in May."])
    answer = select_answers(sentence)[0]
    rng = np.random.default_rng(0)
    found = {thinned(sentence, answer, rng) for _ in range(30)}
    assert found == {"What gallery sold the vase in May?", "What gallery sold the vase?"}


def test_sentences_of_a_passage_ask_and_answer():
    """The passage holds the answer where the row says, or the sentence that answers is left out."""
    passage = " ".join(_SENTENCES)
    rows = list(from_passages([(passage, "g")] * 20, _Chunker(), "statements", np.random.default_rng(1)))
    answered = [row for row in rows if row.spans]
    assert 0 < len(answered) < len(rows)
    answers = {row.passage[slice(*span)] for row in answered for span in row.spans}
    assert answers <= {"The old gallery", "the vase", "May", "spring", "the museum", "a big painting", "A vase"} | {
        "the old gallery"
    }


def test_texts_that_tell_the_same_answer_each_others_questions():
    """An answer that the other text has word for word counts; one of which it has nothing is unanswered."""
    versions = ["The old gallery sold the vase in May.", "A vase was bought from the old gallery."]
    rows = list(from_parallel([(versions, "g")], _Chunker(), "parallel", np.random.default_rng(0), most=5))
    told = {(row.question, row.passage[slice(*row.spans[0])] if row.spans else None) for row in rows}
    assert ("What gallery sold the vase in May?", "old gallery") in told
    assert all(row.passage in versions and row.source == "parallel" for row in rows)
