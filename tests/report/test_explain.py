import io
import json
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import qassay
from answers import answer
from qassay.errors import SpecError
from qassay.metrics.breakdown import topics
from qassay.metrics.registry import CATALOGUE
from qassay.records import Example, Reference
from qassay.report.explain.alignment import Match
from qassay.report.explain.render import explain, print_explanation, render_explanation, write_explanation
from qassay.scoring.scorer import Scorer

# Lee et al. (2021), Figure 1
STEPS = Example(
    "steps",
    "How many steps are involved in a hypothesis test?",
    (Reference("Four steps are involved in a hypothesis test."),),
    "There are seven steps involved in a hypothesis test .",
)


def explained(example=STEPS, specs=("bleu,n=1,tok=coco", "rouge_l,tok=coco")):
    scorer = Scorer(specs)
    return explain(example, scorer.specs, scorer)


def shown(explanation, *, colour=False):
    console = Console(file=io.StringIO(), width=80, force_terminal=colour, color_system="truecolor" if colour else None)
    console.print(print_explanation(explanation))
    return console.file.getvalue()


def test_the_scores_are_those_of_the_published_example():
    """Figure 1 prints BLEU-1 0.778 and ROUGE-L 0.713."""
    scores = explained().scores
    assert [round(score.value, 3) for score in scores.values()] == [0.778, 0.713]


def test_bleu_is_taken_apart_into_hits_totals_and_penalty():
    """Seven of nine words match, and the candidate is not too short."""
    (found,) = explained(specs=["bleu,n=1,tok=coco"]).comparisons[0].ingredients.values()
    assert dict(found) == {"1-grams": "7 of 9", "length": "9 for 8", "brevity penalty": "1"}


def test_rouge_is_taken_apart_into_precision_and_recall():
    """The common subsequence has six words: 6/9 and 6/8."""
    (found,) = explained(specs=["rouge_l,tok=coco"]).comparisons[0].ingredients.values()
    assert dict(found) == {"precision": "0.667", "recall": "0.750"}


def test_token_f1_is_taken_apart_into_counts():
    """Without the article six of eight and six of seven words match."""
    (found,) = explained(specs=["token_f1"]).comparisons[0].ingredients.values()
    assert dict(found) == {"precision": "6 of 8", "recall": "6 of 7"}


def test_exact_match_shows_what_it_compares():
    """Both sides are shown after normalisation."""
    (found,) = explained(specs=["exact_match"]).comparisons[0].ingredients.values()
    assert dict(found)["reference"] == "four steps are involved in hypothesis test"


def test_words_have_their_places_and_matches():
    """The word that matters does not match."""
    words = {word.text: word for word in explained().comparisons[0].candidate_side.words}
    assert (words["seven"].match, words["seven"].start, words["seven"].end) == (Match.NONE, 10, 15)


def test_idf_weights_come_with_the_words():
    """A word that stands in every reference weighs nothing, a rarer one more."""
    others = [Example(str(i), "", (Reference(f"In {name}."),), "x") for i, name in enumerate(["Rome", "Oslo", "Bonn"])]
    scorer = Scorer(["rouge_l:idf"])
    scorer.first_pass(others)
    found = explain(Example("q", "", (Reference("In Rome."),), "in Rome"), ["rouge_l:idf"], scorer)
    weights = {word.text: word.weights["idf"] for word in found.comparisons[0].candidate_side.words}
    assert weights["in"] == 0 < weights["Rome"]


def test_weights_of_another_tokeniser_go_to_the_same_words():
    """SQuAD tokens have no articles: those weigh nothing, the others what they weigh."""
    found = explained(Example("q", "", (Reference("the town"),), "the old town"), ["token_f1:uniform"])
    weights = {word.text: dict(word.weights) for word in found.comparisons[0].candidate_side.words}
    assert weights == {"the": {}, "old": {"uniform": 1.0}, "town": {"uniform": 1.0}}


