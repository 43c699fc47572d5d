"""Feeds damaged files to every reader: nothing but a `DataError` may come out.

    python benchmarks/fuzz_readers.py [LINES] [SEED]

Each round takes a small valid file, damages some of its lines, and reads it with and without `--on-error skip`,
as the format it was and as whatever it now looks like.
"""

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions

FIXTURES = Path(__file__).parents[1] / "tests" / "io" / "fixtures"
LINES = 100_000
COPIES = 8
"""How often a file's lines are repeated, so that damage falls between sound lines too."""

# Each file with those that must stand before and after it for a sound reading.
CASES: Sequence[tuple[str, str, tuple[str, ...]]] = (
    ("jsonl", "answers.jsonl", ()),
    ("json", "answers.json", ()),
    ("csv", "answers.csv", ()),
    ("tsv", "answers.tsv", ()),
    ("kpqa", "kpqa.csv", ()),
    ("squad", "squad.json", ("squad-alpha.json",)),
    ("dureader", "dureader.json", ("dureader-results.json",)),
    ("evouna", "evouna.json", ()),
    ("as2", "as2-documents.tsv", ()),
    ("as2", "as2.tsv", ()),
    ("trec", "trec.xml", ()),
    ("openqa", "openqa-golds.tsv", ("openqa-verdicts.tsv",)),
)
NASTY = (
    *(b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n", b"\t", b",", b'"', b'""', b"'", b"\\"),
    *(b"[", b"]", b"{", b"}", b"[" * 3000, b"{" * 50, b":", b"null", b"true", b"NaN", b"-Infinity", b"1e999"),
    *(b"9" * 5000, b"\\ud800", b"\\u0000", b'"\\udc00"', b'{"a":1}', b"[[]]", b"<QApairs id='1'>", b"</QApairs>"),
    *(b"\xe5\xb7\xb4", b"\xf0\x9f\x98\x80", b" " * 100, b"<question>", b'"references"', b'"candidate": 5', b"0x"),
)


@dataclass
class Findings:
    """What came of the damaged lines."""

    lines: int = 0
    readings: int = 0
    refused: int = 0
    read: Counter[str] = field(default_factory=Counter)
    crashes: list[str] = field(default_factory=list)


def damage(line: bytes, rng: random.Random) -> bytes:
    """Change a line in one to four places."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(line))
        match rng.randrange(6):
            case 0:
                line = line[:at] + rng.choice(NASTY) + line[at:]
            case 1:
                line = line[:at] + line[at + rng.randint(1, 8) :]
            case 2:
                line = line[:at] + bytes([rng.randrange(256)]) + line[at + 1 :]
            case 3:
                line = line[:at]
            case 4:
                start = rng.randint(0, len(line))
                line = line[:at] + line[start : start + 20] + line[at:]
            case _:
                line = line[:at] + rng.choice(NASTY) + line[at + rng.randint(1, 30) :]
    return line


def fuzz(lines: int, seed: int) -> Findings:
    """Damage this many lines and read them all."""
    rng = random.Random(seed)
    findings = Findings()
    with tempfile.TemporaryDirectory() as folder:
        while findings.lines < lines:
            name, file, others = rng.choice(CASES)
            damaged, count = _damaged(name, FIXTURES / file, rng)
            findings.lines += count
            path = Path(folder) / file
            path.write_bytes(damaged)
            inputs = [path, *(FIXTURES / other for other in others)]
            if others and rng.random() < 0.5:  # noqa: PLR2004 - as often the questions as the answers
                path.write_bytes((FIXTURES / file).read_bytes())
                inputs[1] = Path(folder) / others[0]
                inputs[1].write_bytes(_damaged(name, FIXTURES / others[0], rng)[0])
            for format_name in (name, "auto"):
                _read(inputs, format_name, findings, damaged)
    return findings


def _damaged(name: str, path: Path, rng: random.Random) -> tuple[bytes, int]:
    lines = path.read_bytes().split(b"\n")
    if name == "jsonl":
        lines *= COPIES
    count = 0
    for at in range(len(lines)):
        if rng.random() < 0.4:  # noqa: PLR2004 - leaves sound lines between the damaged
            lines[at] = damage(lines[at], rng)
            count += 1
    return b"\n".join(lines), count


def _read(inputs: Sequence[Path], format_name: str, findings: Findings, damaged: bytes) -> None:
    policies: tuple[Literal["stop", "skip"], ...] = ("stop", "skip")
    for policy in policies:
        findings.readings += 1
        try:
            for example in Reader(inputs, ReadOptions(format=format_name, on_error=policy)):
                findings.read[format_name] += 1
                f"{example}".encode()
        except DataError as error:
            findings.refused += 1
            f"{error}".encode()
        except Exception as error:  # noqa: BLE001 - finding these is the purpose
            findings.crashes.append(f"{format_name} {policy}: {error!r} on {damaged[:300]!r}")


def main(lines: int = LINES, seed: int = 1) -> int:
    """Run and print what came out."""
    start = time.perf_counter()
    findings = fuzz(lines, seed)
    print(f"{findings.lines:,} damaged lines in {findings.readings:,} readings, seed {seed}")
    print(f"{findings.refused:,} readings ended with a DataError, {findings.read.total():,} examples were read")
    print(f"{len(findings.crashes)} crashes, {time.perf_counter() - start:.0f} s")
    for crash in findings.crashes[:10]:
        print(crash)
    return 1 if findings.crashes else 0


if __name__ == "__main__":
    sys.exit(main(*(int(argument) for argument in sys.argv[1:])))
