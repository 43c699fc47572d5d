"""A chunker, a reader and a verifier that follow from the texts alone, for tests of what is built on them."""

import re
from collections import Counter
from contextlib import suppress

import msgspec
import numpy as np

from qassay.metrics.questions.qa_pipeline import QAPipeline
from qassay.metrics.questions.question_generation import Questioner
from qassay.models.onnx.reader import Answer
from qassay.models.syntax import KINDS, TaggedSentence, Word

_TAGS = {
    "and": ("CC", "O", "O"),
    **dict.fromkeys(("so", "then", "yesterday", "nobody", "it"), ("RB", "B-ADVP", "O")),
}
_WORD = re.compile(r"\w+|[^\w\s]")


class CapitalChunker:
    """Takes every capitalised word that does not open the sentence for a name, and the rest for adverbs and verbs."""

    fingerprint = "capitals"

    def tag(self, sentences):
        """Tag each sentence by its capitals."""
        return [self._tag(sentence) for sentence in sentences]

    def knows(self, word):
        """Take every word for known."""
        return word.isalpha()

    def _tag(self, sentence):
        words = []
        for match in _WORD.finditer(sentence):
            named = match.group()[0].isupper() and match.start() > 0
            tags = ("NNP", "B-NP", "B-person") if named else _TAGS.get(match.group(), ("VBD", "B-VP", "O"))
            words.append(Word(match.group(), *match.span(), *tags, dict.fromkeys(KINDS, 0.0)))
        return TaggedSentence(sentence, tuple(words))


class FirstNameReader:
    """Answers with the first capitalised word that the question does not hold, and with nothing where there is none."""

    ref = fingerprint = "first name"
    threshold = 0.5

    def __init__(self):
        self.notes = Counter()
        self.asked = []

    def answer(self, pairs):
        """Answer each pair and remember that it was asked."""
        self.asked += pairs
        return [self._answer(*pair) for pair in pairs]

    def _answer(self, question, passage):
        held = set(_WORD.findall(question))
        for match in _WORD.finditer(passage):
            if match.group()[0].isupper() and match.start() > 0 and match.group() not in held:
                return Answer(match.group(), *match.span(), 0.1)
        return Answer("", 0, 0, 0.9)


class LengthVerifier:
    """Gives 1 for equal phrases and else a similarity that falls with the difference in length."""

    def __init__(self):
        self.notes = Counter()

    def verify(self, pairs):
        """Compare the phrases of each pair."""
        same = np.array([float(pair.answer == pair.prediction) for pair in pairs])
        near = np.array([1 / (1 + abs(len(pair.answer) - len(pair.prediction))) for pair in pairs])
        return {"exact_match": same, "token_f1": same, "lerc": near, "ava": near, "bert_score": near}

    def identity(self, method):  # noqa: ARG002 - no model
        """Depend on nothing but the texts."""
        return {}


def pipeline(reader=None):
    """Ask, answer and verify by capitals."""
    return QAPipeline(Questioner(CapitalChunker()), reader or FirstNameReader(), LengthVerifier())


def interrupted(log, examples, records):
    """Keep records and stop as Ctrl-C does."""
    with suppress(KeyboardInterrupt), log:
        log.add(examples, [msgspec.json.encode(each) for each in records])
        raise KeyboardInterrupt
