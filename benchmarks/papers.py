"""Print every table and figure of the papers behind Qassay, our figures beside the published ones.

    python benchmarks/papers.py [PART ...] [--json FILE] [-o PAGE.md] [--work FOLDER] [--models FOLDER]

Parts are measured one by one and kept in the JSON file (docs/measured/papers.json unless said otherwise); the page is
made from all that it holds. Without a PART those are measured that the file lacks; named ones are measured again.
`judge` stands for all parts whose figures depend on the judge's weights (`ava`, `lerc`), `all` for everything and
`none` for the page alone. --list shows the parts; those measured with other weights than the installed ones
are marked, and are to be measured again:

    python benchmarks/papers.py judge -o docs/measured/papers.md

--work is the folder in which SummEval's summaries are scored, which takes the longest (half an hour or more): scores
that are there already are not made again. --models is a folder of AVA's models, as benchmarks/judge.py trains them.
The data is read from $QASSAY_DATA, or from shared/data beside the project.
"""

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import papers_ava
import papers_bonuses
import papers_kpqa
import papers_verification
from paper_rows import STATES, PaperTable, counts, markdown, order, summary
from papers_settings import Settings

KEPT = Path(__file__).resolve().parents[1] / "docs" / "measured" / "papers.json"
PAPERS = {
    papers_bonuses.PAPER: "Adaptations of ROUGE and BLEU to Better Evaluate Machine Reading Comprehension Task",
    papers_kpqa.PAPER: "KPQA: A Metric for Generative Question Answering Using Keyphrase Weights; its slides repeat "
    "Tables 1, 3 and 5 and Figures 1 and 4",
    papers_verification.PAPER: "Benchmarking Answer Verification Methods for Question Answering-Based Summarization "
    "Evaluation Metrics",
    papers_ava.PAPER: "AVA: an Automatic eValuation Approach for Question Answering Systems",
    papers_verification.QAGS: "Asking and Answering Questions to Evaluate the Factual Consistency of Summaries, whose "
    "votes are measured on",
}
PAGE = """# The papers' tables

`python benchmarks/papers.py` measures on the papers' released files and prints this page ([its figures](papers.json)).
For every table, and every figure with numbers behind it: ours, the paper's, and whether ours is measured as published.
*yes* says how it is measured, not that the figures agree; *partly* means with another model or on other data, with the
reason below the table; *no* that it cannot be had, and why. Models are the embedded ones; the papers' BERTScore uses
BERT-large or RoBERTa-large, their keyphrase weights BERT-base, AVA RoBERTa-base.
"""


@dataclass(frozen=True)
class Part:
    """Some tables that are measured together."""

    measure: Callable[[Settings], list[PaperTable]]
    judges: tuple[str, ...] = ()
    """The kinds of `ava` on whose weights the figures depend."""


_JUDGE = ("mini",)
_PEERS = ("a2",)


PARTS: dict[str, Part] = {
    "bonus-examples": Part(papers_bonuses.examples),
    "bonus-agreement": Part(papers_bonuses.agreement),
    "kpqa-example": Part(papers_kpqa.figure),
    "kpqa-lengths": Part(papers_kpqa.lengths),
    "kpqa-agreement": Part(papers_kpqa.agreement, _JUDGE),
    "kpqa-question": Part(papers_kpqa.question),
    "kpqa-weights": Part(papers_kpqa.weights),
    "kpqa-types": Part(papers_kpqa.types),
    "kpqa-ranking": Part(papers_kpqa.ranking, _JUDGE),
    "kpqa-models": Part(papers_kpqa.models),
    "kpqa-keyphrases": Part(papers_kpqa.keyphrases),
    "verification": Part(papers_verification.verification, _JUDGE),
    "distributions": Part(papers_verification.distributions, _JUDGE),
    "paraphrases": Part(papers_verification.paraphrases, _JUDGE),
    "summaries": Part(papers_verification.summaries, _JUDGE),
    "qags": Part(papers_verification.qags),
    "ava-example": Part(papers_ava.example, _PEERS),
    "ava-pairs": Part(papers_ava.pairs),
    "ava-models": Part(papers_ava.models, ("a1", "a2")),
    "ava-rankers": Part(papers_ava.rankers, _PEERS),
    "ava-systems": Part(papers_ava.systems, _PEERS),
    "ava-failures": Part(papers_ava.failures, _PEERS),
}


