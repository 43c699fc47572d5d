import pytest

from qassay.training.chunker.question_kinds import question_kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who painted it?", "person"),
        ("Which king ruled in 1200?", "person"),
        ("Where was it sold?", "place"),
        ("What city is it in?", "place"),
        ("When did it end?", "time"),
        ("In what year did it end?", "time"),
        ("How many people came?", "count"),
        ("What is the population of Rome?", "count"),
        ("How long did it last?", "duration"),
        ("How much did it cost?", "amount"),
        ("Why did they leave?", "reason"),
        ("How was it made?", "manner"),
        ("What did he paint?", "thing"),
        ("Is it true?", None),
    ],
)
def test_the_kind_of_a_question_is_told_from_its_wording(question, kind):
    """What is asked for decides, not the first word alone."""
    assert question_kind(question) == kind
