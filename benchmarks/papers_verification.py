"""Deutsch and Roth (2022): answer verification, QAEval and FEQA; and QAGS, whose votes are measured on."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import summaries as benchmark
from paper_rows import PaperTable, Row, missing, number, row
from paper_tables import QAGS as QAGS_PUBLISHED
from paper_tables import agreements, json_rows, qags_example, qags_votes
from papers_settings import PUBLISHED, Settings
from qassay import score_summaries
from qassay.io.input_stream import Reader
from qassay.meta.accuracy.verdict_quality import score_distributions, verification_quality
from qassay.meta.agreement.krippendorff import Measurement, krippendorff_alpha
from qassay.models.load import load_judge
from qassay.models.load_readers import load_chunker, load_reader
from qassay.records import Example, Reference
from qassay.scoring.defaults import VERIFICATION
from qassay.scoring.scorer import score_examples

PAPER = "Deutsch and Roth 2022"
QAGS = "Wang et al. 2020"
METHODS = {
    "majority class": "majority class",
    "exact_match": "EM",
    "token_f1": "F1",
    "bert_score,context=phrase,rescale=run": "BERTScore",
    "lerc,context=phrase": "LERC",
}
SPECS = {
    "BERTScore": "bert_score",
    "ROUGE-1": "rouge_1,stem=yes,tok=coco",
    "ROUGE-2": "rouge_2,stem=yes,tok=coco",
    "ROUGE-L": "rouge_l,beta=1,stem=yes,tok=coco",
    "ROUGE-SU4": "rouge_su4,stem=yes,tok=coco",
    "QAEval-IsAns": "qaeval,verify=is_answered",
    "QAEval-EM": "qaeval,verify=exact_match",
    "QAEval-F1": "qaeval,verify=token_f1",
    "QAEval-BERTScore": "qaeval,verify=bert_score",
    "QAEval-LERC": "qaeval",
}
FEQA_SPECS = {
    "ROUGE-1": "rouge_1,stem=yes,tok=coco",
    "ROUGE-2": "rouge_2,stem=yes,tok=coco",
    "BERTScore": "bert_score",
    "FactCC": "factcc",
    "FactCCX": "factcc",
    "FEQA-EM": "feqa,verify=exact_match",
    "FEQA-F1": "feqa,verify=token_f1",
    "FEQA-BERTScore": "feqa,verify=bert_score",
    "FEQA-LERC": "feqa",
}
_PAPER = PUBLISHED["verification"]
OTHER_PAIRS = (
    "375 other pairs of the same kind, labelled by the authors for QAEval; the 200 of the paper are not released"
)
TAC_PAIRS = (
    "the pairs labelled for QAEval are public (`qassay data fetch answer_verification`) and not among the measured "
    "ones, so that a release can be measured on them unseen; the 200 of the paper are not released"
)
NO_TAC = "TAC 2008's summaries and judgements are given out by NIST under an agreement, and are not public"
OTHER_READER = (
    "embedded models in the place of the authors' question generator (BART), reader (ELECTRA-large) and verifier"
)
SMALLER = "the embedded six-layer model in the place of RoBERTa-large"
ONE_NETWORK = "one embedded network that judges and marks spans, FactCC and FactCCX alike, in the place of BERT-base"
BINS = 10


def _pair(values: tuple[float, float]) -> tuple[str, str]:
    return f"{values[0]:.1f}", number(values[1], 2)


def verification(_settings: Settings) -> list[PaperTable]:
    """Return Table 1: how well the methods tell answers of the same meaning from others."""
    columns = ("accuracy, %", "squared error")
    methods = benchmark.verification()["same meaning"]["methods"]
    found = [each for each in methods if each["method"] in benchmark.PUBLISHED_VERIFICATION]
    rows = []
    for each in found:
        ours = (f"{100 * each['accuracy']:.1f}", number(each["mse"], 2))
        rows.append(
            row(METHODS[each["method"]], ours, _pair(benchmark.PUBLISHED_VERIFICATION[each["method"]]), OTHER_PAIRS)
        )
    tables = [PaperTable(PAPER, "Table 1", "QAEval's answers on SummEval", columns, tuple(rows))]
    tac = benchmark.DATA / "answer_verification" / "tac2008_labeled-answers.csv"
    if tac.exists():
        pairs = [each for each in Reader([tac]) if each.judgement is not None]
        scores = score_examples(pairs, VERIFICATION).scores
        judged, _ = verification_quality(scores, [each.judgement for each in pairs], np.random.default_rng(12345))
        measured = {each.method: (f"{100 * each.accuracy:.1f}", number(each.mse, 2)) for each in judged}
        why = f"{len(pairs):,} pairs labelled for QAEval; the 200 of the paper are not released"
        rows = [
            row(name, measured[key], _pair(theirs), why)
            for (key, name), theirs in zip(METHODS.items(), _PAPER["pairs"]["tac"], strict=True)
        ]
    else:
        rows = [
            missing(name, _pair(theirs), TAC_PAIRS)
            for name, theirs in zip(METHODS.values(), _PAPER["pairs"]["tac"], strict=True)
        ]
    tables.append(PaperTable(PAPER, "Table 1", "QAEval's answers on TAC 2008", columns, tuple(rows)))
    why = "FEQA's labelled pairs are not released"
    rows = [
        missing(name, _pair(theirs), why)
        for name, theirs in zip(METHODS.values(), _PAPER["pairs"]["feqa"], strict=True)
    ]
    tables.append(PaperTable(PAPER, "Table 1", "FEQA's answers on SummEval", columns, tuple(rows)))
    return tables


def distributions(_settings: Settings) -> list[PaperTable]:
    """Return Figure 2: the scores of pairs with the same and with another meaning, in ten bins."""
    pairs = [(example, labels["same meaning"]) for example, labels in benchmark.labelled_pairs()]
    known = [(example, label) for example, label in pairs if label is not None]
    same = np.array([label == 1 for _, label in known])
    scores = score_examples([example for example, _ in known], list(METHODS)[2:]).scores
    rows = [
        row(f"{METHODS[each.method]}, {side}", shares(counted), (), OTHER_PAIRS)
        for each in score_distributions(scores, [label for _, label in known], BINS)
        for side, counted in (("same", each.same), ("different", each.different))
    ]
    columns = tuple(f"{number(i / BINS, 1)} to {number((i + 1) / BINS, 1)}" for i in range(BINS))
    about = (
        f"scores of {same.sum()} pairs of the same meaning and {(~same).sum()} of different ones, shares in per cent"
    )
    note = (
        "The figure has curves and no numbers: LERC parts the two best, F1 gives many right pairs 0, BERTScore mixes "
        "them."
    )
    return [PaperTable(PAPER, "Figure 2", about, columns, tuple(rows), note)]


def shares(counts: Sequence[int]) -> list[str]:
    """Return counts as shares in per cent."""
    return [f"{100 * each / max(sum(counts), 1):.0f}" for each in counts]


def paraphrases(_settings: Settings) -> list[PaperTable]:
    """Return Table 5's pairs."""
    examples = [
        Example(str(i), "", (Reference(answer),), said) for i, (answer, said, *_) in enumerate(_PAPER["paraphrases"])
    ]
    found = score_examples(examples, ["bert_score", "lerc"])
    why = "without their questions and contexts, which the paper does not print, and with the embedded models"
    rows = [
        row(
            f"{answer} / {said}",
            [number(found.score(spec, i).value, 2) for spec in ("bert_score", "lerc")],
            [number(each, 2) for each in theirs],
            why,
        )
        for i, (answer, said, *theirs) in enumerate(_PAPER["paraphrases"])
    ]
    about = "pairs of the same meaning without a word in common"
    return [PaperTable(PAPER, "Table 5", about, ("BERTScore", "LERC"), tuple(rows))]


