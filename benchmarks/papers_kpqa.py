"""Lee et al. (2021), KPQA: every table and figure with numbers in it."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from kpqa import (
    BASES,
    KEYPHRASE_F1,
    WITHOUT_MARCO,
    WITHOUT_QUESTION,
    correlations,
    keyphrase_quality,
    labels_of,
    weighted,
)
from paper_rows import NOTHING, PaperTable, Row, missing, number, row
from paper_tables import DATA, KPQA, RANK_PAIRS, kpqa_examples, pair_shares, several_references
from papers_settings import PUBLISHED, Settings
from qassay.meta.correlation.evaluation import evidence_of_table
from qassay.meta.statistics.panel import Panel
from qassay.meta.statistics.weighted import Coefficient
from qassay.metrics.registry import parse_spec
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from qassay.training.corpora import mcscript

PAPER = "Lee et al. 2021"
NAMES = {
    "bleu,n=1": "BLEU-1",
    "bleu": "BLEU-4",
    "rouge_l": "ROUGE-L",
    "meteor": "METEOR",
    "cider": "CIDEr",
    "bert_score:idf": "BERTScore",
    "bleu:kpqa,n=1": "BLEU-1-KPQA",
    "rouge_l:kpqa": "ROUGE-L-KPQA",
    "bert_score:kpqa": "BERTScore-KPQA",
}
"""Our metrics by the paper's names; its BERTScore weighs words by their rarity."""
SETS = {
    "marco_all": "MS-MARCO, 1,000 answers",
    "avsd_all": "AVSD, 1,000 answers",
    "nrqa_mhpgm": "NarrativeQA",
    "semeval_mhpgm": "SemEval",
}
Pair = tuple[float, float]
MODELS = {"marco_all": ("UniLM", "MHPGM"), "avsd_all": ("MTN", "AMF")}
_PAPER = PUBLISHED["kpqa"]
SMALLER = "the embedded six-layer model in the place of BERT-large"
OWN_WEIGHTS = (
    "weights of the embedded model, which has seen no answer of MS-MARCO's, in the place of the paper's BERT-base"
)
OTHER_METEOR = "METEOR with WordNet's synonyms, without the paraphrases of the original program"
UNSEEN = (
    "the file is public (`qassay data fetch kpqa_human`) and not among the measured ones, so that a release can be "
    "measured on it unseen"
)


def differs(spec: str) -> str:
    """Return what is other than in the paper about a metric."""
    if spec.startswith("meteor"):
        return OTHER_METEOR
    if ":kpqa" in spec or ":kp" in spec:
        return OWN_WEIGHTS
    return SMALLER if spec.startswith("bert_score") else ""


@cache
def scored(name: str, half: int | None = None) -> Panel:
    """Score a set, or one model's half of it, with every metric of the paper."""
    examples = kpqa_examples(name)
    if half is not None:
        middle = len(examples) // 2
        examples = examples[:middle] if half == 0 else examples[middle:]
    specs = [several_references(spec, name) for spec in (*NAMES, *(weighted(base, "kp") for base in BASES))]
    return evidence_of_table(score_examples(examples, specs)).panel


def pairs_of(panel: Panel, name: str, specs: Sequence[str]) -> dict[str, tuple[float | None, float | None]]:
    """Return Pearson and Spearman of some metrics; a metric that could not be scored has none."""
    found = correlations(panel, 0)
    pairs = {}
    for spec in specs:
        each = found.get(str(parse_spec(several_references(spec, name))))
        pairs[spec] = (
            (None, None) if each is None else (each[Coefficient.PEARSON].value, each[Coefficient.SPEARMAN].value)
        )
    return pairs


def shown(pair: Sequence[float | None]) -> tuple[str, ...]:
    """Print a pair of coefficients."""
    return tuple(number(each) for each in pair)


def published(name: str) -> dict[str, Pair]:
    """Return the paper's Table 3 for a set, by our names."""
    if name in _PAPER["further"]:
        return dict(zip(NAMES, _PAPER["further"][name], strict=True))
    return {spec: KPQA[name]["bert_score" if spec == "bert_score:idf" else spec] for spec in NAMES}


def at_hand(name: str) -> bool:
    """Return whether the file of a set is there."""
    return (DATA / "bench" / "kpqa_human" / f"{name}.csv").exists()


