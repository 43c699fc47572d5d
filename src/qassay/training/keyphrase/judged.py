"""Answers with a label of their correctness, from people or by construction: what weights are tuned and chosen on."""

import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from qassay.training.answer_text import find_phrase, first_word, question_key, words
from qassay.training.corpora import evouna as evouna_corpus
from qassay.training.corpora import judged_answers, qadialog, yes_no
from qassay.training.corpora import multirc as multirc_corpus
from qassay.training.keyphrase.build import KeyphraseData
from qassay.training.keyphrase.rows import JudgedPair
from qassay.training.splits import held_back

WITHOUT_LICENCE = frozenset({"boolq", "multirc", "qadialog"})
"""Sources of `judged_sources` that state no licence."""
ONLY_CHOOSING = frozenset({"beetle", "squad_mturk"})
"""Sources that no model is trained on, so that some of what a model is chosen by is wholly new to it."""
_ONE_IN = 5
_SENTENCE_WORDS = 5


def judged_sources(folder: Path, rng: np.random.Generator) -> dict[str, Iterator[JudgedPair]]:
    """Return the labelled sources among the public training sets, by name, without the held-back questions."""
    semeval = folder / "semeval2013/semeval-3way.zip"
    answers = judged_answers
    return {
        "evouna": _for_training(evouna(folder / "evouna/NQ.json")),
        "evouna_sentences": _for_training(evouna_sentences(folder / "evouna/NQ.json")),
        "efficientqa": pairs_of(
            answers.read_efficientqa(folder / "nq_open/NQ-open.efficientqa.test.1.1.jsonl"), "efficientqa"
        ),
        "sas": (
            pair
            for pair in pairs_of(answers.read_sas(folder / "sas/nq_open_corrected_and_augmented.csv"), "sas")
            if pair.question
        ),
        "squad_mturk": pairs_of(answers.read_squad_ratings(folder / "squad_mturk/mturk_round_1.tsv"), "squad_mturk"),
        "beetle": pairs_of(answers.read_semeval(semeval, "beetle"), "beetle"),
        "sciEntsBank": pairs_of(answers.read_semeval(semeval, "sciEntsBank"), "sciEntsBank"),
        "multirc": multirc(folder / "multirc/train.jsonl"),
        "qadialog": swapped_sentences(folder / "qadialog/qa_to_sentence.jsonl", rng),
        "boolq": yes_no_answers(folder / "boolq/dev.jsonl", rng),
    }


def _for_training(pairs: Iterator[JudgedPair]) -> Iterator[JudgedPair]:
    return (pair for pair in pairs if not held_back(pair.question))


def pairs_of(answers: Iterable[judged_answers.JudgedAnswer], source: str) -> Iterator[JudgedPair]:
    """Yield the pairs of judged answers."""
    return (JudgedPair(*answer, source) for answer in answers)


def evouna(path: Path) -> Iterator[JudgedPair]:
    """Yield systems' answers against short references, judged by a person (EVOUNA)."""
    for row in evouna_corpus.read(path):
        for answer in row.judged if row.accepted else ():
            yield JudgedPair(row.question, tuple(row.accepted), answer.text, float(answer.verdict or 0), "evouna")


def evouna_sentences(path: Path) -> Iterator[JudgedPair]:
    """Yield two systems' sentences: the first judged right stands as the reference of the other, with its verdict."""
    for row in evouna_corpus.read(path):
        sentences = [each for each in row.judged if len(words(each.text)) >= _SENTENCE_WORDS]
        trusted = next((each for each in sentences if each.verdict and row.accepted), None)
        for each in sentences if trusted else ():
            if trusted and each.system != trusted.system and each.text != trusted.text:
                yield JudgedPair(row.question, (trusted.text,), each.text, float(each.verdict or 0), "evouna_sentences")


def multirc(path: Path) -> Iterator[JudgedPair]:
    """Yield MultiRC's options: the first right one is the reference, the others are right or wrong against it."""
    for _, passage in multirc_corpus.read(path):
        for asked in passage.questions:
            first = next((option for option in asked.answers if option.label == 1), None)
            for option in asked.answers if first else ():
                if first and option is not first and option.text.strip():
                    yield JudgedPair(asked.question, (first.text,), option.text, float(option.label), "multirc")


