from dataclasses import replace

import pytest

from qassay.metrics.registry import create
from qassay.records import Example, Reference
from qassay.report.answers import AnswerRow, Ordering, PageAnswers
from qassay.report.explain.evidence import gather_evidence
from qassay.report.html.payload import answers_payload
from qassay.scoring.scorer import Scorer

# Lee et al. (2021), Figure 1
STEPS = Example(
    "steps",
    "How many steps are involved in a hypothesis test?",
    (Reference("Four steps are involved in a hypothesis test."), Reference("It takes four.")),
    "There are seven steps involved in a hypothesis test.",
)


def evidence_of(*examples, specs=("rouge_l:kpqa", "ava")):
    return list(gather_evidence(examples, Scorer(specs)))


def test_the_heaviest_words_are_those_that_answer():
    """The words "seven" and "four" carry the answers to "how many" (Lee et al. 2021, Figure 1)."""
    weighed = evidence_of(STEPS)[0].weights["kpqa"]

    heaviest = [max(side, key=lambda word: word.weight) for side in (weighed.candidate, *weighed.references)]
    texts = [STEPS.candidate, *(each.text for each in STEPS.references)]
    words = [text[word.start : word.end] for text, word in zip(texts, heaviest, strict=True)]
    assert words == ["seven", "Four", "four"]


@pytest.mark.parametrize("spec", ["ava", "ava,kind=linear"])
def test_parts_of_a_judge_add_up_to_its_score(spec):
    """The sum of the parts is the logit of the score."""
    (found,) = evidence_of(STEPS, specs=[spec])

    logit = sum(part.part for part in found.parts[spec])
    score = Scorer([spec]).score([STEPS]).scores[spec][0]
    assert 1 / (1 + 2.718281828459045**-logit) == pytest.approx(score)


@pytest.mark.parametrize("specs", [("rouge_l", "bleu"), ("rouge_l:uniform",), ("lerc",)])
def test_other_metrics_have_no_evidence(specs):
    """What no model weighs, or what is no sum of parts, has nothing to show."""
    (found,) = evidence_of(STEPS, specs=specs)

    assert not found.weights
    assert not found.parts


@pytest.mark.parametrize("candidate", [None, "", "It takes four."])
def test_answers_that_no_model_was_asked_about_have_no_parts(candidate):
    """A missing, an empty and an identical answer are decided without the judge."""
    (found,) = evidence_of(replace(STEPS, candidate=candidate))

    assert not found.parts


def test_answers_get_their_own_evidence_whatever_stands_beside_them():
    """Over several batches each answer has what it would have alone."""
    others = [replace(STEPS, id=str(n), candidate=f"There are {n} of them.") for n in range(150)]

    assert evidence_of(*others, STEPS)[-1] == evidence_of(STEPS)[0]


def payload_of(example, specs=("rouge_l:kpqa", "ava")):
    (found,) = evidence_of(example, specs=specs)
    names = [str(create(spec).spec) for spec in specs]
    rows = [AnswerRow(example, dict.fromkeys(names, 0.5), {}, evidence=found)]
    return answers_payload(PageAnswers(rows, len(rows)), names, {"": "all answers"}, Ordering())


def test_the_page_gets_weights_in_nine_steps():
    """A run is the gap before a word, its length, and its share of the strongest weight in ninths."""
    page = payload_of(STEPS)

    ((candidate, first, second),) = page["answers"][0]["weights"]
    assert page["weightings"] == ["kpqa"]
    heaviest = candidate[2::3].index(max(candidate[2::3]))
    gaps_and_words = candidate[0 : 3 * heaviest : 3] + candidate[1 : 3 * heaviest : 3]
    assert sum(gaps_and_words) + candidate[3 * heaviest] == STEPS.candidate.index("seven")
    assert candidate[3 * heaviest + 1] == len("seven")
    assert first[:3] == [0, len("Four"), 9]
    assert max(second[2::3]) == second[-1]
    assert second[-2] == len("four")


def test_a_reference_given_twice_keeps_its_weights():
    """Repeated references are shown once, and the others keep their own weights."""
    twice = replace(STEPS, references=(STEPS.references[0], STEPS.references[0], STEPS.references[1]))

    assert payload_of(twice)["answers"][0]["weights"] == payload_of(STEPS)["answers"][0]["weights"]


def test_only_words_that_are_shown_are_weighed():
    """Of a text that is cut, words behind the cut leave no run."""
    long = replace(STEPS, candidate="There are many words here. " * 400 + "seven")

    page = payload_of(long)

    ((runs, *_),) = page["answers"][0]["weights"]
    shown = page["texts"][page["answers"][0]["candidate"]]
    assert sum(runs[0::3]) + sum(runs[1::3]) <= len(shown)


def test_the_page_gets_the_judges_signals_by_number():
    """Parts point to the names of signals and to their metric's place; what adds nothing is left out."""
    page = payload_of(STEPS)

    (parts,) = page["answers"][0]["parts"].values()
    assert list(page["answers"][0]["parts"]) == [1]
    assert page["signals"][parts[0][0]]["label"] == "network"
    assert all(abs(part) >= 0.005 for _, _, part in parts)


def test_without_models_the_page_says_nothing_more():
    """A report of lexical metrics is as large as it was."""
    page = payload_of(STEPS, specs=("rouge_l",))

    assert (page["weightings"], page["signals"]) == ([], [])
    assert not {"weights", "parts"} & page["answers"][0].keys()


def test_an_answer_beyond_memory_has_no_evidence(monkeypatch):
    """The report of a run that skipped it shows the others."""
    monkeypatch.setattr("qassay.models.onnx.encoder.MOST_PIECES", 50)
    scorer = Scorer(["rouge_l:kpqa", "ava"], on_error="skip")
    long, short = gather_evidence([replace(STEPS, candidate="seven " * 60), STEPS], scorer)

    assert not long.parts
    assert not long.weights["kpqa"].candidate
    assert short.parts["ava"]
    assert short.weights["kpqa"].candidate


@pytest.mark.parametrize(
    ("reference", "candidate", "decided"),
    [
        ("$19 billion", "It was $19 million.", "judged as (nothing) · rule magnitude It was $19 million. → (nothing)"),
        ("===", "It is ===.", "decided by symbols, compared as written"),
        ("Lima", "Lima", "decided by equal texts"),
    ],
)
def test_reports_show_what_decided_where_no_model_did(reference, candidate, decided):
    """A rule, symbols, or equal texts: the line that `qassay explain` shows too."""
    example = Example("1", "What is it?", (Reference(reference),), candidate)
    (found,) = evidence_of(example, specs=["ava"])
    row = AnswerRow(example, {"ava": 0.0}, {}, found.notes, evidence=found)
    payload = answers_payload(PageAnswers([row], 1), ["ava"], {"": "all answers"}, Ordering())

    assert not found.parts
    assert payload["answers"][0]["behind"] == {0: decided}
