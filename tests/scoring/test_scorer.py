"""Scoring runs batches through the metrics and keeps what belongs together."""

import pickle

import numpy as np
import pytest

import qassay
from answers import answer
from qassay.errors import DataError, SpecError
from qassay.features.resources import Resources
from qassay.io.example_columns import parts_by_length, plain_columns
from qassay.models.base import FOREIGN, UNENGLISH
from qassay.scoring import scorer as scorer_module
from qassay.scoring.scorer import Scorer, batches, score_examples
from qassay.scoring.table import Score

RUN = [answer(text, "the cat sat", id=str(i)) for i, text in enumerate(["the cat", "a dog", "the cat sat", None] * 5)]


def test_batches():
    """A stream is cut into tuples; the last may be shorter."""
    assert list(batches(iter(range(5)), 2)) == [(0, 1), (2, 3), (4,)]


def test_no_answers():
    """A run without answers is an error."""
    with pytest.raises(DataError, match="no answers to score"):
        score_examples([], ["bleu"])


def test_unknown_metric():
    """A wrong spec stops before anything is scored."""
    with pytest.raises(SpecError):
        score_examples(RUN, ["blue"])


def test_all_metrics_at_once():
    """Several metrics together give what each gives alone."""
    specs = ["exact_match", "token_f1", "bleu", "rouge_l", "rouge_l:idf", "cider"]
    together = score_examples(RUN, specs)
    alone = [score_examples(RUN, [spec])[spec] for spec in specs]
    np.testing.assert_array_equal([together[spec] for spec in specs], alone)


def test_unscored_places_over_batches():
    """Reasons stand beside the right answers, whatever the batches."""
    table = score_examples(RUN, ["bleu"], batch=3)
    assert sorted(table.unscored["bleu"]) == [i for i, each in enumerate(RUN) if each.candidate is None]


@pytest.fixture(params=["rows", "columns"])
def of_many_lengths(request):
    """Answers of many lengths, as examples and as columns."""
    texts = ["the cat", "a dog 中文", "the cat sat " * 9, None, "Wer weiß das schon, und wer will es wissen?"] * 4
    rows = [
        {"id": str(i), "question": "Who sat?", "references": ["the cat sat"], "candidate": text}
        for i, text in enumerate(texts)
    ]
    columns = plain_columns(rows, "rows", "")
    return columns if request.param == "columns" else tuple(columns)


@pytest.mark.parametrize("characters", [1, 40, 130])
def test_scores_do_not_depend_on_how_long_texts_are_cut(monkeypatch, of_many_lengths, characters):
    """However few characters are scored at once: scores, reasons, notes, aggregates and signatures are the same."""
    specs = ["bleu", "rouge_l", "token_f1", "ava"]
    whole = score_examples(of_many_lengths, specs)
    monkeypatch.setattr(scorer_module, "BATCH_CHARACTERS", characters)
    parts = score_examples(of_many_lengths, specs)
    np.testing.assert_array_equal([parts[spec] for spec in specs], [whole[spec] for spec in specs])
    assert parts.to_dicts() == whole.to_dicts()
    assert (parts.unscored, parts.notes, parts.answer_notes) == (whole.unscored, whole.notes, whole.answer_notes)


def test_long_texts_are_cut_by_their_characters(of_many_lengths):
    """Candidates and references count; a text that is longer alone is a part alone, and none is lost."""
    parts = parts_by_length(of_many_lengths, 60)
    assert [len(each) for each in parts[:5]] == [2, 1, 1, 1, 2]
    assert [each for part in parts for each in part] == list(of_many_lengths)
    assert all(type(part) is type(of_many_lengths) for part in parts)
    (whole,) = parts_by_length(of_many_lengths, 10_000)
    assert whole is of_many_lengths


@pytest.mark.parametrize(
    ("specs", "expected"),
    [(["bleu"], False), (["rouge_l:idf"], True), (["cider"], True), (["rouge_l:uniform", "bleu"], False)],
)
def test_first_passes(specs, expected):
    """Only metrics that weigh by rarity need the references counted beforehand."""
    assert bool(Scorer(specs).first_passes) is expected


def test_stored_frequencies_need_no_counting(tmp_path):
    """CIDEr with a file of frequencies counts nothing."""
    path = tmp_path / "df.json"
    path.write_text('{"tok": "word", "orders": 4, "together": true, "documents": 1, "counts": {}}')
    assert not Scorer([f"cider,df={path}"]).first_passes


def test_scorer_travels():
    """A scorer can be sent to another process, with what it has counted."""
    scorer = Scorer(["cider", "rouge_l:idf"])
    scorer.first_pass(RUN)
    sent = pickle.loads(pickle.dumps(scorer))  # noqa: S301 - our own bytes
    np.testing.assert_array_equal(sent.score(RUN).scores["cider"], scorer.score(RUN).scores["cider"])


def test_notes():
    """Texts whose words all weigh nothing count uniformly, and that is noted."""
    table = score_examples([answer("the", "the"), answer("the cat", "the")], ["token_f1:idf,tok=word"])
    # one answer and two references of the one word that stands in every document: log(3 / 3) = 0
    assert table.notes == {"texts without any weight, counted uniformly": 3}


def test_notes_do_not_depend_on_the_batch():
    """Texts are counted, equal ones each, so that batches add up."""
    rows = [answer(GERMAN, ENGLISH, id=str(i), question="Was?") for i in range(4)]
    rows += [answer("word " * 600, ENGLISH, id="5", question="Was?"), answer("a", "word " * 600, id="6", question="")]

    one, several = (score_examples(rows, ["ava", "bert_score:kp"], batch=batch).notes for batch in (1, 6))

    assert one == several
    assert one[UNENGLISH] == 4


