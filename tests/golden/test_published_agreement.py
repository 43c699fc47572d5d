"""Agreement between people, and of rankings with people, as the papers report them on the files they released."""

import json

import pytest

from qassay.meta.agreement.krippendorff import Measurement, krippendorff_alpha
from qassay.meta.agreement.ratings import Ratings
from qassay.meta.correlation.evaluation import Options, evidence_of_table, measure
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.ranking.rankings import pair_agreement
from qassay.meta.statistics.weighted import Coefficient
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from real_answers import kpqa
from shared import bench


def rows_of(path):
    return [json.loads(line) for line in bench(path).read_bytes().splitlines()]


@pytest.mark.parametrize(
    ("name", "published"),
    # Wang, Cho and Lewis 2020 (QAGS), human evaluation: Krippendorff's alpha of the votes
    [("cnndm", 0.51), ("xsum", 0.34)],
)
def test_alpha_of_the_votes_on_consistency(name, published):
    """Three votes a sentence agree as published."""
    votes = [
        ((f"{i}-{j}", ""), str(vote["worker_id"]), float(vote["response"] == "yes"))
        for i, row in enumerate(rows_of(f"qags/mturk_{name}.jsonl"))
        for j, sentence in enumerate(row["summary_sentences"])
        for vote in sentence["responses"]
    ]
    alpha = krippendorff_alpha(Ratings.build(*zip(*votes, strict=True)), Measurement.NOMINAL)
    assert alpha.value == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize(
    ("name", "pairs"),
    # Lee et al. 2021, Table 7: 93 pairs on MS-MARCO and 193 on AVSD
    [("marco_all", 93), ("avsd_all", 193)],
)
def test_as_many_pairs_are_clear_as_in_the_paper(name, pairs):
    """Rows at the same place in the two halves of the file, whose judgements are at least 2 apart."""
    answers = [
        Example(str(i % 500), "", each.references, each.candidate, "AB"[i // 500], judgement=each.judgement)
        for i, each in enumerate(kpqa(name))
    ]
    panel = evidence_of_table(score_examples(answers, ["rouge_l"])).panel
    assert pair_agreement(panel, "rouge_l").pairs == pairs


@pytest.mark.parametrize(
    ("level", "published"),
    # Deutsch and Roth 2022, Table 4, SummEval: Kendall's tau of ROUGE-1, -2, -L and -SU4 with relevance
    [(Level.SYSTEM, (0.50, 0.43, 0.32, 0.38)), (Level.INPUT, (0.20, 0.14, 0.14, 0.15))],
)
def test_rouge_and_relevance_of_summaries(level, published):
    """F of the best reference is within .07 at system level, four of 120 pairs of systems, and .02 at summary level."""
    examples = [
        Example(
            row["id"],
            "",
            tuple(Reference(text) for text in row["references"]),
            system["summary"],
            name,
            judgement=system["scores"]["relevance"],
        )
        for row in rows_of("summeval/summeval.jsonl")
        for name, system in row["systems"].items()
    ]
    specs = [f"{metric},refs=max,beta=1" for metric in ("rouge_1", "rouge_2", "rouge_l", "rouge_su4")]
    options = Options(level, (Coefficient.KENDALL,), DifferenceTest.BOOTSTRAP, 0, seed=1)
    agreements, _ = measure(evidence_of_table(score_examples(examples, specs)), options)
    slack = 0.07 if level is Level.SYSTEM else 0.02
    assert [each.first.value for each in agreements] == pytest.approx(published, abs=slack)
