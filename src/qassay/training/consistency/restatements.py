"""Questions with their answers as statements: "Where did X take place?" and "Rome" give "X took place in Rome."."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from qassay.metrics.questions.wording.verbs import past_form, third_person
from qassay.training.consistency.drafts import NOUNS, Draft, DraftToken, TokenRun, chunks, draft_of, ended, tokens

if TYPE_CHECKING:
    from qassay.models.syntax import TaggedSentence

_BE = frozenset({"is", "are", "was", "were"})
_SUPPORT = frozenset({"do", "does", "did"})
_AUXILIARIES = _BE | _SUPPORT | frozenset("has have had can could will would should may might must".split())  # noqa: SIM905
_PREPOSITIONS = frozenset(
    "in on at by from to for with during after before since until near between through under over into of as".split()  # noqa: SIM905
)
_ASKING = frozenset({"who", "what", "which", "where", "when", "how", "why", "whose", "whom"})
_MOST_WORDS = 12
"""Of an answer that is put into a statement."""


def statement(asked: TaggedSentence, answer: str, before: str = "") -> Draft | None:  # noqa: PLR0911 - as many forms
    """Return a question as a statement with its answer in it, the answer's tokens marked as wrong.

    `before` is the word before the answer in the text, whose preposition an answer to where, when and how needs.
    `None` where the question's form is none of the common ones.
    """
    draft = draft_of(asked)
    while draft and draft[-1].text in {"?", "."}:
        draft = draft[:-1]
    answer = answer.strip().rstrip(".")
    said = tokens(answer, "NNP", wrong=True)
    if not said or len(said) > _MOST_WORDS or not draft:
        return None
    lead = _lead(draft, said, before)
    if lead is None:
        return None
    word, end, noun = lead
    rest = draft[end:]
    if not rest:
        return None
    first = rest[0]
    if first.plain in _AUXILIARIES and len(rest) > 1 and not _asks_for_subject(word, rest):
        return _inverted(word, rest, said, noun, before)
    if word in {"who", "what", "which"} and first.phrase in {"VP", "ADVP"}:
        return ended((*said, *rest))
    if word == "how many" and first.phrase == "VP":
        return ended((*said, *noun, *rest))
    return None


def _lead(draft: Draft, said: Draft, before: str) -> tuple[str, int, Draft] | None:
    """Return the question word, where what it asks with ends, and the noun that it asks for."""
    word = draft[0].plain
    if word not in _ASKING or word in {"why", "whose", "whom"}:
        return None
    end = 1
    if word == "how":
        if len(draft) < 3 or draft[1].plain not in {"many", "much"}:  # noqa: PLR2004 - a word and a verb
            return None
        end = 2
        word = "how many"
    start = end
    while end < len(draft) and draft[end].plain not in _AUXILIARIES and draft[end].phrase in {"NP", "PP"}:
        end += 1
    noun = draft[start:end]
    if word in {"who", "when", "where"} and noun:
        return None
    held = {token.plain for token in said}
    if word == "how many" and (before or noun) and noun and noun[-1].plain in held:
        noun = ()
    return word, end, noun


def _asks_for_subject(word: str, rest: Draft) -> bool:
    """Whether an auxiliary follows the question word as its own verb: "Who was born …", "What has led to …"."""
    return rest[0].plain not in _SUPPORT and rest[1].phrase in {"VP", "ADJP", "PP"} and word != "how many"


def _inverted(word: str, rest: Draft, said: Draft, noun: Draft, before: str) -> Draft | None:  # noqa: PLR0911 - as above
    """Put the subject before the verb again, and the answer where it belongs."""
    helper = rest[0]
    found = [run for run in chunks(rest) if run.first >= 1]
    if not found or found[0].kind != "NP":
        return None
    verb = next((run for run in found if run.kind in {"VP", "ADJP"}), None)
    if helper.plain in _BE and verb is None:
        if word in {"where", "when"}:
            return ended((*rest[1:], helper, *_placed(said, before, word)))
        return ended((*rest[1:], helper, *said)) if word in {"what", "who", "which"} else None
    if verb is None:
        return None
    subject, tail = rest[1 : verb.first], rest[verb.last :]
    if not subject or subject[-1].part not in NOUNS | {"PRP", "CD", "RB"}:
        return None
    action = _action(helper, rest[verb.first : verb.last])
    if action is None:
        return None
    hanging = bool(tail) and tail[-1].part in {"IN", "TO"} and tail[-1].plain in _PREPOSITIONS
    if word in {"where", "when"}:
        return ended((*subject, *action, *tail, *_placed(said, before, word)))
    item = (*said, *noun) if word == "how many" else said
    if hanging or not tail or helper.plain in _BE:
        return ended((*subject, *action, *tail, *item))
    return ended((*subject, *action, *item, *tail))


def _action(helper: DraftToken, verb: Draft) -> Draft | None:
    """Return the verb as a statement has it: "did … take" is "took"."""
    if helper.plain not in _SUPPORT:
        return (helper, *verb)
    place = next((i for i, token in enumerate(verb) if token.part in {"VB", "VBP", "NN"}), None)
    if place is None or any(token.plain in {"not", "n't"} for token in verb):
        return None
    base = verb[place].plain
    form = {"did": past_form(base), "does": third_person(base), "do": base}[helper.plain]
    return (*verb[:place], DraftToken(form, "VBD", "B-VP"), *verb[place + 1 :])


def _placed(said: Draft, before: str, word: str) -> Draft:
    """Put the preposition of the text before an answer, or the common one."""
    first = said[0].plain
    if first in _PREPOSITIONS:
        return said
    fitting = before.lower() if before.lower() in _PREPOSITIONS - {"of", "as"} else "in"
    return (DraftToken(fitting if word in {"where", "when"} else "in", "IN", "B-PP"), *said)


def opinion(asked: TaggedSentence, *, yes: bool) -> Draft | None:
    """Return a yes-no question as a statement, denied for no; the verb is marked as wrong.

    `None` where its subject's end cannot be told.
    """
    draft = draft_of(asked)
    while draft and draft[-1].text in {"?", "."}:
        draft = draft[:-1]
    if len(draft) < 3 or draft[0].plain not in _AUXILIARIES:  # noqa: PLR2004 - verb, subject and something said
        return None
    helper = draft[0]
    end = _subject_end(draft)
    if end is None:
        return None
    subject, rest = draft[1:end], draft[end:]
    marked = DraftToken(helper.plain, helper.part, "B-VP", wrong=True)
    if not yes:
        return ended((*subject, marked, DraftToken("not", "RB", "I-VP", wrong=True), *rest))
    if helper.plain not in _SUPPORT:
        return ended((*subject, marked, *rest))
    action = _action(helper, rest[:1])
    return (
        ended((*subject, *(DraftToken(each.text, each.part, each.chunk, wrong=True) for each in action), *rest[1:]))
        if action
        else None
    )


def _subject_end(draft: Draft) -> int | None:
    """Return where the subject of a yes-no question ends: before its verb, adjective or second noun phrase."""
    found: list[TokenRun] = [run for run in chunks(draft) if run.first >= 1]
    if not found or found[0].kind != "NP":
        return None
    for before, run in itertools.pairwise(found):
        if run.kind in {"VP", "ADJP", "ADVP"}:
            return run.first
        starts = draft[run.first].plain in {"a", "an", "the", "part", "considered"} or run.kind == "PP"
        if run.kind == "NP" and before.kind != "PP" and starts:
            return run.first
        if run.kind == "PP" and draft[run.first].plain != "of" and draft[0].plain in _BE:
            return run.first
    return None
