"""The signals of what answers assert: of each answer the same, whatever stands beside it in a batch."""

import numpy as np
import pytest

from answers import answer
from qassay.features.batch import Batch
from qassay.io.example_columns import ExampleColumns
from qassay.metrics.base import subset
from qassay.metrics.learned.asserted_signals import COMPARED, asserted_signals
from qassay.metrics.learned.signals import Signals, lexical_signals, model_signals

QUESTION = "Who composed the opera?"
EXAMPLES = [
    answer("Georges Bizet", "Bizet", "Jules Massenet", question=QUESTION),
    answer("It was composed by Jules Massenet, who knew Bizet.", "Georges Bizet", "J. Massenet", question=QUESTION),
    answer(None, "Bizet", question=QUESTION),
    answer("I do not know who composed it.", "Bizet", question=QUESTION),
    answer("People name Beethoven; in fact Chopin wrote it.", "Chopin", "Liszt", "Beethoven", question="Who wrote it?"),
]


def columns():
    """Return the examples as columns."""
    texts = [[each.text for each in example.references] for example in EXAMPLES]
    fields = zip(*((each.id, each.question, each.candidate, each.system) for each in EXAMPLES), strict=True)
    ids, questions, candidates, systems = map(list, fields)
    return ExampleColumns(ids, questions, texts, candidates, systems)


def found_in(batch, pairs):
    """Return the signals of whole answers and those of what they assert."""
    parts = lexical_signals(batch, pairs), model_signals(batch, pairs)
    names = tuple(name for part in parts for name in part.names)
    whole = Signals(names, np.column_stack([part.values for part in parts]))
    return whole, asserted_signals(batch, pairs, whole)


@pytest.mark.parametrize("examples", [EXAMPLES, columns()], ids=["examples", "columns"])
def test_answers_have_the_signals_that_they_have_alone(examples):
    """Beside answers that assert all of themselves, or nothing, and with several references."""
    batch = Batch(examples)
    alone = [Batch([example]) for example in EXAMPLES]
    expected = [found_in(each, each.pairs)[1].values for each in alone]
    np.testing.assert_array_equal(found_in(batch, batch.pairs)[1].values, np.concatenate(expected))


def test_some_pairs_have_the_signals_that_they_have_among_all():
    """A reference that is left out changes nothing for the others."""
    batch = Batch(EXAMPLES)
    chosen = np.arange(len(batch.pairs.example)) % 2 == 1
    some = found_in(batch, subset(batch.pairs, chosen))[1]
    np.testing.assert_array_equal(some.values, found_in(batch, batch.pairs)[1].values[chosen])


def test_a_mention_that_is_not_asserted_is_not_found():
    """The answer has the reference's words, what it asserts has not."""
    batch = Batch([EXAMPLES[1]])
    whole, asserted = found_in(batch, batch.pairs)
    assert whole.values[0, whole.names.index("found")] > 0
    assert asserted.values[0, COMPARED.index("found")] == 0
