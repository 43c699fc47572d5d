import numpy as np
import pytest

from answers import answer
from qassay.features.batch import Batch
from qassay.metrics.learned.signals import lexical_signals, model_signals


def signals(candidate: str, *references: str, question: str = "") -> dict[str, list[float]]:
    batch = Batch([answer(candidate, *references, question=question)])
    found = lexical_signals(batch, batch.pairs)
    return {name: found.values[:, i].tolist() for i, name in enumerate(found.names)}


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        ("it was Anna Smith", "Anna Smith", 1.0),
        ("it was Anna", "Anna Smith", 0.5),
        ("byAnnaSmithin 1990", "Anna Smith", 1.0),  # words that run together
        ("it was O'Neil", "Shaun O\u2019Neil", 0.5),  # the other apostrophe
        ("it was O\u2019Neil", "Shaun O'Neil", 0.5),
        ("the fifth", "5", 1.0),  # an ordinal in words
        ("in 19931.", "1993", 1.0),  # a year with a citation's number behind it
        ("in 1994", "1993", 0.0),
        ("cars", "art", 0.0),  # short words must stand alone
    ],
)
def test_words_are_found_also_where_they_are_hidden(candidate: str, reference: str, expected: float):
    """`found` is the share of the reference's words, run together, inflected or in other figures."""
    assert signals(candidate, reference)["found"] == [expected]


@pytest.mark.parametrize(
    ("candidate", "reference", "name", "expected"),
    [
        ("Paris", "the Paris", "same tokens", 1.0),
        ("in 1990", "in 1990 or 1991", "numbers missing", 0.5),
        ("in the 1910s", "by 1912", "numbers missing", 0.0),
        ("-128.6\u00b0F", "\u2212128.6 \u00b0F", "numbers missing", 0.0),
        ("made $2.2 billion", "$2.18 billion", "numbers close", 1.0),
        ("about 2.19 billion", "2.18 billion", "numbers close", pytest.approx(1 - (0.01 / 2.18) / 0.03)),
        ("on 3 May 1990", "May 4, 1990", "dates differ", 1.0),
        ("on 3 May 1990", "May 1990 or June 1991", "dates differ", 0.5),
        ("in May 1990, not in June", "May 4, 1990", "dates differ", 0.0),
        ("in 1990", "May 4, 1990", "dates differ", 0.0),
        ("in 1990", "May 4, 1990", "date missing", 1.0),
        ("in May 1990", "May 4, 1990", "date missing", 0.0),
        ("in 1990", "1990", "date missing", 0.0),
        ("Anna Jones", "Anna Smith", "surname missing", 1.0),
        ("Annie Smith", "Anna Smith", "surname missing", 0.0),
        ("Anna", "anna smith", "surname missing", 0.0),  # nothing says that it is a name
        ("Jones", "Smith", "surname missing", 0.0),
        ("he is not there", "he is there", "negation differs", 1.0),
        ("yes, it is", "no", "yes against no", 1.0),
        ("Of course.", "Not at all.", "yes against no", 1.0),
        ("No doubt.", "Certainly", "yes against no", 0.0),
        ("19 million", "19 billion", "numbers close", 0.0),
        ("two dozen", "24", "numbers missing", 0.0),
        ("two dozen", "2", "numbers missing", 1.0),
        ("I could not find it", "Paris", "refusal", 1.0),
        ("As an AI language model, I don't have opinions.", "Paris", "refusal", 1.0),
        ("As an AI, I do not have real-time data. However, it was Paris.", "Paris", "refusal", 0.0),
        ("As an AI, I have no opinions, but it is Paris.", "Paris", "refusal", 0.0),
        ("As an AI, I have no data. However, I couldn't find it.", "Paris", "refusal", 1.0),
        ("It is not known who lives.", "Kent", "refusal", 1.0),
        ("Somewhere not known to her.", "Barsoom", "refusal", 0.0),
        ("one two three", "one two three", "longer", 0.0),
    ],
)
def test_each_signal_says_what_its_name_says(candidate: str, reference: str, name: str, expected: float):
    """One sign of agreement or of disagreement a signal."""
    assert signals(candidate, reference)[name] == [expected]


@pytest.mark.parametrize(
    ("question", "expected"),
    [("who sold more, Kelly or Carrie?", 0.5), ("who sings?", 0.0), ("", 0.0), ("is it Carrie Underwood", 1.0)],
)
def test_what_the_question_says_already_is_seen(question: str, expected: float):
    """`in question` is the share of the reference's words that an answer could take from the question."""
    assert signals("it is her", "Carrie Underwood", question=question)["in question"] == [expected]


def test_every_reference_has_its_own_signals():
    """Pairs are looked at one by one."""
    assert signals("Paris", "Paris", "Rome")["found"] == [1.0, 0.0]


def test_models_see_likeness_with_and_without_a_question():
    """Identical key words count fully, whether there is a question or not."""
    batch = Batch([answer("Paris", "Paris", "Rome", question=asked) for asked in ("What is the capital?", "")])

    found = model_signals(batch, batch.pairs)

    key = found.values[:, found.names.index("key words")]
    np.testing.assert_allclose(key, [1, 0, 1, 0], atol=1e-9)


def test_a_batch_without_pairs_has_no_signals():
    """Missing answers have no line."""
    batch = Batch([answer(None, "Paris")])

    assert lexical_signals(batch, batch.pairs).values.shape[0] == 0
    assert model_signals(batch, batch.pairs).values.shape[0] == 0
