"""Time the embedded judge beside the encoder alone, and the default metrics in one pass beside one after the other.

    python benchmarks/judge_speed.py [--repeat N] [--every N]

All of KPQA's judged answers, as in `encoder_speed.py`: 2,100 answers, 7,100 pairs of candidate and reference. Every
measurement is a process of its own that has loaded its models before; the best of all repeats counts. Seconds are by
the clock, on all cores: measure on a machine with nothing else to do. `in models` is the share of the processor time,
on one core, inside the calls of encoder, keyphrase head and judge.

- the encoder alone: `bert_score`, whose own part is small
- the default metrics one after the other: the sum of what each takes by itself
"""

import argparse
import os

from encoder_speed import EVERY, answers, measured
from paper_tables import table
from qassay.scoring.defaults import default_metrics

ENCODER = "bert_score"
LEARNED = ("lerc", "ava")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="processes for each measurement")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth answer alone, to save time")
    given = parser.parse_args()
    os.environ[EVERY] = str(given.every)
    examples = answers()
    default = default_metrics(examples[0])
    jobs = {"the encoder alone (`bert_score`)": ENCODER, **{f"`{each}`": each for each in LEARNED}}
    jobs["the default metrics in one pass"] = " ".join(default)
    rows = []
    for title, specs in jobs.items():
        by_clock = measured(f"ours {specs}", given.repeat)["wall"]
        share = measured(f"ours {specs}", 1, one_core=True)["models"]
        rows.append((title, f"{by_clock:.2f}", f"{len(examples) / by_clock:,.0f}", f"{share:.0%}"))
    apart = sum(measured(f"ours {each}", given.repeat)["wall"] for each in default)
    rows.append(("the same one after the other", f"{apart:.2f}", f"{len(examples) / apart:,.0f}", ""))
    pairs = sum(len(each.references) for each in examples)
    print(f"{pairs} pairs of {len(examples)} answers, {len(os.sched_getaffinity(0))} cores")
    table(("", "seconds", "answers a second", "in models"), rows)


if __name__ == "__main__":
    main()