def swapped_sentences(path: Path, rng: np.random.Generator) -> Iterator[JudgedPair]:
    """Yield answer sentences against each other: another wording (1), or one with another question's answer (0).

    The swapped-in answer comes from a question that opens with the same word, so that the kinds agree.
    """
    entries = [entry for entry in qadialog.read(path) if entry.sentences]
    alike: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        alike[first_word(entry.question)].append(entry.answer)
    for entry in entries:
        holding = [sentence for sentence in entry.sentences if find_phrase(sentence, entry.answer)]
        if not holding:
            continue
        reference = holding[0]
        for other in holding[1:]:
            yield JudgedPair(entry.question, (reference,), other, 1.0, "qadialog")
        options = alike[first_word(entry.question)]
        wrong = options[int(rng.integers(len(options)))]
        if question_key(wrong) != question_key(entry.answer):
            changed = holding[int(rng.integers(len(holding)))]
            start, end = find_phrase(changed, entry.answer)[0]
            swapped = changed[:start] + wrong + changed[end:]
            yield JudgedPair(entry.question, (reference,), swapped, 0.0, "qadialog")


_YES_NO_FORMS: tuple[Callable[[str], str], ...] = (
    lambda word: word,
    lambda word: "yes, it is" if word == "yes" else "no, it is not",
    lambda word: "yes, i think so" if word == "yes" else "no, i don't think so",
    lambda word: "yes, that is right" if word == "yes" else "no, that is not right",
    lambda word: "i believe so, yes" if word == "yes" else "not at all, no",
)


def yes_no_answers(path: Path, rng: np.random.Generator) -> Iterator[JudgedPair]:
    """Yield yes-no answers in two wordings: the same opinion (1) or the opposite one (0)."""
    for row in yes_no.read_boolq(path):
        word, opposite = ("yes", "no") if row.yes else ("no", "yes")
        first, second, third = rng.permutation(len(_YES_NO_FORMS))[:3]
        reference = _YES_NO_FORMS[first](word)
        yield JudgedPair(row.question, (reference,), _YES_NO_FORMS[second](word), 1.0, "boolq")
        yield JudgedPair(row.question, (reference,), _YES_NO_FORMS[third](opposite), 0.0, "boolq")


def split_judged(
    sources: Mapping[str, Iterable[JudgedPair]], data: KeyphraseData, held_out: Collection[str]
) -> tuple[list[JudgedPair], list[JudgedPair]]:
    """Split judged pairs into those to train on and those to choose by.

    A pair follows its question: to the side where the keyphrase data has it, or else by the hash of its text. Questions
    of evaluation sets (`held_out`, as keys) are left out.
    """
    train_keys, dev_keys = ({question_key(row.question) for row in side} for side in (data.train, data.dev))
    sides: tuple[list[JudgedPair], list[JudgedPair]] = ([], [])
    for name, pairs in sources.items():
        for pair in pairs:
            key = pair.group
            if key in held_out:
                continue
            by_hash = key not in train_keys and zlib.crc32(key.encode()) % _ONE_IN == 0
            sides[name in ONLY_CHOOSING or key in dev_keys or by_hash].append(pair)
    return sides


def embedded_judged(
    folder: Path,
    data: KeyphraseData,
    *,
    rng: np.random.Generator,
    held_out: Collection[str] = (),
    licensed_only: bool = False,
    without: Collection[str] = (),
) -> list[JudgedPair]:
    """Return the judged pairs that the embedded model is trained on, from the folder of public training sets.

    They are the training side of `split_judged`; what it has left over is the suite that models are chosen by. Nothing
    is made of the sets `without` names.
    """
    unread = ONLY_CHOOSING | (WITHOUT_LICENCE if licensed_only else frozenset())
    sources = {
        name: pairs
        for name, pairs in judged_sources(folder, rng).items()
        if name not in unread and name.partition("_")[0] not in without
    }
    return split_judged(sources, data, held_out)[0]
