import numpy as np
import pytest

from fake_pipeline import FirstNameReader, interrupted, pipeline
from qassay.errors import DataError, SpecError, TextTooLongError
from qassay.metrics.questions import question_pass as first_pass
from qassay.metrics.questions.question_pass import Verdicts, _chunks, decode_records
from qassay.metrics.questions.question_records import QuestionRecord, SourceRecord, SummaryRecord
from qassay.metrics.registry import parse_spec
from qassay.models.base import UNENGLISH
from qassay.records import Example, Reference
from qassay.scoring.defaults import default_summary_metrics
from qassay.scoring.first_pass_log import QuestionLog
from qassay.scoring.scorer import Scorer, batches

KEY = b"1"


@pytest.fixture(autouse=True)
def _models(monkeypatch):
    """Models that follow from the texts alone."""
    monkeypatch.setattr(first_pass, "open_pipeline", lambda *_: pipeline())


def _scorer(*specs, **options):
    return Scorer(specs, **options)


def _example(summary, *references, document=None, name="1"):
    return Example(name, "", tuple(Reference(each) for each in references), summary, "a", context=document)


def _scores(scorer, *examples):
    scorer.first_pass(examples)
    return scorer.score(examples)


def _asked(*verdicts, answered=True):
    return [
        QuestionRecord(
            "q", "thing", "s", "a", (0, 1), "p", (0, 1), 0.1, answered, {"bert_score": each, "exact_match": 0.5}
        )
        for each in verdicts
    ]


def test_a_score_is_the_mean_over_questions_with_unanswered_ones_as_0():
    """Two of the reference's three names: one is found, one is taken for another, one is missing."""
    verdicts = Verdicts()
    questions = [*_asked(0.9), *_asked(0.1), *_asked(0.5, answered=False)]
    verdicts.add(KEY, SummaryRecord("1", "a", "qaeval", [SourceRecord("reference 1", questions)]))
    assert verdicts.value("qaeval", KEY, "is_answered") == pytest.approx(2 / 3)
    assert verdicts.value("qaeval", KEY, "exact_match") == pytest.approx(1 / 3)


def test_every_reference_counts_alike():
    """A reference with many questions does not outweigh one with few."""
    verdicts = Verdicts()
    sources = [SourceRecord("reference 1", _asked(1, 1, 1)), SourceRecord("reference 2", _asked(1, answered=False))]
    verdicts.add(KEY, SummaryRecord("1", "a", "qaeval", sources))
    assert verdicts.value("qaeval", KEY, "is_answered") == 0.5


def test_bert_score_is_rescaled_over_the_run():
    """The 2.5th and 97.5th percentiles of all answered questions become 0 and 1 (Deutsch and Roth 2022)."""
    verdicts = Verdicts()
    for number in range(101):
        record = SummaryRecord(str(number), "a", "feqa", [SourceRecord("summary", _asked(0.5 + number / 1000))])
        verdicts.add(str(number).encode(), record)
    low, high = verdicts.bert_score_bounds()
    assert (low, high) == pytest.approx((0.5025, 0.5975))
    assert verdicts.value("feqa", b"50", "bert_score") == pytest.approx(0.5)
    assert verdicts.value("feqa", b"0", "bert_score") == 0.0


def test_all_variants_come_from_one_pass():
    """Questions are asked once for both metrics' every method."""
    scorer = _scorer("qaeval,verify=exact_match", "qaeval", "qaeval,verify=is_answered", "rouge_1")
    scored = _scores(scorer, _example("then Anna sang", "yesterday Anna sang"))
    assert scorer.specs == ["qaeval,verify=exact_match", "qaeval", "qaeval,verify=is_answered", "rouge_1"]
    assert [scored.scores[spec][0] for spec in scorer.specs[:3]] == [1.0, 1.0, 1.0]


def test_batches_do_not_change_scores():
    """What one summary gets does not depend on its neighbours."""
    examples = [_example(f"then {name} sang", "yesterday Anna sang", name=name) for name in ("Anna", "Bob", "Eve")]
    together = _scores(_scorer("qaeval,verify=exact_match"), *examples).scores["qaeval,verify=exact_match"]
    apart = _scorer("qaeval,verify=exact_match")
    apart.first_pass(examples)
    assert [
        apart.score(each).scores["qaeval,verify=exact_match"][0] for each in batches(examples, 1)
    ] == together.tolist()


def test_a_summary_without_questions_is_unscored_with_a_reason():
    """It is not counted as 0."""
    scored = _scores(_scorer("feqa,verify=exact_match"), _example("nobody sang", document="it was Anna"))
    assert np.isnan(scored.scores["feqa,verify=exact_match"][0])
    assert scored.unscored["feqa,verify=exact_match"] == {0: "no noun phrase to ask about"}


def test_what_is_known_is_not_asked_again(tmp_path):
    """A resumed run takes up the records of the one before."""
    examples = [_example("then Bob sang", "so Anna sang"), _example("x", "so Ida sang", name="2")]
    known = [SummaryRecord("1", "a", "qaeval", [SourceRecord("reference 1", _asked(1.0))])]
    interrupted(QuestionLog(tmp_path / "kept", "run"), examples[:1], [known])
    scorer = _scorer("qaeval,verify=exact_match")
    with QuestionLog(tmp_path / "kept", "run", resume=True) as log:
        scorer.first_pass(examples, log)
        assert [decode_records(found)[0].id for found in log] == ["1", "2"]
    scored = scorer.score(examples)
    assert scored.scores["qaeval,verify=exact_match"].tolist() == [0.5, 0.0]


