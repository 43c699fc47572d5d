import io

import pytest
from rich.console import Console

from qassay.meta.agreement.rating_study import study_ratings
from qassay.meta.agreement.ratings import Ratings
from qassay.report.terminal.agreement import annotators_table


def printed(rows, **options):
    items, people, values = zip(*rows, strict=True)
    study = study_ratings(Ratings.build([(each, "") for each in items], people, values), draws=0, **options)
    console = Console(file=io.StringIO(), width=100)
    console.print(annotators_table(study))
    return console.file.getvalue()


def test_counts_and_alphas_stand_above_the_annotators():
    """Before and after cleaning."""
    rows = [(f"q{i}", who, float((i + (who == "dan") * 3) % 5)) for i in range(10) for who in ("ann", "bob", "dan")]
    table = printed(rows)
    assert "30, 10 removed as noise, 2.00 left per item" in table
    assert "alpha, cleaned" in table
    assert table.index("mean pairwise Pearson") < table.index("ann ")


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([("q1", "ann", 1.0), ("q2", "ann", 2.0)], "undefined: no item has two ratings"),
        ([(f"q{i}", who, 3.0) for i in range(4) for who in "ab"], "undefined: all ratings are equal"),
    ],
)
def test_undefined_numbers_say_why(rows, reason):
    """Words, not NaN."""
    table = printed(rows)
    assert reason in table
    assert "nan" not in table.lower()


def test_names_are_printed_as_they_are():
    """Square brackets in a name are no markup."""
    assert "[bold]x[/bold]" in printed([("q1", "[bold]x[/bold]", 1.0), ("q1", "b", 2.0)])


def test_of_many_annotators_the_noisiest_are_listed():
    """Those who had most removed come first, and the rest is counted."""
    rows = [("q1", f"w{j}", 1.0) for j in range(28)] + [("q1", "noisy", 5.0), ("q1", "loud", 5.0)]
    table = printed(rows)
    assert table.index("noisy") < table.index("loud") < table.index("w0 ")
    assert "10 more with --json" in table