def test_a_weighted_metric_over_word_pieces_shows_the_weights_of_words():
    """`bert_score:kpqa` by itself, which has no tokeniser to choose, is explained too."""
    asked = Example("q", "What is the capital of France?", (Reference("Paris"),), "It is Paris")

    explanation = explained(asked, ("bert_score:kpqa",))

    weights = [word.weights["kpqa"] for word in explanation.comparisons[0].candidate_side.words]
    assert max(weights) == weights[-1]


def test_each_reference_has_its_own_scores():
    """The answer equals the second reference alone."""
    found = explained(Example("q", "", (Reference("Rome"), Reference("Paris")), "Paris"), ["exact_match"])
    assert [each.scores["exact_match"].value for each in found.comparisons] == [0.0, 1.0]


def test_the_closest_reference_is_found():
    """It is the one that the terminal shows in full."""
    assert explained(Example("q", "", (Reference("Rome"), Reference("Paris")), "in Paris")).closest == 1


def test_a_missing_candidate_has_reasons_not_scores():
    """Missing is not zero."""
    found = explained(Example("q", "", (Reference("Rome"),), None), ["bleu"])
    assert (found.scores["bleu"].value, found.scores["bleu"].reason) == (None, "no candidate")


def test_a_metric_that_the_scorer_lacks_is_an_error():
    """The message lists those that it has."""
    with pytest.raises(SpecError, match="rouge_l"):
        explain(STEPS, ["bleu"], Scorer(["rouge_l"]))


def test_the_terminal_names_the_common_words():
    """Also where there is no colour to mark them."""
    assert "7 in order, 1 elsewhere: are steps involved in a hypothesis test ." in shown(explained(specs=["bleu"]))


def test_the_terminal_draws_a_heat_map():
    """Heavy words have a background."""
    assert "\x1b[30;48;2;" in shown(explained(specs=["rouge_l:uniform"]), colour=True)


@pytest.mark.parametrize(("candidate", "expected"), [(None, "no answer given"), ("  ", "empty")])
def test_the_terminal_names_absent_answers(candidate, expected):
    """A missing answer and an empty one differ."""
    assert expected in shown(explained(Example("q", "", (Reference("Rome"),), candidate)))


def test_a_very_long_answer_is_cut_in_the_terminal():
    """The rest is counted."""
    text = shown(explained(Example("q", "", (Reference("word"),), "word " * 2400)))
    assert "… 7,000 more characters" in " ".join(text.split())


def test_the_page_escapes_the_answer():
    """Markup is text."""
    found = explained(Example("q", "<i>why</i>", (Reference("<b>no</b>"),), "<script>alert(1)</script>"))
    page = render_explanation(found)
    assert (page.count("<script"), page.count("<b>"), page.count("<i>why")) == (1, 0, 0)


def test_the_page_shows_weights_as_heat(tmp_path):
    """Each weighted word carries its share of the heaviest."""
    page = tmp_path / "steps.html"
    write_explanation(explained(specs=["rouge_l:uniform"]), page)
    assert '<span style="--weight: 1.000"' in page.read_text(encoding="utf-8")


def test_a_long_question_is_cut_in_the_heading_and_whole_below():
    """The title of the page and its heading are short; the end of the question is still there, once."""
    question = f"{'why so ' * 200}in the end?"
    page = render_explanation(explained(replace(STEPS, question=question)))
    heading = page.partition("<h1")[2].partition("</h1>")[0]
    assert len(heading) < 200
    assert heading.endswith("…")
    assert len(page.partition("<title>")[2].partition("</title>")[0]) < 200
    assert page.count("in the end?") == 1


def test_a_short_question_is_the_heading_alone():
    """Nothing is said twice."""
    page = render_explanation(explained(replace(STEPS, question="how many steps?")))
    assert page.count("how many steps?") == 2
    assert 'id="question-title"' not in page


def test_an_explanation_is_plain_data():
    """`explain --json` prints it."""
    data = json.loads(json.dumps(explained().to_dict()))
    assert data["references"][0]["candidate_words"][4] == {
        "text": "involved",
        "start": 22,
        "end": 30,
        "match": "in_order",
    }