def agreement(settings: Settings) -> list[PaperTable]:
    """Return Tables 3 and 6; the judges, which the paper does not have, stand in a note."""
    columns = ("Pearson", "Spearman")
    tables = []
    for name, title in SETS.items():
        theirs = published(name)
        note = ""
        if at_hand(name):
            ours = pairs_of(scored(name), name, list(NAMES))
            rows = [row(NAMES[spec], shown(ours[spec]), shown(theirs[spec]), differs(spec)) for spec in NAMES]
            note = judges(name, settings)
        else:
            rows = [missing(NAMES[spec], shown(theirs[spec]), UNSEEN) for spec in NAMES]
        tables.append(PaperTable(PAPER, "Table 3", title, columns, tuple(rows), note))
    name = "marcomulti_unilm"
    specs = [spec for spec in NAMES if (spec if spec != "bert_score:idf" else "bert_score") in KPQA[name]]
    ours = pairs_of(scored(name), name, specs)
    rows = []
    for spec in specs:
        pair = KPQA[name]["bert_score" if spec == "bert_score:idf" else spec]
        rows.append(row(NAMES[spec], shown(ours[spec]), shown(pair), differs(spec)))
    title = "MS-MARCO, 100 answers of several sentences"
    tables.append(PaperTable(PAPER, "Table 6", title, columns, tuple(rows), judges(name, settings)))
    return tables


def judges(name: str, settings: Settings) -> str:
    """Measure the learned judges, which the paper does not have."""
    panel = evidence_of_table(score_examples(kpqa_examples(name), ["ava", "lerc"])).panel
    told = []
    for metric, found in correlations(panel, settings.draws).items():
        each = found[Coefficient.PEARSON]
        around = "" if each.interval is None else f" ({number(each.interval.low)} to {number(each.interval.high)})"
        told.append(f"`{metric}` has {number(each.value)}{around} and {number(found[Coefficient.SPEARMAN].value)}")
    return f"For comparison, Pearson with its 95 % interval and Spearman: {', '.join(told)}."


def question(_settings: Settings) -> list[PaperTable]:
    """Return Table 4: without the domain, and without the question."""
    rows: list[Row] = []
    bases = tuple(WITHOUT_QUESTION)
    specs = [*(weighted(base, "kpqa") for base in bases), *(weighted(base, "kp") for base in bases)]
    ours = pairs_of(scored("marco_all"), "marco_all", specs)
    names = [NAMES[weighted(base, "kpqa")] for base in bases]
    for base, name in zip(bases, names, strict=True):
        spec = weighted(base, "kpqa")
        rows.append(row(name, shown(ours[spec]), shown(KPQA["marco_all"][spec]), OWN_WEIGHTS))
    outside = (
        "the same weights: the embedded model is trained without MS-MARCO in any case, and on other sets than the "
        "paper's"
    )
    for base, name in zip(bases, names, strict=True):
        spec = weighted(base, "kpqa")
        rows.append(row(f"{name}, without MS-MARCO", shown(ours[spec]), shown(WITHOUT_MARCO[base]), outside))
    unasked = "a head of the embedded model that was trained without questions, in the place of the paper's BERT-base"
    for base, name in zip(bases, names, strict=True):
        spec = weighted(base, "kp")
        rows.append(row(name.replace("KPQA", "KP"), shown(ours[spec]), shown(WITHOUT_QUESTION[base]), unasked))
    about = "MS-MARCO, by what the weights were trained on and see"
    note = "Other domains are left out one by one on [another page](weights.md#the-effect-of-the-question)."
    return [PaperTable(PAPER, "Table 4", about, ("Pearson", "Spearman"), tuple(rows), note)]


def figure(_settings: Settings) -> list[PaperTable]:
    """Return Figure 1's example."""
    example = Example(
        "1",
        "How many steps are involved in a hypothesis test?",
        (Reference("Four steps are involved in a hypothesis test."),),
        "There are seven steps involved in a hypothesis test .",
    )
    specs = {
        "BLEU-1": ("bleu,n=1,tok=coco", ".778"),
        "BLEU-1-KPQA": ("bleu:kpqa,n=1", ".057"),
        "ROUGE-L": ("rouge_l,tok=coco", ".713"),
        "ROUGE-L-KPQA": ("rouge_l:kpqa", ".127"),
    }
    found = score_examples([example], [spec for spec, _ in specs.values()])
    rows = [
        row(name, [number(found.score(str(parse_spec(spec)), 0).value)], [paper], differs(spec))
        for name, (spec, paper) in specs.items()
    ]
    return [PaperTable(PAPER, "Figure 1", "a wrong answer that people score .063", ("",), tuple(rows))]


