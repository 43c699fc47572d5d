"""EM and F1 of the eight real systems at hand are what the official SQuAD evaluation rules give over the whole file.

The rules are written out here from their description (Rajpurkar et al. 2016, 2018): answers are lower-cased, lose
punctuation, articles and surplus spaces; EM is equality, F1 counts shared words with repeats; the best gold answer
counts. In 2.0 an unanswerable question has one gold answer, the empty one, which only an empty answer matches.
"""

import json
import re
import string
from collections import Counter
from functools import cache

import numpy as np
import pytest

from answers import answer, stats_of
from shared import train

SYSTEMS = {
    "1.1_BERT": "dev-v1.1",
    "1.1_Logistic_Regression_Baseline": "dev-v1.1",
    "1.1_Match-LSTM_with_Ans-Ptr": "dev-v1.1",
    "1.1_SLQA+": "dev-v1.1",
    "1.1_r-net+": "dev-v1.1",
    "v2.0_BERT": "dev-v2.0",
    "v2.0_BiDAF_+_Self_Attention_+_ELMo": "dev-v2.0",
    "v2.0_nlnet": "dev-v2.0",
}


def normal_words(text):
    kept = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


def official_exact(given, gold):
    return float(normal_words(given) == normal_words(gold))


def official_f1(given, gold):
    ours, theirs = normal_words(given), normal_words(gold)
    if not ours or not theirs:
        return float(ours == theirs)
    shared = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * shared / (len(ours) + len(theirs))


RULES = {"exact_match": official_exact, "token_f1": official_f1}


@cache
def golds(name):
    articles = json.loads(train(f"squad/{name}.json").read_text(encoding="utf-8"))["data"]
    questions = [question for article in articles for passage in article["paragraphs"] for question in passage["qas"]]
    return [
        (each["id"], each["question"], [gold["text"] for gold in each["answers"] if normal_words(gold["text"])] or [""])
        for each in questions
    ]


@cache
def answered(system):
    """Return every question's answer and gold answers; one that the system skipped counts as an empty answer."""
    predictions = json.loads(train(f"squad/predictions/{system}.json").read_text(encoding="utf-8"))
    return [
        answer(predictions.get(key, ""), *texts, id=key, question=question)
        for key, question, texts in golds(SYSTEMS[system])
    ]


@pytest.mark.parametrize("metric", RULES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_answer(system, metric):
    """Each of the system's 10,570 or 11,873 answers, and their mean, score as the rules say."""
    examples = answered(system)

    scored, stats = stats_of(metric, examples)

    expected = [
        max(RULES[metric](each.candidate, reference.text) for reference in each.references) for each in examples
    ]
    assert len(examples) in {10_570, 11_873}
    np.testing.assert_allclose(scored.finish(stats), expected, rtol=0, atol=1e-12)
    assert scored.finish(stats.sum(0)) == pytest.approx(np.mean(expected), abs=1e-12)


def test_published_exact_match():
    """The BERT ensemble's EM on the SQuAD 1.1 development set is the published one."""
    metric, stats = stats_of("exact_match", answered("1.1_BERT"))
    # Devlin et al. 2019, Table 2: BERT-large ensemble, dev EM 86.2 (F1 92.2)
    assert round(100 * float(metric.finish(stats.sum(0))), 1) == 86.2


def test_published_f1():
    """The BERT ensemble's F1 on the SQuAD 1.1 development set is the published one."""
    metric, stats = stats_of("token_f1", answered("1.1_BERT"))
    # Devlin et al. 2019, Table 2: BERT-large ensemble (+ TriviaQA), dev EM 86.2, F1 92.2
    assert round(100 * float(metric.finish(stats.sum(0))), 1) == 92.2
