"""Answers that name both the right thing and another one, and assert one of them: composed of facts.

Every composition is filled both ways: once it asserts the fact's answer and names the rival, once the other way round.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qassay.training.answer_text import find_phrase, question_key, word_set
from qassay.training.assertions.frames import drawn, fill, frames, join, wrap
from qassay.training.assertions.rows import AssertionRow, Said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np

    from qassay.training.assertions.facts import Fact, Rivals

    Composer = Callable[[Fact, Sequence[str], np.random.Generator], Iterator[tuple[Said, float]]]
    """From a fact and two rivals to answers with their labels."""

RIGHT, WRONG = 1.0, 0.0
_NAME = re.compile(r"(?:[A-Z][\w.'\u2019-]*)(?:\s+(?:of|the|de|van|von)?\s*[A-Z][\w.'\u2019-]*)*")
_NUMBER = re.compile(r"\d[\d,.]*")
_WH = re.compile(r"^(who|what|which)\b\s*(.*?)\s*\??$", re.IGNORECASE | re.DOTALL)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|did|does|do|can|will)\b", re.IGNORECASE)


def both_ways(texts: Callable[[str, str], Said], gold: str, rival: str) -> Iterator[tuple[Said, float]]:
    """Yield a text that asserts the answer and names the rival, and one the other way round."""
    yield texts(gold, rival), RIGHT
    yield texts(rival, gold), WRONG


def contrast(fact: Fact, rivals: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[Said, float]]:
    """Yield "many think X, in fact Y"."""
    frame = drawn(frames().contrast, rng)
    yield from both_ways(lambda a, b: fill(frame, a=a, b=b), fact.gold, rivals[0])


def denial(fact: Fact, rivals: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[Said, float]]:
    """Yield "it is not X", which asserts nothing; and the same followed by what it is."""
    frame = drawn(frames().denial, rng)
    yield Said(fill(frame, b=fact.gold).text, ()), WRONG
    plain = drawn(frames().plain[2:], rng)
    yield from both_ways(lambda a, b: join(Said(fill(frame, b=b).text, ()), fill(plain, a=a)), fact.gold, rivals[0])


def hedge(fact: Fact, rivals: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[Said, float]]:
    """Yield unsure answers."""
    frame = drawn(frames().hedge, rng)
    yield from both_ways(lambda a, b: fill(frame, a=a, b=b), fact.gold, rivals[0])


def mention(fact: Fact, rivals: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[Said, float]]:
    """Yield an answer with the other thing beside it, in a part of the sentence that answers nothing."""
    frame = drawn(frames().mention[fact.kind], rng)
    yield from both_ways(lambda a, b: fill(frame, a=a, b=b), fact.gold, rivals[0])


def options(fact: Fact, rivals: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[Said, float]]:
    """Yield options without a choice, which is wrong, and with one."""
    texts = [fact.gold, *rivals[:2]]
    x, y, z = (texts[index] for index in rng.permutation(3))
    frame, chosen = drawn(frames().options, rng), drawn(frames().chosen, rng)
    yield Said(fill(frame, x=x, y=y, z=z).text, ()), WRONG
    yield from both_ways(lambda a, _: fill(chosen, a=a, x=x, y=y, z=z), fact.gold, rivals[0])


def beside_sentence(fact: Fact, rivals: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[Said, float]]:
    """Yield an answer before or after sentences of the text: with the answer in them, where it is wrong."""
    plain = drawn(frames().plain, rng)
    for asserted, pool, label in ((rivals[0], fact.mentions, WRONG), (fact.gold, fact.others or fact.mentions, RIGHT)):
        if not pool:
            return
        answer = fill(plain, a=asserted)
        answer = answer if answer.text.endswith(".") else Said(f"{answer.text}.", answer.spans)
        context = Said(" ".join(pool[index] for index in rng.permutation(len(pool))[: int(rng.integers(1, 4))]), ())
        yield join(*((answer, context) if rng.random() < 0.6 else (context, answer))), label  # noqa: PLR2004


def beside_statement(fact: Fact, rivals: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[Said, float]]:
    """Yield the sentence with the answer or the rival in it, with other sentences of the text around it."""
    for asserted, label in ((fact.gold, RIGHT), (rivals[0], WRONG)):
        said = put_in(fact, asserted)
        pool = fact.others + (fact.mentions if label == WRONG else ())
        around = [Said(pool[index], ()) for index in rng.permutation(len(pool))[: int(rng.integers(0, 4))]]
        place = int(rng.integers(len(around) + 1))
        yield join(*around[:place], said, *around[place:]), label


def put_in(fact: Fact, text: str) -> Said:
    """Return the fact's sentence with a text in its answer's place."""
    start, end = fact.span
    return Said(fact.sentence[:start] + text + fact.sentence[end:], ((start, start + len(text)),))


def exchanged(fact: Fact, _rivals: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[Said, float]]:
    """Yield the sentence with its answer and another name or number of it exchanged, and as it is."""
    start, end = fact.span
    form = _NUMBER if fact.gold[:1].isdigit() else _NAME
    own = word_set(fact.gold)
    found = [
        match.span()
        for match in form.finditer(fact.sentence)
        if (match.end() <= start or end <= match.start())
        and not own & word_set(match.group())
        and match.start() > 0
        and not find_phrase(fact.question, match.group())
    ]
    if not found or not form.fullmatch(fact.gold):
        return
    low, high = found[int(rng.integers(len(found)))]
    other = fact.sentence[low:high]
    (first, second), (before, after) = sorted([(start, end), (low, high)]), (other, fact.gold)
    if low < start:
        before, after = fact.gold, other
    changed = (
        fact.sentence[: first[0]] + before + fact.sentence[first[1] : second[0]] + after + fact.sentence[second[1] :]
    )
    place = first[0] if start < low else second[0] + len(before) - (first[1] - first[0])
    yield Said(changed, ((place, place + len(other)),)), WRONG
    yield put_in(fact, fact.gold), RIGHT


def restated(fact: Fact, rivals: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[Said, float]]:
    """Yield the question as a statement around the answer: "The game that … is Go", "Go is the game that …"."""
    frame = statement_frame(fact.question, rng)
    yield from both_ways(lambda a, _: fill(frame, a=a), fact.gold, rivals[0])


def statement_frame(question: str, rng: np.random.Generator) -> str:
    """Return a frame that repeats the question's words."""
    bare = question.strip().rstrip("?").strip().replace("{", "(").replace("}", ")")
    generic = [
        f"You asked: {bare}? The answer is {{a}}.",
        f"As to {bare[:1].lower()}{bare[1:]}: {{a}}.",
        f"{bare}? {{a}}",
        f'The answer to "{bare}?" is {{a}}.',
        f"{{a}} is the answer to the question {bare[:1].lower()}{bare[1:]}.",
        f"Q: {bare}? A: {{a}}",
    ]
    found = _WH.match(question.strip())
    if not found or rng.random() < 0.25:  # noqa: PLR2004 - a quarter
        return drawn(generic, rng)
    word, rest = found[1].lower(), found[2].replace("{", "(").replace("}", ")")
    if word == "who":
        return drawn([f"The person who {rest} is {{a}}.", f"{{a}} {rest}.", f"It was {{a}} who {rest}."], rng)
    if verb := _VERB.search(rest):
        noun, tail = rest[: verb.start()].strip(), rest[verb.start() :]
        if noun and verb.group().lower() not in {"did", "do", "does"}:
            return drawn(
                [f"The {noun} that {tail} is {{a}}.", f"{{a}} is the {noun} that {tail}.", f"The {noun} is {{a}}."], rng
            )
        if noun:
            return drawn([f"The {noun} in question is {{a}}.", f"The {noun} is called {{a}}."], rng)
        subject = tail[verb.end() - verb.start() :].strip()
        if verb.group().lower() in {"is", "was", "are", "were"} and subject:
            capital = subject[:1].upper() + subject[1:]
            return drawn([f"{capital} {verb.group()} {{a}}.", f"{{a}} {verb.group()} {subject}."], rng)
    return drawn(generic, rng)


