"""FactCC and `faithful`: agreement with people, composed claims of unseen articles, and speed.

    python benchmarks/consistency.py people [--json FILE] [--beside]
    python benchmarks/consistency.py claims [--json FILE]
    python benchmarks/consistency.py answers [--json FILE]
    python benchmarks/consistency.py speed [--json FILE]

- people: `factcc` on SummEval's consistency (all summaries, in the form of Table 3 of Deutsch and Roth 2022, whose
  figures stand beside) and on QAGS's sentences, CNN/DM and XSum; with `--beside` also FEQA, ROUGE and BERTScore, which
  take longer
- claims: claims that `qassay build consistency` makes of the test side's articles, which no training saw: area under
  the curve, all together, by what was done to make a claim, and by source; and how often the spans are right
- answers: `faithful` on answers of three such claims, with their document among two others as contexts: single
  sentences, and whole answers that are all supported or not
- speed: summaries and documents a second on SummEval, and the time of one claim against 100,000 words

Every part takes `--model FOLDER` for another head than the embedded one.
"""

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qassay import score_summaries
from qassay.features.batch import Batch
from qassay.features.resources import Resources
from qassay.meta.correlation.levels import Level
from qassay.metrics.registry import create
from qassay.models.base import EMBEDDED
from qassay.models.load_readers import load_chunker, load_consistency
from qassay.models.question_model_names import Models
from qassay.records import Example
from qassay.training.consistency.build import Maker, side_of, tags_of
from qassay.training.consistency.quality import area, measure
from qassay.training.consistency.rewordings import Synonyms
from qassay.training.consistency.rows import DocumentRow
from qassay.training.consistency.texts import read_passages
from summaries import DATA, panel_of, qags_rows, summeval_rows, table

TRAIN = DATA.parent / "train"
SYNONYMS = DATA.parent / "resources" / "oewn" / "synsets.tsv"
PUBLISHED = {
    "rouge_1": (0.13, 0.13, 0.11),
    "rouge_2": (0.25, 0.25, 0.19),
    "bert_score": (0.17, 0.17, 0.14),
    "factcc": (0.34, 0.36, 0.29),
    "feqa,verify=exact_match": (0.17, 0.14, 0.11),
    "feqa,verify=token_f1": (0.20, 0.16, 0.13),
    "feqa": (0.18, 0.15, 0.12),
}
"""Deutsch and Roth (2022), Table 3: Pearson, Spearman and Kendall over all summaries; FactCCX .29, .31, .24."""
BESIDE = ("feqa", "feqa,verify=token_f1", "rouge_1", "rouge_2", "bert_score")
SENTENCES = 3
"""Of a composed answer."""
CHECKED = 6000
"""Claims that are checked, of all that are made."""


def people(model: str, *, beside: bool) -> dict[str, Any]:
    """Correlate scores with what people said of consistency."""
    found: dict[str, Any] = {}
    for name, rows, judgement in (
        ("SummEval", list(summeval_rows(references=1)), "consistency"),
        ("QAGS, CNN/DM", list(qags_rows("cnndm")), "judgement"),
        ("QAGS, XSum", list(qags_rows("xsum")), "judgement"),
    ):
        specs = ["factcc"]
        if beside:
            specs += [spec for spec in BESIDE if rows[0].get("references") or spec.startswith("feqa")]
        scored = score_summaries(rows, specs, models=Models(model=model), on_error="skip")
        judged = list(scored.scored_rows())
        title = f"{name}, consistency, n = {len(judged)}"
        published = PUBLISHED if judgement == "consistency" else {}
        found[title] = table(title, panel_of(judged, judgement, list(judged[0].scores)), Level.ANSWER, published)
    return found


def test_rows() -> list[DocumentRow]:
    """Make claims of the articles that are kept for the test."""
    passages = [each for each in read_passages(TRAIN, Counter()) if side_of(each.group) == "test"]
    chunker = load_chunker()
    synonyms = Synonyms(SYNONYMS if SYNONYMS.is_file() else None, chunker.knows)
    return Maker(tags_of(passages, chunker), synonyms, np.random.default_rng(1)).make(passages).sides["test"]


