"""The questions that Qassay asks, beside those of QAEval's authors, and its reader beside their experts.

    python benchmarks/questions.py asked [--model REF] [--json FILE]
    python benchmarks/questions.py answered [--model REF] [--json FILE]
    python benchmarks/questions.py drawn [--plain] [--other-texts] [--seed N] [--model REF] [--json FILE]

The first two use the answers of experts on SummEval (Deutsch and Roth 2022): ten reference summaries with the phrases
asked about and the questions on them, and what people answered to each question on sixteen systems' summaries.

- asked: how many of the given phrases Qassay asks about, in the same sentence, and how alike the questions are
- answered: how often the reader answers where the experts do, and the same
- drawn: a hundred questions to read, drawn from those that CNN's articles in the evaluation parts of MultiRC raise;
  with --plain, without those that have a gap; with --other-texts from its texts that are no news, and from SQuAD's
"""

import argparse
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from qassay.metrics.questions.question_generation import Questioner, RaisedQuestion
from qassay.models.base import EMBEDDED
from qassay.models.load_readers import load_chunker, load_reader
from qassay.records import Example, Reference
from qassay.scoring.scorer import Scorer
from qassay.text.normalise import squad_english

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data")) / "bench/answer_verification"
ARTICLES = DATA.parents[1] / "train/multirc"
_DRAWN = 100
_ASKING = frozenset({"who", "whom", "whose", "what", "which", "when", "where", "how", "why"})
_MUCH_ALIKE = 0.5


class Given(NamedTuple):
    """A question of QAEval's with what one expert answered on one summary; None for no answer."""

    reference: str
    question: str
    answer: str
    summary: str
    expert: str | None


def given_questions() -> Iterator[Given]:
    """Read the experts' answers."""
    for line in (DATA / "summeval_expert_answers.jsonl").read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        for reference in row["references"]:
            for asked in reference["questions"]:
                for said in asked["predictions"]:
                    yield Given(
                        reference["text"], asked["question"], asked["answer"], row["summary"]["text"], said["answer"]
                    )


def measure_asked(model: str) -> dict[str, float]:
    """Match each given phrase with the one of ours that is nearest in the sentence that the given question is about."""
    given = list(dict.fromkeys((each.reference, each.question, each.answer) for each in given_questions()))
    references = list(dict.fromkeys(reference for reference, _, _ in given))
    raised = dict(zip(references, Questioner(load_chunker(model)).ask(references), strict=True))
    exact, near, worded, same_word = [], [], [], []
    matched = set()
    for reference, question, answer in given:
        ours = _same_source(raised[reference], question, answer)
        alike = _f1([(each.question.answer, answer) for each in ours])
        best = int(alike.argmax()) if len(ours) else -1
        same = best >= 0 and squad_english(ours[best].question.answer) == squad_english(answer)
        exact.append(same)
        near.append(best >= 0 and alike[best] >= _MUCH_ALIKE)
        if near[-1]:
            matched.add((reference, ours[best].span))
        if same:
            worded.append(_f1([(ours[best].question.text, question)])[0])
            same_word.append(_question_word(ours[best].question.text) == _question_word(question))
    return {
        "given": len(given),
        "same phrase, same sentence": float(np.mean(exact)),
        "like phrase (F1 from .5), same sentence": float(np.mean(near)),
        "ours": sum(map(len, raised.values())),
        "ours that were given": len(matched) / sum(map(len, raised.values())),
        "token F1 of the questions on the same phrase": float(np.mean(worded)),
        "same question word": float(np.mean(same_word)),
    }


def _same_source(raised: list[RaisedQuestion], question: str, answer: str) -> list[RaisedQuestion]:
    """Keep the questions about the sentence that the given question was made of: the one most like it."""
    sentences = list(dict.fromkeys(each.question.sentence for each in raised))
    if not sentences:
        return []
    alike = _f1([(sentence, f"{question} {answer}") for sentence in sentences])
    return [each for each in raised if each.question.sentence == sentences[int(alike.argmax())]]


def _f1(pairs: list[tuple[str, str]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if not pairs:
        return np.empty(0)
    examples = [Example(str(i), "", (Reference(right),), left) for i, (left, right) in enumerate(pairs)]
    return np.asarray(Scorer(["token_f1"]).score(examples).scores["token_f1"])


def _question_word(question: str) -> str:
    return next((word for word in squad_english(question).split() if word in _ASKING), "")


def measure_answered(model: str) -> dict[str, float]:
    """Compare the reader's answers with the experts'."""
    given = list(given_questions())
    reader = load_reader(model)
    answers = reader.answer([(each.question, each.summary) for each in given])
    ours = np.array([answer.none < reader.threshold and bool(answer.text) for answer in answers])
    theirs = np.array([each.expert is not None for each in given])
    both = np.flatnonzero(ours & theirs)
    spans = np.flatnonzero(theirs)
    alike = _f1([(answers[i].text, str(given[i].expert)) for i in both.tolist()])
    forced = _f1([(answers[i].text, str(given[i].expert)) for i in spans.tolist()])
    return {
        "questions on summaries": len(given),
        "answered by experts": float(theirs.mean()),
        "answered by the reader": float(ours.mean()),
        "agree on whether there is an answer": float((ours == theirs).mean()),
        "left unanswered where experts do": float((~ours[~theirs]).mean()),
        "answered where experts do": float(ours[theirs].mean()),
        "token F1 where both answer": float(alike.mean()),
        "token F1 where experts do, always answering": float(forced.mean()),
    }


def draw(model: str, seed: int, *, every: bool, news: bool) -> list[dict[str, str]]:
    """Return a hundred questions about texts, each with its answer and sentence, in the order of the texts."""
    rows = (
        json.loads(line) for name in ("val", "test") for line in (ARTICLES / f"{name}.jsonl").open(encoding="utf-8")
    )
    texts = [text for row in rows if ("CNN)" in (text := row["passage"]["text"])) == news]
    if not news:
        articles = json.loads((ARTICLES.parent / "squad" / "dev-v1.1.json").read_text(encoding="utf-8"))["data"]
        texts += [part["context"] for article in articles for part in article["paragraphs"][:2]]
    raised = [each.question for found in Questioner(load_chunker(model)).ask(texts, every=every) for each in found]
    chosen = sorted(np.random.default_rng(seed).permutation(len(raised))[:_DRAWN].tolist())
    return [{"question": raised[i].text, "answer": raised[i].answer, "sentence": raised[i].sentence} for i in chosen]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["asked", "answered", "drawn"])
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--other-texts", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", default=EMBEDDED)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.what == "drawn":
        drawn = draw(given.model, given.seed, every=not given.plain, news=not given.other_texts)
        for number, each in enumerate(drawn, 1):
            print(f"{number}. {each['question']}  [{each['answer']}]")
        if given.json:
            given.json.write_text(json.dumps(drawn, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    found: Mapping[str, float] = (measure_asked if given.what == "asked" else measure_answered)(given.model)
    for name, value in found.items():
        print(f"{name}: {value:.3f}" if isinstance(value, float) else f"{name}: {value:,}")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