def written_lists(fact: Fact, rivals: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[Said, float]]:
    """Yield the items of a gold list in another order (right), and with one dropped, replaced or added."""
    items = list_items(fact.gold)
    if not items or fact.kind == "date":
        return
    order = [items[index] for index in rng.permutation(len(items))]
    place = int(rng.integers(len(items)))
    dropped = [*order[:place], *order[place + 1 :]]
    replaced = [*order[:place], rivals[0], *order[place + 1 :]]
    added = [*order[:place], rivals[0], *order[place:]]
    for chosen, label in ((order, RIGHT), ((dropped, replaced, added)[int(rng.integers(3))], WRONG)):
        yield whole(listed(chosen, rng)), label


def list_items(text: str) -> list[str]:
    """Return the items of an enumeration of short phrases; none where it is no such thing."""
    parts = [part.strip() for part in re.split(r",\s*(?:and\s+|or\s+)?|;\s*|\s+and\s+", text)]
    short = all(0 < len(part.split()) <= 4 for part in parts)  # noqa: PLR2004 - longer ones are clauses
    return parts if len(parts) > 1 and short and len({question_key(part) for part in parts}) == len(parts) else []


def listed(items: Sequence[str], rng: np.random.Generator) -> str:
    """Write items as a list in one of several ways."""
    ways = [
        ", ".join(items),
        ", ".join(items[:-1]) + (" and " if len(items) > 1 else "") + items[-1],
        "\n".join(f"- {item}" for item in items),
        "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1)),
        "; ".join(items),
    ]
    return drawn(ways, rng)


