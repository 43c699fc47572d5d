"""Whether a text in Latin letters is in another language than English, by its function words."""

from __future__ import annotations

import re
from collections import Counter

from qassay.text.traits import word_trait

# No word stands in the English list that another language has too (in, is, was, as, on, an, a), and in the other lists
# none that English has (war, hat, on, no, men, over), but for "die", which hardly any German sentence does without.
_ENGLISH = """the of and to that for it with by from are his she this be which were have had not they who their its you
what does did how when where but about into if can would there been"""
_OTHERS = {
    "de": """der die und das dem des ist im von mit zu für auf sich nicht ein eine einen einem einer eines als auch es
    wird wurde werden wurden bei aus sind nach wie oder durch sie er zum zur über haben vor bis zwischen aber um unter
    seit dass ihr ihre seine seiner am""",
    "fr": """le les des du et est une dans que qui pour pas sur au aux avec ce cette ces il elle ils par sont ne se sa
    ses la de en un était été mais ou où leur nous vous je être""",
    "es": """el los las del y es una en que por para con se su sus al lo como más fue pero la de un está este esta entre
    también sobre desde muy hay cuando todo""",
    "it": """il lo gli le di e è che una nel nella del della dei delle con non si da al alla sono anche più la un stato
    questo questa dal dalla tra suo sua""",
    "pt": """o os da dos das e é que uma em na nas para com não se por mais como ao à um foi são seu sua ele ela de pelo
    pela ou também entre está""",
    "nl": """de het een en van dat niet met voor op zijn te er aan bij ook door naar uit wordt werd deze dit maar om als
    hij zij haar heeft hebben nog wel tot""",
    "sv": """och att det som en är av för på den med till inte ett var har de om från kan sig så vid eller när efter""",
    "da": """og det som en er af på den med til ikke et var har de om fra kan sig så ved eller hun når efter blev""",
}
_ENGLISH_WORDS = frozenset(_ENGLISH.split())
_WORDS = {code: frozenset(words.split()) for code, words in _OTHERS.items()}
_ALL = frozenset().union(*_WORDS.values())
OTHER_LANGUAGE = word_trait(word for word in _ALL if word.isascii())
"""The trait of texts that may be in another language."""
_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST = 6
"""In words; names and titles, which occur in any language, are seldom longer."""
_LEAST, _SHARE = 3, 0.2
"""The fewest distinct function words of another language, and their least share of all words."""
_AHEAD = 2
"""How many times as many as English ones."""


def is_other_european(text: str) -> bool:
    """Whether a text of six words or more has another European language's function words, and hardly English ones.

    Shorter texts are never taken for foreign.
    """
    words = _WORD.findall(text.lower())
    if len(words) < _SHORTEST or _ALL.isdisjoint(words):
        return False
    counts = Counter(words)
    english = sum(counts[word] for word in _ENGLISH_WORDS & counts.keys())
    found = [[counts[word] for word in language & counts.keys()] for language in _WORDS.values()]
    best = max(found, key=sum)
    return len(best) >= _LEAST and sum(best) >= _SHARE * len(words) and sum(best) > _AHEAD * english