def test_a_judge_is_taken_apart_into_signals():
    """Every signal is listed with what it adds, the strongest first, and the terminal names it."""
    explanation = explained(specs=["ava"])
    found = explanation.to_dict()["parts"]["ava"]
    assert [abs(each["part"]) for each in found] == sorted((abs(each["part"]) for each in found), reverse=True)
    assert {"judge", "numbers missing", "bias"} <= {each["signal"] for each in found}
    assert "numbers missing" in shown(explanation)


def test_the_page_shows_the_judges_signals():
    """A table names the signals that add something, for and against."""
    page = render_explanation(explained(specs=["ava"]))
    assert "Signals of the judge" in page
    assert "numbers missing" in page
    assert "dates differ" not in page


def test_metrics_without_a_judge_have_no_signals():
    """Nothing is added to the explanation of lexical metrics."""
    explanation = explained()
    assert explanation.to_dict()["parts"] == {}
    assert "signals of" not in shown(explanation)


def test_signals_of_one_topic_are_shown_together():
    """What a missing date takes back of a missing number is no point for a wrong answer."""
    wrong = answer("in London", "12 March 1990", question="When was she born?")

    found = {topic.name: topic.part for topic in topics(explained(wrong, specs=["ava"]).parts["ava"])}

    assert found["words, numbers and names"] < 0
    assert found["likeness in meaning"] < 0


def test_every_signal_is_explained():
    """The terminal and the page say in a line what each signal is."""
    explanation = explained(specs=["ava"])

    assert all(part.description and part.topic for part in explanation.parts["ava"])
    assert "share of the reference's numbers that it lacks" in " ".join(shown(explanation).split())
    assert "share of the reference&#39;s numbers that it lacks" in render_explanation(explanation)


@pytest.mark.parametrize("specs", [["bert_score:idf"], ["bert_score:kpqa", "bert_score:idf"]])
def test_weights_of_word_pieces_are_shown_on_words(specs):
    """A metric that weighs its own pieces is explained in words: no other frequencies are wanted."""
    explanation = explained(answer("one dog", "one cat", "two cats", question="Which?"), specs=specs)

    words = explanation.to_dict()["references"][0]["reference_words"]
    assert [round(word["weights"]["idf"], 3) for word in words] == [0.405, 0.405]


def test_a_metric_that_says_nothing_is_shown_with_its_definition():
    """Beside the score stands what the metric is."""
    explanation = explained(specs=["bert_score"])

    assert "greedy cosine matching of token embeddings" in " ".join(shown(explanation).split())
    assert explanation.to_dict()["definitions"] == {"bert_score": "greedy cosine matching of token embeddings"}


def test_the_page_of_an_answer_without_a_question_has_a_title():
    """An answer from the command line has no id worth showing."""
    page = render_explanation(explained(replace(answer("one dog", "one cat"), id="given")))

    assert "given" not in page.partition("<title>")[2].partition("</title>")[0]
    assert "<li>given</li>" not in page


class Letters(qassay.MeanMetric):
    """Letters of the answer as a share of those of the reference, weighed or not."""

    name = "letters"
    weightings = qassay.WEIGHTINGS

    def values(self, batch):
        """Divide one side's weight by the other's."""
        view = qassay.token_view(batch, self.tok, self.spec.weights)
        weights = np.ones(len(view.tokens.ids)) if view.weights is None else view.weights
        totals = np.bincount(view.tokens.text_of, weights, len(view.tokens))
        return totals[view.candidate] / totals[view.reference]

    def explain(self, batch):
        """Count the letters."""
        return [qassay.ScoreBreakdown((qassay.Ingredient("letters", str(len(e.candidate))),)) for e in batch.examples]


@pytest.fixture
def letters():
    qassay.register_metric(Letters)
    yield
    CATALOGUE.unregister("letters")


@pytest.mark.usefixtures("letters")
def test_a_metric_of_somebody_else_explains_itself():
    """What its own `explain` says stands beside the score, and its weights on the words."""
    explanation = explained(answer("one dog", "one cat"), specs=["letters", "letters:uniform"])

    assert "letters          1.000  letters 7" in shown(explanation)
    assert explanation.to_dict()["references"][0]["candidate_words"][0]["weights"] == {"uniform": 1.0}