def whole(text: str) -> Said:
    """Return a text that asserts all that it says."""
    return Said(text, ((0, len(text)),))


def noise(fact: Fact, _rivals: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[Said, float]]:
    """Yield what answers nothing: the question's own words, one word over and over, words in disorder."""
    asked = fact.question.split()
    shuffled = [fact.sentence.split()[index] for index in rng.permutation(len(fact.sentence.split()))]
    yield (
        Said(
            drawn(
                [fact.question, fact.question.rstrip("?") + ".", " ".join([drawn(asked, rng)] * 6), " ".join(shuffled)],
                rng,
            ),
            (),
        ),
        WRONG,
    )


COMPOSERS: dict[str, tuple[Composer, float]] = {
    "contrast": (contrast, 0.3),
    "denial": (denial, 0.12),
    "hedge": (hedge, 0.12),
    "mention": (mention, 0.3),
    "options": (options, 0.1),
    "beside_sentence": (beside_sentence, 0.4),
    "beside_statement": (beside_statement, 0.25),
    "exchanged": (exchanged, 0.4),
    "restated": (restated, 0.25),
    "list": (written_lists, 0.6),
    "noise": (noise, 0.03),
}
"""What is composed of facts, and of which share of them."""


def composed(
    facts: Sequence[Fact], rivals: Rivals, rng: np.random.Generator, *, share: float = 1.0
) -> Iterator[AssertionRow]:
    """Yield compositions of facts; in a part of the rows the reference is the whole sentence instead of the answer."""
    for fact in facts:
        for name, (compose, part) in COMPOSERS.items():
            if rng.random() >= share * part or not (drawn_rivals := rivals.two(fact, rng)):
                continue
            reference = fact.sentence if rng.random() < 0.15 and name != "list" else fact.gold  # noqa: PLR2004
            for said, label in compose(fact, drawn_rivals, rng):
                texts = wrap(said, rng, 0.25) if name not in {"beside_statement", "exchanged", "noise"} else said
                yield AssertionRow(fact.question, (reference,), texts, label, f"composed_{name}", fact.group)