def weights(_settings: Settings) -> list[PaperTable]:
    """Return Table 5's example, with the rarity of words counted on all references of MS-MARCO."""
    example = Example(
        "5",
        "How long do i need to walk in order to loose a pound ?",
        (Reference("Walk for 5 to 20 hours to lose 1 pound ."),),
        "You need to walk for 5 to 20 hours in order to loose a pound .",
    )
    specs = {"BERTScore": ("bert_score:idf", ".72"), "BERTScore-KPQA": ("bert_score:kpqa", ".93")}
    found = score_examples([example, *kpqa_examples("marco_all")], [spec for spec, _ in specs.values()])
    rows = [
        row(name, [number(found.score(spec, 0).value, 2)], [paper], differs(spec))
        for name, (spec, paper) in specs.items()
    ]
    about = "a right answer that people score .94"
    note = "`qassay explain` prints the weights of the words, and its page shades them as the table does."
    return [PaperTable(PAPER, "Table 5", about, ("",), tuple(rows), note)]


def types(_settings: Settings) -> list[PaperTable]:
    """Return Figure 4, and how the hundred worst answers fall to the types."""
    panel = scored("marco_all")
    labels = labels_of(kpqa_examples("marco_all"))
    sizes = Counter(labels.tolist())
    found = {label: correlations(panel.where(np.flatnonzero(labels == label)), 0) for label, _ in sizes.most_common()}
    told = "the released file has no types: they are told from the wording of the questions"
    rows = []
    for spec in ("bleu,n=1", "rouge_l", "bert_score:idf", "bleu:kpqa,n=1", "rouge_l:kpqa", "bert_score:kpqa"):
        cells = [number(part[str(parse_spec(spec))][Coefficient.PEARSON].value) for part in found.values()]
        rows.append(row(NAMES[spec], cells, (), told))
    columns = tuple(f"{label} ({sizes[label]})" for label in found)
    note = (
        "The figure has bars and no numbers: in all types the weighted metrics are above the others, most of all in "
        "numeric ones."
    )
    drawn = PaperTable(PAPER, "Figure 4", "MS-MARCO, Pearson by question type", columns, tuple(rows), note)
    ranks = [np.argsort(np.argsort(values)) for values in (panel.judgement, panel.scores["bert_score:kpqa"])]
    worst = Counter(labels[np.argsort(-np.abs(ranks[0] - ranks[1]), kind="stable")[:100]].tolist())
    lines = [row(kind, [str(worst[kind])], [paper], told) for kind, paper in (("numeric", "51"), ("description", "31"))]
    about = "the 100 answers that BERTScore-KPQA and people rank most differently, by type"
    return [drawn, PaperTable(PAPER, "Error analysis", about, ("answers",), tuple(lines))]


def ranking(_settings: Settings) -> list[PaperTable]:
    """Return Table 7: two models' answers ranked as people rank them."""
    asked = {("bert_score:idf" if spec == "bert_score" else spec): spec for spec in RANK_PAIRS["marco_all"]}
    shares = {
        name: {short: found[1] for short, found in pair_shares(name, (*asked, "lerc", "ava")).values()}
        for name in RANK_PAIRS
    }
    rows = []
    for spec, theirs in asked.items():
        cells = [f"{100 * (shares[name][spec].share or 0):.2f}" for name in shares]
        rows.append(row(NAMES[spec], cells, [f"{RANK_PAIRS[name][theirs]:.2f}" for name in shares], differs(spec)))
    told = ", ".join(
        f"`{judge}` {' and '.join(f'{100 * (shares[name][judge].share or 0):.2f} %' for name in shares)}"
        for judge in ("lerc", "ava")
    )
    counted = " and ".join(str(each["ava"].pairs) for each in shares.values())
    note = (
        f"Pairs whose judgements are at least 2 apart: {counted}. On AVSD rows at the same place of the two halves are "
        "paired, which gives the paper's number of pairs, though they answer different questions. "
        "We do not know why the unweighted metrics rank better here than in the paper, though their correlations are "
        f"close to its own. For comparison: {told}."
    )
    columns = ("MS-MARCO, %", "AVSD, %")
    return [PaperTable(PAPER, "Table 7", "pairs of answers ranked as people rank them", columns, tuple(rows), note)]


def halves(name: str) -> dict[str, int]:
    """Return which half of a file is which model's: the released file does not say it, the paper's figures do."""
    lexical = ("bleu,n=1", "rouge_l")
    found = [pairs_of(scored(name, half), name, lexical) for half in (0, 1)]
    first, second = MODELS[name]

    def distance(model: str, half: int) -> float:
        theirs = dict(zip(NAMES, _PAPER["models"][model], strict=True))
        return float(sum(abs((found[half][spec][i] or 0) - theirs[spec][i]) for spec in lexical for i in (0, 1)))

    straight = distance(first, 0) + distance(second, 1)
    crossed = distance(first, 1) + distance(second, 0)
    return {first: 0, second: 1} if straight <= crossed else {first: 1, second: 0}