def test_language_option():
    """A stated language other than English keeps its a, an and the."""
    example = answer("a casa", "casa")
    found = [score_examples([example], ["exact_match"], language=code)["exact_match"][0] for code in ("auto", "pt")]
    assert found == [1, 0]


def test_same_seed():
    """The same seed gives the same intervals."""
    assert score_examples(RUN, ["bleu"], seed=5).aggregates == score_examples(RUN, ["bleu"], seed=5).aggregates


LONG = [
    answer("the cat", "the cat sat", id="0", question="Who sat?"),
    answer("cat " * 60, "the cat sat", id="1", question="Who sat?"),
    answer("a dog", "the dog sat", "dog " * 60, id="2", question="Who sat?"),
    answer("a bird", "the bird sat", id="3", question="Who sat?"),
]
BY_MODEL = ["bert_score", "rouge_l:kpqa", "ava", "lerc"]


@pytest.fixture
def little_memory(monkeypatch):
    """A machine that holds few word pieces; what is true of sixty here is true of 500,000 elsewhere."""
    monkeypatch.setattr("qassay.models.onnx.encoder.MOST_PIECES", 50)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("spec", ["bert_score", "bert_score:kpqa", "rouge_l:kpqa", "bleu:kp", "ava"])
def test_an_answer_beyond_memory_is_unscored_when_errors_are_skipped(spec):
    """Its place has a reason, and the others score as they do without it."""
    table = score_examples(LONG, [spec], on_error="skip")
    others = score_examples([LONG[0], LONG[3]], [spec])[spec]
    np.testing.assert_array_equal(table[spec], [others[0], np.nan, np.nan, others[1]])
    assert set(table.unscored[spec]) == {1, 2}
    assert "longer than 50 word pieces" in table.unscored[spec][1]
    assert table.aggregates[0].n == 2


@pytest.mark.usefixtures("little_memory")
def test_metrics_that_need_not_hold_an_answer_score_it():
    """Words are counted without a model, and LERC reads the stretch that is nearest to the reference."""
    table = score_examples(LONG, ["bert_score", "token_f1", "lerc"], on_error="skip")
    alone = score_examples(LONG, ["token_f1", "lerc"])
    np.testing.assert_array_equal([table[spec] for spec in alone.scores], list(alone.scores.values()))
    assert not np.isnan(table["lerc"]).any()


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("examples", [LONG[1:3], LONG[1:2]])
def test_a_batch_of_nothing_but_long_answers(examples):
    """Nothing is left to read, and nothing breaks."""
    table = score_examples(examples, BY_MODEL[:3], on_error="skip")
    assert np.isnan([table[spec] for spec in BY_MODEL[:3]]).all()


@pytest.mark.usefixtures("little_memory")
def test_an_answer_beyond_memory_stops_the_run():
    """The message names the answer and both remedies."""
    with pytest.raises(DataError, match=r'id "1": a text of 60 word pieces.*shorten it.*or on_error=.skip.'):
        score_examples(LONG, ["token_f1", "bert_score"])


@pytest.mark.usefixtures("little_memory")
def test_python_callers_can_skip_too():
    """`qassay.score` takes the choice of the command line."""
    table = qassay.score(LONG, ["bert_score"], on_error="skip")
    assert set(table.unscored["bert_score"]) == {1, 2}


GERMAN, ENGLISH = "Der Hund lief in das Haus und schlief auf dem Boden.", "The dog ran into the house."


@pytest.mark.parametrize("specs", [["bert_score"], ["token_f1:kp"], ["lerc"], ["ava"], ["bert_score", "ava", "lerc"]])
def test_what_english_models_hardly_read_is_noted_every_time(specs):
    """The note counts texts, whichever models read them and whatever they read before."""
    rows = [answer(GERMAN, ENGLISH, id="1"), answer("北京是中国的首都。", "Der Spiegel", id="2")]

    first, again = (score_examples(rows, specs).notes for _ in range(2))

    assert first[UNENGLISH] == first[FOREIGN] == 1
    assert first == again


def test_answers_without_what_a_metric_needs_can_be_skipped():
    """They go without that score, with the reason; the others have theirs, and so has every other metric."""
    asked = answer("the cat", "the cat sat", id="1", question="Who sat?")
    rows = [asked, answer("the cat", "the cat sat", id="2")]

    table = score_examples(rows, ["token_f1:kpqa", "token_f1"], on_error="skip")

    assert table["token_f1:kpqa"][0] == score_examples([asked], ["token_f1:kpqa"])["token_f1:kpqa"][0]
    assert table.score("token_f1:kpqa", 1) == Score(None, "no question")
    assert not np.isnan(table["token_f1"]).any()
    with pytest.raises(DataError, match="on_error='skip'"):
        score_examples(rows, ["token_f1:kpqa"])


def test_a_model_that_returns_no_number_leaves_the_answer_unscored_with_the_reason(monkeypatch):
    """NaN from a judge does not touch the other answers' scores."""
    judge = type(Resources().judge("mini"))
    found = judge.judge
    monkeypatch.setattr(
        judge,
        "judge",
        lambda self, pairs: np.where([pair.candidate == "b" for pair in pairs], np.nan, found(self, pairs)),
    )
    answers = [answer("a", "c", question="Which?"), answer("b", "c", question="Which?")]

    table = score_examples(answers, ["lerc"])

    assert table.score("lerc", 0).value is not None
    assert table.score("lerc", 1) == Score(None, "the metric or its model returned no number (NaN)")
    assert table.aggregate("lerc").unscored == 1