def summaries(settings: Settings) -> list[PaperTable]:
    """Return Tables 2, 3 and 4: metrics of summaries held against people."""
    correlated = scored_summaries(settings)
    by_level = {
        level: {each["metric"]: each for each in rows}
        for title, rows in correlated.items()
        for level in ("systems", "one input", "all summaries")
        if level in title
    }
    names = ("Pearson", "Spearman", "Kendall")
    columns = (*(f"systems: {name}" for name in names), *(f"one input: {name}" for name in names))
    rows, short = [], []
    for name, spec in SPECS.items():
        key = spec if spec.startswith("qaeval") else spec.partition(",")[0]
        theirs = (*benchmark.PUBLISHED_SYSTEM[key], *benchmark.PUBLISHED_SUMMARY[key])
        ours = [*_three(by_level["systems"].get(spec)), *_three(by_level["one input"].get(spec))]
        why = OTHER_READER if spec.startswith("qaeval") else SMALLER if spec == "bert_score" else ""
        rows.append(row(name, ours, [number(each, 2) for each in theirs], why))
        if name not in {"ROUGE-L", "ROUGE-SU4"}:
            short.append(row(name, [ours[2], ours[5]], [number(theirs[2], 2), number(theirs[5], 2)], why))
    lost = [missing(name, [number(each, 2) for each in theirs], NO_TAC) for name, theirs in _PAPER["tac"].items()]
    few = [
        missing(name, [number(theirs[2], 2), number(theirs[5], 2)], NO_TAC)
        for name, theirs in _PAPER["tac"].items()
        if name not in {"ROUGE-L", "ROUGE-SU4"}
    ]
    note = (
        "1,600 summaries of 16 systems against their original reference. ROUGE as in the original program, with "
        "stems and "
        "without punctuation marks; [intervals and tests](summaries.md#qaeval-on-summeval) are on another page."
    )
    taus = ("systems", "one input")
    return [
        PaperTable(PAPER, "Table 2", "Kendall's tau with relevance, SummEval", taus, tuple(short)),
        PaperTable(PAPER, "Table 2", "Kendall's tau with responsiveness, TAC 2008", taus, tuple(few)),
        consistency(by_level["all summaries"]),
        PaperTable(PAPER, "Table 4", "correlation with relevance, SummEval", columns, tuple(rows), note),
        PaperTable(PAPER, "Table 4", "correlation with responsiveness, TAC 2008", columns, tuple(lost)),
    ]


