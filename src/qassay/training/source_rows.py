"""Rows of published data sets that more than one reader reads."""

import msgspec


class BoolQ(msgspec.Struct):
    """A yes-no question of BoolQ with its passage."""

    question: str
    answer: bool
    passage: str = ""


class PubMedQA(msgspec.Struct):
    """A question of PubMedQA with the authors' conclusion, and yes, no or maybe."""

    question: str = msgspec.field(name="QUESTION")
    long_answer: str = msgspec.field(name="LONG_ANSWER")
    final_decision: str


class Sentence(msgspec.Struct):
    """A sentence that somebody wrote around a short answer."""

    sentence: str


class AnswerSentences(msgspec.Struct):
    """A short answer that people turned into sentences (QA-to-sentence)."""

    question: str
    answer: str
    sentences: list[Sentence]