def judge_weights(kinds: Sequence[str] = _JUDGE) -> str:
    """Return the identity of the installed judges' weights."""
    from qassay.models.load import load_judge  # noqa: PLC0415 - only where a part is measured

    return "+".join(load_judge(kind=kind).fingerprint for kind in kinds)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is asked for, and print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[*PARTS, "judge", "all", "none", []])
    parser.add_argument("--json", type=Path, default=KEPT, help="where figures are kept")
    parser.add_argument("-o", "--output", type=Path, help="write the page to this file instead of printing it")
    parser.add_argument("--work", type=Path, default=Path("papers-work"), help="where SummEval is scored")
    parser.add_argument("--models", type=Path, help="a folder of folders that `qassay train ava` wrote")
    parser.add_argument("--bootstrap", type=int, default=1000, help="resamples for intervals")
    parser.add_argument("--list", action="store_true", help="list the parts and end")
    given = parser.parse_args(arguments)
    kept: dict[str, Any] = json.loads(given.json.read_text(encoding="utf-8")) if given.json.exists() else {}
    if given.list:
        for name in PARTS:
            print(f"{name:17} {state_of(name, kept)}")
        return
    settings = Settings(given.work, given.models, given.bootstrap)
    for name in wanted(given.parts, kept):
        started = time.monotonic()
        with contextlib.redirect_stdout(sys.stderr):
            tables = PARTS[name].measure(settings)
        print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr)
        kept[name] = {"tables": [each.stored() for each in tables]}
        if judges := PARTS[name].judges:
            kept[name]["judge"] = judge_weights(judges)
        ordered = {each: kept[each] for each in PARTS if each in kept}
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    text = page(kept)
    if given.output:
        given.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


def wanted(named: Sequence[str], kept: dict[str, Any]) -> list[str]:
    """Name the parts to measure, in their order."""
    if not named:
        return [name for name in PARTS if name not in kept]
    judged = "judge" in named
    return [name for name in PARTS if "all" in named or name in named or (judged and PARTS[name].judges == _JUDGE)]


def state_of(name: str, kept: dict[str, Any]) -> str:
    """Return whether a part is measured, and with which weights."""
    if name not in kept:
        return "not measured"
    judges = PARTS[name].judges
    if judges and kept[name]["judge"] != judge_weights(judges):
        return "measured with other weights of the judge: measure it again"
    return "measured, depends on the judge" if judges else "measured"


def page(kept: dict[str, Any]) -> str:
    """Write the page from all that is kept."""
    tables = [PaperTable.read(each) for name in PARTS for each in kept.get(name, {}).get("tables", ())]
    tables.sort(key=lambda each: (list(PAPERS).index(each.paper), order(each)))
    found = counts(tables)
    parts = [PAGE, f"Of {found.total()} rows {', '.join(_counted(found[state], state) for state in STATES)}.\n"]
    if lacking := [f"`{name}`" for name in PARTS if name not in kept]:
        parts.append(f"Not measured yet: {', '.join(lacking)}.\n")
    parts.append(summary(tables) + "\n")
    for paper, title in PAPERS.items():
        own = [each for each in tables if each.paper == paper]
        if own:
            parts.append(f"## {paper}\n\n{title}.\n")
            parts += [markdown(each) + "\n" for each in own]
    return "\n".join(parts)


def _counted(count: int, state: str) -> str:
    words = {"yes": "measured as published", "partly": "partly", "no": "not"}
    return f"{count} are {words[state]}" if state == STATES[0] else f"{count} {words[state]}"


if __name__ == "__main__":
    main()