def claims(model: str) -> dict[str, Any]:
    """Check claims of unseen articles."""
    pairs = [(claim, row) for row in test_rows() for claim in row.claims]
    pairs = pairs[:: max(1, len(pairs) // CHECKED)]
    checker = load_consistency(model)
    verdicts = checker.check([(claim.text, row.document) for claim, row in pairs])
    likely = np.array([verdict.consistent for verdict in verdicts])
    truth = np.array([claim.consistent for claim, _ in pairs])
    quality = measure(verdicts, [claim for claim, _ in pairs])
    print(
        f"{quality.n} claims of {len({row.group for _, row in pairs})} articles, {truth.mean():.1%} consistent: "
        f"AUC {quality.auc:.3f}, accuracy {quality.accuracy:.3f}; spans that are wrong found {quality.wrong:.3f}, "
        f"support {quality.support:.3f}"
    )
    found: dict[str, Any] = {"n": quality.n, "auc": quality.auc, "accuracy": quality.accuracy}
    found |= {"wrong": quality.wrong, "support": quality.support}
    kinds = np.array([claim.kind for claim, _ in pairs])
    print(f"\n{'not consistent':16}{'n':>6}    AUC against all consistent claims")
    for kind in sorted(set(kinds[~truth])):
        rows = truth | (kinds == kind)
        found[f"not {kind}"] = area(likely[rows], truth[rows])
        print(f"{kind:16}{int(((kinds == kind) & ~truth).sum()):6}{found[f'not {kind}']:8.3f}")
    print(f"\n{'consistent':16}{'n':>6}    AUC against all others")
    for kind in sorted(set(kinds[truth])):
        rows = ~truth | (kinds == kind)
        found[kind] = area(likely[rows], truth[rows])
        print(f"{kind:16}{int(((kinds == kind) & truth).sum()):6}{found[kind]:8.3f}")
    sources = np.array([row.source for _, row in pairs])
    print(f"\n{'source':16}{'n':>6}    AUC")
    for source in sorted(set(sources)):
        rows = sources == source
        found[f"source {source}"] = area(likely[rows], truth[rows])
        print(f"{source:16}{int(rows.sum()):6}{found[f'source {source}']:8.3f}")
    return found


def answers(model: str) -> dict[str, Any]:
    """Check answers of several sentences against three contexts."""
    rows = [row for row in test_rows() if len(row.claims) >= SENTENCES]
    rng = np.random.default_rng(2)
    metric = create(f"faithful,model={model}")
    examples, truths = [], []
    for number, row in enumerate(rows[:: max(1, SENTENCES * len(rows) // CHECKED)]):
        # Statements alone: a question before an answer is another sentence.
        usable = [claim for claim in row.claims if claim.kind not in {"answer", "garbled"}]
        # In half of the answers every sentence is supported.
        right = [claim for claim in usable if claim.consistent]
        pool = right if number % 2 else usable
        drawn = [pool[i] for i in rng.permutation(len(pool))[:SENTENCES].tolist()]
        others = [rows[i].document for i in rng.integers(len(rows), size=2).tolist() if rows[i].group != row.group]
        contexts = [others[0], row.document, *others[1:]] if others else [row.document]
        text = " ".join(claim.text if claim.text.endswith((".", "!", "?")) else f"{claim.text}." for claim in drawn)
        if drawn:
            examples.append(Example(str(number), "", (), text, extra={"contexts": contexts}))
            truths.append([claim.consistent for claim in drawn])
    batch = Batch(examples, Resources())
    broken = metric.explain(batch)
    # A sentence that was cut in two cannot be matched with its claim.
    pairs = [(each.claims, truth) for each, truth in zip(broken, truths, strict=True) if len(each.claims) == len(truth)]
    likely = np.array([claim.consistent for found, _ in pairs for claim in found])
    truth = np.array([each for _, known in pairs for each in known])
    means = np.array([np.mean([claim.consistent for claim in found]) for found, _ in pairs])
    whole = np.array([all(known) for _, known in pairs])
    result = {"sentences": area(likely, truth), "answers": area(means, whole), "n": len(truth), "whole": len(whole)}
    print(f"{len(truth)} sentences: AUC {result['sentences']:.3f}; {len(whole)} answers: AUC {result['answers']:.3f}")
    return result


def speed(model: str) -> dict[str, float]:
    """Time whole summaries, and one claim against a very long document."""
    rows = [row for i, row in enumerate(summeval_rows(references=1)) if i % 16 == 0]
    score_summaries(rows[:2], ["factcc"], models=Models(model=model))
    begun = time.perf_counter()
    score_summaries(rows, ["factcc"], models=Models(model=model))
    taken = time.perf_counter() - begun
    words = " ".join(row["document"] for row in rows * 10).split()[:100_000]
    begun = time.perf_counter()
    load_consistency(model).check([(rows[0]["summary"][:200], " ".join(words))])
    long = time.perf_counter() - begun
    print(f"{len(rows) / taken:.1f} documents with a summary a second; one claim on {len(words):,} words: {long:.1f} s")
    return {"documents a second": len(rows) / taken, "seconds of 100,000 words": long}


def main(given: Sequence[str] | None = None) -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["people", "claims", "answers", "speed"])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--model", default=EMBEDDED)
    parser.add_argument("--beside", action="store_true")
    options = parser.parse_args(given)
    if options.part == "people":
        found = people(options.model, beside=options.beside)
    else:
        found = {"claims": claims, "answers": answers, "speed": speed}[options.part](options.model)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    main()