def models(_settings: Settings) -> list[PaperTable]:
    """Return Tables 8 and 9: the models' quality, and agreement with people by model."""
    quality: list[Row] = []
    by_model = []
    part = "measured on the 500 judged answers of each model, not on the whole validation set"
    for name in MODELS:
        for model, half in halves(name).items():
            examples = kpqa_examples(name)[half * 500 : half * 500 + 500]
            specs = [several_references(spec, name) for spec in ("bleu,n=1", "rouge_l")]
            found = score_examples(examples, specs)
            cells = [f"{100 * float(found.aggregate(spec).value or 0):.1f}" for spec in specs]
            quality.append(row(model, cells, [f"{each:.1f}" for each in _PAPER["quality"][model]], part))
            ours = pairs_of(scored(name, half), name, list(NAMES))
            theirs = dict(zip(NAMES, _PAPER["models"][model], strict=True))
            rows = tuple(row(NAMES[spec], shown(ours[spec]), shown(theirs[spec]), differs(spec)) for spec in NAMES)
            title = f"{'MS-MARCO' if name == 'marco_all' else 'AVSD'}, {model}, 500 answers"
            by_model.append(PaperTable(PAPER, "Table 9", title, ("Pearson", "Spearman"), rows))
    note = (
        "The released files do not name the models; a half is taken for the model whose published figures it comes "
        "closest to."
    )
    about = "quality of the models' answers"
    return [PaperTable(PAPER, "Table 8", about, ("BLEU-1", "ROUGE-L"), tuple(quality), note), *by_model]


def keyphrases(_settings: Settings) -> list[PaperTable]:
    """Return Table 10: F1 of the keyphrase predictor."""
    measured = keyphrase_quality()
    count, f1, _ = measured["squad"]
    other = (
        f"{count:,} rows of SQuAD's development set, held out from our training, in the place of a tenth of its "
        "training set"
    )
    rows = (
        row("SQuAD", [f"{100 * f1:.2f}"], [f"{KEYPHRASE_F1['squad']:.2f}"], other),
        missing("MS-MARCO Q&A", ["59.26"], "MS-MARCO's questions with answers are not among the data"),
    )
    note = f"All {measured['all'][0]:,} held-out rows of eleven sets: {100 * measured['all'][1]:.2f}."
    return [PaperTable(PAPER, "Table 10", "key words found, F1 in per cent", ("",), rows, note)]


def lengths(_settings: Settings) -> list[PaperTable]:
    """Return Table 1 as far as released files allow, and Table 2, which they do not."""
    train = DATA / "train"
    texts = {
        "MS MARCO": _references("marco_all"),
        "AVSD": _references("avsd_all"),
        "NarrativeQA": _narrativeqa(train / "narrativeqa" / "train_references.jsonl"),
        "SemEval": [
            text
            for story in mcscript.read(train / "mcscript" / "train-data.xml")
            for asked in story.questions
            for correct, text in asked.answers
            if correct == "True"
        ],
    }
    sources = {
        "MS MARCO": "references of the judged answers, not of the whole set",
        "AVSD": "references of the judged answers, not of the whole set",
        "NarrativeQA": "references of the training set alone",
        "SemEval": "right answers of the training set (MCScript) alone",
    }
    rows = []
    for name, found in texts.items():
        mean = float(np.mean([len(text.split()) for text in found])) if found else float("nan")
        rows.append(
            row(name, [f"{mean:.1f}" if found else NOTHING, f"{len(found):,}"], _PAPER["lengths"][name], sources[name])
        )
    raw = (
        "the ten ratings of an answer are not released, only their mean; on ratings of one's own, `qassay agree` "
        "measures this"
    )
    people = tuple(missing(name, values, raw) for name, values in _PAPER["people"].items())
    return [
        PaperTable(PAPER, "Table 1", "the data sets", ("words per answer", "answers"), tuple(rows)),
        PaperTable(PAPER, "Table 2", "agreement between annotators", ("alpha", "annotators per answer"), people),
    ]


def _references(name: str) -> list[str]:
    distinct = {(each.question, each.references) for each in kpqa_examples(name)}
    return [reference.text for _, references in sorted(distinct, key=str) for reference in references]


def _narrativeqa(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").split("\n")
    return [text for line in lines if line.strip() for text in json.loads(line)["references"]]
