"""A fixture for pytest that fails a test when answers have become worse."""

from __future__ import annotations

import warnings
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from qassay.api.compare import ComparisonResult

    Rows = str | Path | Iterable[Mapping[str, Any]]

BASELINE, NEW = "baseline", "new"
SHOWN = 3
"""How many of the worst answers a failure explains."""


@pytest.fixture
def qassay_gate() -> Callable[..., None]:
    """Return `gate`, which compares answers with those of a baseline."""
    return gate


def gate(
    rows: Rows,
    baseline: Rows,
    metric: str | Sequence[str] = "ava",
    *,
    margin: float = 0.0,
    alpha: float = 0.05,
    cluster: str | None = None,
) -> None:
    """Fail if the answers score worse than the baseline's by more than `margin`, beyond chance, by any of the metrics.

    Both are rows or files, of the same questions. Chance is tested as by `qassay compare --fail-if worse`, at level
    `alpha`; several samples of a question need `cluster="question"`. The failure explains the answers that lost most.
    Input that cannot be compared fails with one line, and warnings tell which questions were left out, and what else a
    reader of the scores should know.
    """
    import qassay  # noqa: PLC0415 - only tests that use the gate load it

    __tracebackhide__ = True
    problem = ""
    try:
        answers = [*_named(baseline, BASELINE), *_named(rows, NEW)]
        found = qassay.compare(answers, metric, cluster=cluster, on_error="skip")
        tests = found.gate("worse", margin=margin, alpha=alpha).tests
    except qassay.QassayError as fault:
        problem = f"qassay_gate: {fault}"
    if problem:
        # Outside of the handler, so that no chain of exceptions is shown.
        pytest.fail(problem, pytrace=False)
    for note, count in found.table.notes.items():
        warnings.warn(f"qassay_gate: {note}: {count:,}", stacklevel=2)
    shared = {system: {each["id"] for each in answers if each["system"] == system} for system in (BASELINE, NEW)}
    apart = len(shared[BASELINE] ^ shared[NEW])
    for test in tests:
        unscored = _unscored(found, test.metric)
        if test.failed:
            shown = "" if test.p is None or test.p > alpha else f"\n{_explanations(answers, test.metric)}"
            pytest.fail(f"{test.reason}{unscored}{shown}", pytrace=False)
        if left_out := test.left_out + apart:
            warnings.warn(f"{test.metric}: questions left out: {left_out:,}{unscored}", stacklevel=2)


def _unscored(found: ComparisonResult, metric: str) -> str:
    """Return how many answers of each side have no score by a metric, and why."""
    return "".join(
        f"; {each.unscored:,} answers of {each.system} have no score ({', '.join(each.reasons)})"
        for each in found.table.aggregates
        if each.metric == metric and each.unscored
    )


def _named(rows: Rows, system: str) -> list[dict[str, Any]]:
    """Return the answers of one side as rows; raise `DataError`, which names the side, if one cannot be read."""
    from qassay.api.inputs import input_row, read_answers, read_options  # noqa: PLC0415 - as above
    from qassay.errors import DataError  # noqa: PLC0415 - as above

    try:
        examples, _ = read_answers(rows, read_options("auto", None, system, "stop"))
    except DataError as fault:
        raise DataError(f"{system}: {fault.message}") from fault
    return [{**input_row(each), "system": system} for each in examples]


def _explanations(answers: list[dict[str, Any]], metric: str) -> str:
    """Return what `qassay explain` shows of the answers that lost most against the baseline."""
    from rich.console import Console  # noqa: PLC0415 - only for a failure

    import qassay  # noqa: PLC0415 - as above
    from qassay.report.explain.render import print_explanation  # noqa: PLC0415 - as above

    table = qassay.score(answers, metric, intervals=False, on_error="skip")
    values = {(each.system, each.id): table.score(metric, i).value for i, each in enumerate(table.examples)}
    losses = {
        name: value - before
        for (system, name), value in values.items()
        if system == NEW and value is not None and (before := values.get((BASELINE, name))) is not None
    }
    shown = StringIO()
    console = Console(file=shown, width=100, color_system=None)
    for name in sorted(losses, key=losses.__getitem__)[:SHOWN]:
        console.print(f"\n{name}: {losses[name]:+.4f} against the baseline", markup=False)
        console.print(print_explanation(qassay.explain(answers, metric, id=name, system=NEW).explanation))
    return shown.getvalue()