def consistency(found: Mapping[str, Any]) -> PaperTable:
    """Return Table 3."""
    rows: list[Row] = []
    for name, spec in FEQA_SPECS.items():
        key = spec if spec.startswith("feqa") else spec.partition(",")[0]
        printed = _PAPER["consistency"].get(name) or benchmark.PUBLISHED_FEQA[key]
        theirs = [number(each, 2) for each in printed]
        if spec not in found:
            rows.append(missing(name, theirs, "the scores at hand were made without this metric"))
            continue
        others = {"feqa": OTHER_READER, "bert_score": SMALLER, "factcc": ONE_NETWORK}
        why = next((each for begins, each in others.items() if spec.startswith(begins)), "")
        rows.append(row(name, _three(found[spec]), theirs, why))
    columns = ("Pearson", "Spearman", "Kendall")
    return PaperTable(PAPER, "Table 3", "correlation with consistency, SummEval", columns, tuple(rows))


def scored_summaries(settings: Settings) -> dict[str, Any]:
    """Score SummEval where it is not scored with these models yet, and correlate the scores."""
    folder = settings.work / model_identity()
    scores = folder / "summeval-one-scores.jsonl"
    if not scores.exists():
        benchmark.prepare(folder)
        known = list(dict.fromkeys([*SPECS.values(), *FEQA_SPECS.values()]))
        begun = any(folder.glob(f"{scores.name}*.part"))
        score_summaries(str(folder / "summeval-one.jsonl"), known, output=scores, resume=begun)
    return benchmark.agreement(folder)


def model_identity() -> str:
    """Name the models that score summaries, so that scores of others are not taken for theirs."""
    return "-".join(each.fingerprint for each in (load_judge(), load_reader(), load_chunker()))


def _three(found: Mapping[str, Any] | None) -> Sequence[str]:
    return [number(None if found is None else found[name], 2) for name in ("pearson", "spearman", "kendall")]


def qags(_settings: Settings) -> list[PaperTable]:
    """Return the agreement of QAGS' annotators, and how overlap with the article goes with their votes."""
    rows = []
    for name, (alpha, own) in QAGS_PUBLISHED.items():
        given = json_rows(f"qags/mturk_{name}.jsonl")
        found = krippendorff_alpha(qags_votes(given), Measurement.NOMINAL)
        title = "CNN/DM" if name == "cnndm" else "XSum"
        rows.append(row(f"{title}, alpha of the votes", [number(found.value)], [number(alpha, 2)]))
        (overlap,) = agreements([qags_example(i, each) for i, each in enumerate(given)], ["rouge_2,stat=p"])
        why = "the share of bigrams found in the article (`rouge_2,stat=p`), in the place of the paper's own metric"
        rows.append(row(f"{title}, Pearson with the votes", [number(overlap.first.value)], [number(own)], why))
    return [PaperTable(QAGS, "Human evaluation", "votes on the consistency of sentences", ("",), tuple(rows))]
