"""Yang et al. (2018): bonuses for opinions and entities in BLEU and ROUGE-L."""

from importlib.resources import files

import numpy as np

from paper_rows import PaperTable, Row, missing, number, row
from paper_tables import curve_points
from papers_settings import PUBLISHED, Settings
from qassay.features.batch import Batch
from qassay.io.input_stream import Reader
from qassay.metrics.registry import create
from qassay.records import Example, Opinion, Reference
from qassay.scoring.scorer import score_examples

PAPER = "Yang et al. 2018"
NOT_PUBLIC = (
    "the submissions of five systems to the MRC2018 challenge and their judgements are not public; on judgements "
    "of one's own, "
    "`qassay agree --by question_type` measures this"
)
CORRELATED = (
    "the submissions and their judgements are not public; on answers of one's own, `qassay correlate --by "
    "question_type` "
    "measures this"
)
INVENTED = "measured on the packaged example answers, whose judgements are invented"
ROPE = Example(
    "rope",
    "Is skipping rope an aerobic exercise?",
    (
        Reference("Skipping rope is a kind of aerobic exercise with low intensity.", Opinion.YES),
        Reference(
            "Skipping rope can be regarded as an aerobic exercise only when skipping for a long time.", Opinion.DEPENDS
        ),
    ),
    "Skipping rope is an aerobic exercise.",
    opinion=Opinion.YES,
)
QIN = Example(
    "qin",
    "How long did it take for Qin Dynasty to unify China?",
    (Reference("Qin unified China in ten years, from 230 BC to 221 BC."),),
    "Qin unified China in 221 BC after the war against other kingdoms which lasted ten years.",
    entities=("ten years", "230 BC", "221 BC"),
)
_PAPER = PUBLISHED["bonuses"]


def bigram_precision(spec: str, example: Example) -> float:
    """Read P2 from the statistics of BLEU-2: hits and totals of unigrams and bigrams, then the lengths."""
    stats = create(spec).stats(Batch((example,)))[0]
    return float(stats[1] / stats[3])


def score(spec: str, example: Example) -> float:
    """Score one answer."""
    return float(score_examples([example], [spec]).score(spec, 0).value or np.nan)


def examples(_settings: Settings) -> list[PaperTable]:
    """Return the worked examples of section 3."""
    unrounded = "the paper calculates with rounded precision and recall"
    other_length = "the printed value is that without the full stop, which the paper counts elsewhere"
    rows: list[Row] = [
        row("example 1, P2", [number(bigram_precision("bleu,n=2", ROPE), 2)], [".67"]),
        row("example 1, adapted P2", [number(bigram_precision("bleu,n=2,yesno=1", ROPE), 2)], [".78"]),
        row("example 2, P2", [number(bigram_precision("bleu,n=2", QIN), 2)], [".31"]),
        row("example 2, adapted P2", [number(bigram_precision("bleu,n=2,entity=1", QIN), 2)], [".39"]),
        row("example 3, adapted precision", [number(score("rouge_l,stat=p,yesno=1", ROPE), 2)], [".92"]),
        row("example 3, adapted recall", [number(score("rouge_l,stat=r,yesno=1", ROPE), 2)], [".67"]),
        row("example 3, ROUGE-L", [number(score("rouge_l,beta=1", ROPE), 2)], [".59"], other_length),
        row("example 3, adapted ROUGE-L", [number(score("rouge_l,beta=1,yesno=1", ROPE), 2)], [".78"], unrounded),
        row("example 4, adapted precision", [number(score("rouge_l,stat=p,entity=1", QIN), 2)], [".52"]),
        row("example 4, adapted recall", [number(score("rouge_l,stat=r,entity=1", QIN), 2)], [".61"]),
        row("example 4, ROUGE-L", [number(score("rouge_l,beta=1", QIN), 2)], [".45"]),
        row("example 4, adapted ROUGE-L", [number(score("rouge_l,beta=1,entity=1", QIN), 2)], [".56"]),
    ]
    return [PaperTable(PAPER, "Examples 1 to 4", "adapted BLEU and ROUGE-L, step by step", ("",), tuple(rows))]


def agreement(_settings: Settings) -> list[PaperTable]:
    """Return the tables of correlations, and the curves of Figures 1 and 2."""
    kinds = ("yes-no", "entity", "overall")
    tables = [
        PaperTable(
            PAPER,
            "Table 1",
            "Pearson between two annotators",
            tuple(_PAPER["annotators"]),
            (missing("annotators", [number(each) for each in _PAPER["annotators"].values()], NOT_PUBLIC),),
        )
    ]
    for name, about, published in (
        ("Table 2", "Pearson with people, single questions", _PAPER["single"]),
        ("Table 3", "Pearson with people, scores of 30 questions (`--level overall`)", _PAPER["overall"]),
    ):
        rows = tuple(
            missing(metric, [number(each) for each in values], CORRELATED) for metric, values in published.items()
        )
        tables.append(PaperTable(PAPER, name, about, kinds, rows))
    demo = list(Reader([str(files("qassay").joinpath("assets", "demo.jsonl"))]))
    for name, specs, swept, part in (
        ("Figure 1", ("rouge_l,entity=1", "bleu,entity=1"), "yesno=0:4:1", "yes-no"),
        ("Figure 2", ("rouge_l,yesno=2", "bleu,yesno=2"), "entity=0:4:1", "list"),
    ):
        points = curve_points(demo, specs, swept, part)
        values = list(dict.fromkeys(each.value for each in points))
        found = {(each.metric, each.value): each.correlation for each in points}
        rows = tuple(
            row(f"`{metric}`", [number(found[metric, value]) for value in values], (), INVENTED)
            for metric in dict.fromkeys(each.metric for each in points)
        )
        param = points[0].param
        about = f"Pearson on {'yes-no answers' if part == 'yes-no' else 'lists'} against the weight of the bonus"
        columns = tuple(f"`{param}={value:g}`" for value in values)
        note = "The figure has curves and no numbers: all rise with the weight."
        tables.append(PaperTable(PAPER, name, about, columns, rows, note))
    return tables
