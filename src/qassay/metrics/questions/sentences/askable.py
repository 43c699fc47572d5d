"""Which phrases can be asked for at all: no idioms, no parts of names, nothing that only counts what follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qassay.metrics.questions.sentences.phrase_selection import Phrase
    from qassay.models.syntax import TaggedSentence, Word

NEGATING = frozenset({"no", "none", "nothing", "nobody", "neither", "each", "every", "both", "all", "any", "such"})
ASKING = frozenset({"WDT", "WP", "WP$", "WRB", "EX"})
IDIOMS = frozenset(
    "way place part fact example addition order account charge effect light turn hand care note home back".split()  # noqa: SIM905
)
"""Nouns that ask for nothing where they stand bare: "under way", "take place"."""
QUANTITIES = frozenset(
    """number numbers effort efforts attempt wake case result end rest kind sort lot lots bit one some many most several
    part parts series couple hundreds thousands millions total variety group member members front top favor terms
    response""".split()  # noqa: SIM905
)
"""Nouns that stand for what follows them: "a number of", "in an effort to"."""
_BEHIND_PREPOSITIONS = frozenset(
    "row event way while meantime end process least time behalf course basis kind sort wake".split()  # noqa: SIM905
)
"""Nouns that ask for nothing behind a preposition: "in a row", "in the event of"."""


def can_be_asked_for(sentence: TaggedSentence, answer: Phrase) -> bool:
    """Whether a question for a phrase can be good English, whatever clause it stands in."""
    words = sentence.words[answer.first : answer.last]
    before = sentence.words[answer.first - 1] if answer.first else None
    after = sentence.words[answer.last].text.lower() if answer.last < len(sentence.words) else ""
    first, last = words[0].text.lower(), words[-1].text.lower()
    if first in NEGATING or words[0].part in ASKING or after in {"later", "ago", "earlier"}:
        return False
    if after in {"of", "to"} and last in QUANTITIES:
        return False
    bare = len(words) == 1 and words[0].part == "NN" and words[0].text[:1].islower()
    if before is None or before.part not in {"IN", "TO"}:
        return not (bare and last in IDIOMS)
    counts = first in {"least", "most"} and before.text.lower() == "at" and before.phrase == "PP"
    return not (bare or counts or last in _BEHIND_PREPOSITIONS) and not _belongs_to(sentence, answer, before)


def _belongs_to(sentence: TaggedSentence, answer: Phrase, preposition: Word) -> bool:
    """Whether "of" or "for" ties a phrase to a quantity or a name: "one of his tours", "Secretary of State"."""
    if answer.first < 2 or preposition.text.lower() not in {"of", "for"}:  # noqa: PLR2004 - the word before that one
        return False
    held = sentence.words[answer.first - 2]
    if preposition.text.lower() == "of" and (held.part in {"CD", "DT"} or held.text.lower() in QUANTITIES):
        return True
    return held.part in {"NNP", "NNPS"} and sentence.words[answer.first].text[:1].isupper()
