"""Porter's suffix stripper for English, with the departures that scorers of texts agree on.

The steps are those of M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980. Where published
scores rest on NLTK's default mode (METEOR, and ROUGE with stemming), its departures are followed: a list of
irregular words, words of one or two letters left alone, `-ied` and four-letter `-ies`, `y` kept after a
vowel, `-bli`, `-alli`, `-fulli` and `-logi` in step 2, and two-letter stems such as `us` counted as short.
"""

from collections.abc import Mapping
from functools import lru_cache

SHORT = 2
"""Words of at most this many letters are left alone."""

IRREGULAR = {
    form: base
    for base, forms in {
        "sky": ("sky", "skies"),
        "die": ("dying",),
        "lie": ("lying",),
        "tie": ("tying",),
        "news": ("news",),
        "inning": ("innings", "inning"),
        "outing": ("outings", "outing"),
        "canning": ("cannings", "canning"),
        "howe": ("howe",),
        "proceed": ("proceed",),
        "exceed": ("exceed",),
        "succeed": ("succeed",),
    }.items()
    for form in forms
}

STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "fulli": "ful",
}

STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}

STEP_4 = {
    **dict.fromkeys(("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"), ""),
    **dict.fromkeys(("ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"), ""),
}


def _shape(word: str) -> str:
    """Write `c` for each consonant and `v` for each vowel; `y` is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(stem: str) -> int:
    """Count Porter's m: how often a vowel is followed by a consonant."""
    return _shape(stem).count("vc")


def _is_short(stem: str) -> bool:
    """Whether the stem meets Porter's condition *o, or is a vowel and a consonant alone."""
    shape = _shape(stem)
    return shape == "vc" or (shape.endswith("cvc") and stem[-1] not in "wxy")


def _longest_suffix(word: str, rules: Mapping[str, str], longest: int) -> str | None:
    for length in range(longest, 1, -1):
        if word[-length:] in rules:
            return word[-length:]
    return None


def _plural(word: str) -> str:
    """Step 1a: caresses, ponies, cats."""
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-1] if len(word) == len("dies") else word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past_or_participle(word: str) -> str:
    """Step 1b: agreed, plastered, motoring."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == len("died") else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    stem = word.removesuffix("ed" if word.endswith("ed") else "ing")
    return word if stem == word or "v" not in _shape(stem) else _restored(stem)


def _restored(stem: str) -> str:
    """Restore the e that -ed or -ing removed, or undo the doubling: conflate, hop, file."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if stem[-2:-1] == stem[-1] and _shape(stem).endswith("c"):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _is_short(stem) else stem


def _final_y(word: str) -> str:
    """Step 1c: happy becomes happi; by and say stay."""
    if word.endswith("y") and len(word) > SHORT and _shape(word[:-1]).endswith("c"):
        return word[:-1] + "i"
    return word


def _double_suffix(word: str) -> str:
    """Step 2: relational, sensibility, analogy."""
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    suffix = _longest_suffix(word, STEP_2, 7)
    if suffix is None or _measure(word[: -len(suffix)]) == 0:
        return word
    shortened = word[: -len(suffix)] + STEP_2[suffix]
    return _double_suffix(shortened) if suffix == "alli" else shortened


def _adjectival_suffix(word: str) -> str:
    """Step 3: triplicate, formalize, goodness."""
    suffix = _longest_suffix(word, STEP_3, 5)
    if suffix is None or _measure(word[: -len(suffix)]) == 0:
        return word
    return word[: -len(suffix)] + STEP_3[suffix]


def _single_suffix(word: str) -> str:
    """Step 4: revival, adoption, effective, where at least two syllables remain."""
    suffix = _longest_suffix(word, STEP_4, 5)
    if suffix is None:
        return word
    stem = word[: -len(suffix)]
    if _measure(stem) <= 1 or (suffix == "ion" and stem[-1] not in "st"):
        return word
    return stem


def _final_e_and_ll(word: str) -> str:
    """Step 5: probate, cease, controll."""
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _is_short(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Return the lower-cased stem of an English word, as NLTK's `PorterStemmer` gives it by default.

    Porter (1980) with the departures listed above. Letters outside a-z count as consonants.
    """
    lowered = word.lower()
    if lowered in IRREGULAR:
        return IRREGULAR[lowered]
    if len(word) <= SHORT:
        return lowered
    stemmed = _past_or_participle(_plural(lowered))
    return _final_e_and_ll(_single_suffix(_adjectival_suffix(_double_suffix(_final_y(stemmed)))))
