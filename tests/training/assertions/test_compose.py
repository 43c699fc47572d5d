"""Answers composed to tell what is asserted from what is named."""

import numpy as np
import pytest

from qassay.training.assertions import compose
from qassay.training.assertions.facts import Fact, Rivals, kind_of
from qassay.training.assertions.frames import fill, frames, join, wrap
from qassay.training.assertions.rows import Said

SENTENCE = "Carmen was written by Georges Bizet, whom Jules Massenet admired."
FACT = Fact(
    "Who wrote Carmen?",
    "Georges Bizet",
    SENTENCE,
    (SENTENCE.index("Georges"), SENTENCE.index("Georges") + len("Georges Bizet")),
    "test",
    "question:who wrote carmen",
    ("In 1875 Georges Bizet died.",),
    ("The opera failed at first.",),
)
RIVALS = ("Charles Gounod", "Leo Delibes")


def words(said: Said) -> list[str]:
    """Return the asserted words."""
    return [said.text[start:end] for start, end in said.spans]


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator that draws the same in every run."""
    return np.random.default_rng(3)


@pytest.mark.parametrize("name", ["contrast", "hedge", "mention", "restated", "beside_statement", "beside_sentence"])
def test_every_frame_is_filled_both_ways(name, rng):
    """The right answer asserts the gold, the wrong one the rival, and both are equally many."""
    made = list(compose.COMPOSERS[name][0](FACT, RIVALS, rng))
    assert [(words(said)[0].lower(), label) for said, label in made] in (
        [("georges bizet", 1.0), ("charles gounod", 0.0)],
        [("charles gounod", 0.0), ("georges bizet", 1.0)],
    )


def test_a_denial_asserts_nothing(rng):
    """To say that it is not X is wrong, whoever X is, and marks no words."""
    denied, right, wrong = compose.denial(FACT, RIVALS, rng)
    assert (denied[0].spans, denied[1]) == ((), 0.0)
    assert words(right[0])[-1] == "Georges Bizet"
    assert words(wrong[0])[-1] == "Charles Gounod"


def test_options_without_a_choice_are_wrong(rng):
    """Naming the answer among others is no answer."""
    open_, right, wrong = compose.options(FACT, RIVALS, rng)
    assert open_[1] == 0.0
    assert not open_[0].spans
    assert "Georges Bizet" in open_[0].text
    assert (right[1], wrong[1]) == (1.0, 0.0)


def test_names_of_a_sentence_are_exchanged(rng):
    """What stood elsewhere in the sentence takes the answer's place, and is asserted there."""
    wrong, right = compose.exchanged(FACT, RIVALS, rng)
    assert wrong[0].text == "Carmen was written by Jules Massenet, whom Georges Bizet admired."
    assert words(wrong[0]) == ["Jules Massenet"]
    assert words(right[0]) == ["Georges Bizet"]


def test_an_exchange_with_a_name_before_the_answer_marks_the_right_place(rng):
    """The other name is shorter, so that the answer's place moves."""
    text = "At first young Liszt taught Tausig."
    span = (text.index("Tausig"), len(text) - 1)
    fact = FACT._replace(question="Who was taught?", gold="Tausig", sentence=text, span=span)
    wrong, _ = compose.exchanged(fact, RIVALS, rng)
    assert (wrong[0].text, words(wrong[0])) == ("At first young Tausig taught Liszt.", ["Liszt"])


def test_lists_keep_their_items_or_not(rng):
    """In another order a list is right; with an item dropped, replaced or added it is wrong."""
    fact = FACT._replace(gold="Bizet, Gounod and Massenet")
    (right, one), (wrong, zero) = compose.written_lists(fact, ("Verdi", "Puccini"), rng)
    assert (one, zero) == (1.0, 0.0)
    assert all(name in right.text for name in ("Bizet", "Gounod", "Massenet"))
    assert "Verdi" in wrong.text or not all(name in wrong.text for name in ("Bizet", "Gounod", "Massenet"))


@pytest.mark.parametrize(
    ("text", "items"),
    [("red, white and blue", ["red", "white", "blue"]), ("Paris", []), ("a long clause that goes on, and another", [])],
)
def test_only_short_items_make_a_list(text, items):
    """A comma alone makes no enumeration."""
    assert compose.list_items(text) == items


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ("Who wrote it?", "Bizet", "person"),
        ("where is it", "Paris", "place"),
        ("When was it?", "in 1875", "date"),
        ("How many are there?", "12", "number"),
        ("What is it?", "an opera", "thing"),
    ],
)
def test_answers_are_of_a_kind(question, answer, kind):
    """The kind follows from the question's first word and the answer's shape."""
    assert kind_of(question, answer) == kind


def test_rivals_share_no_word_with_the_answer(rng):
    """A rival is of the same kind, and neither the answer nor part of it."""
    others = [FACT._replace(gold=name) for name in ("Bizet Junior", "Leo Delibes", "Charles Gounod", "Jules Massenet")]
    rivals = Rivals([FACT, *others])
    drawn = {rivals.draw(FACT, rng) for _ in range(50)} - {None}
    assert drawn == {"Leo Delibes", "Charles Gounod", "Jules Massenet"}


def test_filling_a_frame_marks_what_it_asserts():
    """Only the asserted place is marked, wherever it stands."""
    said = fill("Not {b}, but {a}.", a="Bizet", b="Gounod")
    assert (said.text, words(said)) == ("Not Gounod, but Bizet.", ["Bizet"])


def test_what_stands_around_an_answer_moves_its_marks(rng):
    """After wrapping and joining, the marks are still on the same words."""
    said = wrap(join(Said("First.", ()), fill("It is {a}.", a="Bizet")), rng, 1.0)
    assert words(said) == ["Bizet"]
    assert len(said.text) > len("First. It is Bizet.")


def test_all_frames_have_the_places_that_they_are_filled_at():
    """A frame without its place would lose the answer."""
    found = frames()
    assert all("{a}" in frame and "{b}" in frame for frame in found.contrast)
    assert all("{a}" in frame and "{b}" in frame for side in found.mention.values() for frame in side)
    assert all("{s}" in form and "{o}" in form for each in found.relation for form in each.forms)