@pytest.mark.parametrize(("spec", "field"), [("qaeval", "references"), ("feqa", "document")])
def test_a_metric_says_what_the_summary_lacks(spec, field):
    """Before anything is asked."""
    example = _example("then Bob sang", **({"document": "it was Anna"} if field == "references" else {}))
    with pytest.raises(DataError, match=f'needs.* "{field}"' if field == "references" else '"document" in a file'):
        _scorer(spec).first_pass([example])


def test_metrics_of_words_need_references_too():
    """ROUGE beside FEQA says what is missing instead of leaving everything unscored."""
    with pytest.raises(DataError, match='rouge_1 needs "references"'):
        _scorer("feqa", "rouge_1").check([_example("then Bob sang", document="it was Anna")])


def test_everything_is_checked_before_a_question_is_asked():
    """The last summary's fault is found as soon as the first one's."""
    scorer = _scorer("feqa")
    examples = [_example("then Bob sang", document="it was Anna", name=str(i)) for i in range(40)]
    with pytest.raises(DataError, match='"last" of system "a" has none'):
        scorer.check([*examples, _example("then Bob sang", "so Anna sang", name="last")])


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        (_example("x", "so Anna sang"), ("qaeval",)),
        (_example("x", document="so Anna sang"), ("feqa",)),
        (_example("x", "so Anna sang", document="so Anna sang"), ("qaeval", "feqa")),
    ],
)
def test_metrics_are_chosen_by_what_there_is(example, expected):
    """References allow QAEval, a document FEQA."""
    assert default_summary_metrics(example) == expected


def test_long_texts_are_asked_about_few_at_a_time():
    """The memory that the texts take stays bounded."""
    examples = [_example("x", document="word " * 30_000, name=str(i)) for i in range(5)]
    assert [len(chunk) for chunk in _chunks(examples)] == [2, 2, 1]


def test_an_unknown_method_names_those_there_are():
    """The catalogue's way with mistakes holds here too."""
    with pytest.raises(SpecError, match="token_f1"):
        parse_spec("qaeval,verify=tokenf1")


def test_specs_read_and_print_alike():
    """The default method is left out of the canonical form."""
    assert str(parse_spec("feqa, verify=lerc")) == "feqa"


def test_summaries_that_english_models_hardly_read_are_noted():
    """Once for each text, however many systems are held against it."""
    german = "Der Hund von Anna lief in das Haus und schlief auf dem Boden."
    scorer = _scorer("qaeval,verify=exact_match")
    examples = [_example("Anna sat.", german, name=str(number)) for number in range(3)]

    scorer.first_pass(examples)

    assert scorer.totals().notes == {UNENGLISH: 1}


CHINESE = _example("他来自北京", "yesterday Anna sang", name="zh")


def test_a_summary_that_cannot_be_read_stops_with_its_place():
    """Id, system, file and line, and what to do."""
    message = r'in\.jsonl:7: qaeval cannot read the answer with id "zh" of system "a": .*Chinese.*reader=.*on_error'
    with pytest.raises(DataError, match=message):
        _scorer("qaeval").check([CHINESE], lambda _: ("in.jsonl", 7))


def test_a_summary_that_cannot_be_read_can_go_without_a_score():
    """NaN with the reason, never 0; the others are scored, and metrics of words score it too."""
    scorer = _scorer("qaeval,verify=exact_match", "rouge_1", on_error="skip")
    scorer.check([CHINESE])
    scored = _scores(scorer, CHINESE, _example("then Anna sang", "yesterday Anna sang"))
    assert scored.scores["qaeval,verify=exact_match"] == pytest.approx([np.nan, 1.0], nan_ok=True)
    assert "is in Chinese" in scored.unscored["qaeval,verify=exact_match"][0]
    assert scored.unscored["rouge_1"] == {}
    assert list(first_pass.run_verdicts(scorer.resources).left_out) == [("a", "zh")]


def test_a_summary_without_document_can_go_without_a_score():
    """Nothing could contradict it, which is no faithfulness."""
    scorer = _scorer("feqa,verify=exact_match", on_error="skip")
    scored = _scores(scorer, _example("then Bob sang"), _example("then Anna sang", document="it was Anna", name="2"))
    assert scored.scores["feqa,verify=exact_match"] == pytest.approx([np.nan, 1.0], nan_ok=True)
    assert scored.unscored["feqa,verify=exact_match"] == {0: "no document"}


class _ShortReader(FirstNameReader):
    """Cannot hold what Eve sang."""

    def answer(self, questions):
        texts = [text for _, text in questions if "Eve" in text]
        if texts:
            raise TextTooLongError(texts, 9000, 8000)
        return super().answer(questions)


@pytest.fixture
def _short(monkeypatch):
    monkeypatch.setattr(first_pass, "open_pipeline", lambda *_: pipeline(_ShortReader()))


SUNG = [_example(f"then {name} sang", "yesterday Anna sang", name=name) for name in ("Anna", "Eve", "Bob")]


@pytest.mark.usefixtures("_short")
def test_a_text_too_long_for_memory_names_its_summary():
    """And the way to go on without it."""
    with pytest.raises(DataError, match=r'the answer with id "Eve" of system "a": a text of 9,000.*on_error=.skip.'):
        _scorer("qaeval,verify=exact_match").first_pass(SUNG)


@pytest.mark.usefixtures("_short")
def test_a_text_too_long_for_memory_can_go_without_a_score():
    """Its neighbours keep theirs."""
    scored = _scores(_scorer("qaeval,verify=exact_match", on_error="skip"), *SUNG)
    assert np.isnan(scored.scores["qaeval,verify=exact_match"]).tolist() == [False, True, False]
    assert "8,000 word pieces" in scored.unscored["qaeval,verify=exact_match"][1]
