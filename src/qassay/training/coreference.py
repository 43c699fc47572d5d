"""Who "she" is: mentions of an article's subject that begin a sentence, replaced by the article's title where clear.

KPQA's data has the supporting sentences of multi-hop questions, taken out of their paragraphs after coreference was
resolved (Lee et al. 2021, section 3.1). Taken alone, "She graduated from the Beijing Dance Academy" says nothing about
Jing Tian. An encyclopaedia's paragraph is about its title, so that a few rules find many such mentions; where the
evidence is not clear, a sentence stays as it is.
"""

import re
from collections.abc import Callable, Sequence

Resolver = Callable[[str, Sequence[str]], list[str]]
"""From a paragraph's title and sentences to the same sentences with mentions replaced."""

_BRACKETS = re.compile(r"\s*\([^)]*\)\s*$")
_SHE = re.compile(r"\b(?:she|her|hers|herself)\b", re.IGNORECASE)
_HE = re.compile(r"\b(?:he|him|his|himself)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"(He|She|It)(?='s\b|\u2019s\b| )")
_POSSESSIVE = re.compile(r"(His|Her|Its) (?=[\w\"\u201c'])")
_IS_A = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one of the)\s+([^.;:()]*)")
_BORN = re.compile(r"\((?:[^)]*?\bborn\b|[^)]*?\b\d{3,4}\s*[\u2013-]\s*[^)]*\b\d{3,4}\b)|\bborn\b", re.IGNORECASE)
_EXPLETIVE = re.compile(
    r"It(?:'s|\u2019s)? "
    r"(?:(?:is|was|has been|had been|may be|can be|will be|would be|became|remains|seems?|appears?|took|takes) )?"
    r"(?:not |also |now |often |widely |generally |commonly |sometimes |currently )?"
    r"(?:that\b|to\b|clear|known that|believed|thought|said|reported|estimated|claimed|rumou?red|announced|unclear|"
    r"unknown|possible|likely|unlikely|necessary|important|common|rare|impossible|suggested|assumed|alleged|speculated|"
    r"argued|noted|expected|hoped|during|in \d{4}|on \w+ \d|not until|only|here|there|this|these|seems|appears|took|"
    r"takes)"
)
_HER_OBJECT = re.compile(r"Her (?:and|or|,|who|which|was|is|were|are)\b")
_KINDS = frozenset(
    """
    film movie series show sitcom programme program episode documentary album song single band group duo trio
    orchestra novel book play musical magazine newspaper journal comic manga anime game company corporation firm
    organisation organization club team league university college school academy institute museum theatre theater
    city town village district county province municipality river lake mountain island park station airport bridge
    building stadium hotel hospital church castle railway road street ship aircraft airline brand label studio
    channel network party agency festival award competition tournament championship race plant tree flower bird fish
    species genus breed language tribe dynasty kingdom empire war battle treaty act law software website restaurant
    chain store mall
    """.split()  # noqa: SIM905 - reads best so
)
"""What an article may be about that `the` and the noun alone refer to."""
_MAKER = re.compile(
    r"(?:director|producer|writer|player|maker|critic|actor|actress|singer|manager|coach|owner|editor)s?"
)
"""Who has to do with a thing of some kind: a `film producer` is not a film."""
_THE_KIND = re.compile(rf"The ({'|'.join(sorted(_KINDS))})(?='s\b|\u2019s\b|[ ,])")
_FOLLOWS = re.compile(r"(?:He|She|It|His|Her|Its)\b")


def name_of(title: str) -> str:
    """Return an article's title without what tells it from others of its name: `Ed Wood` for `Ed Wood (film)`."""
    return _BRACKETS.sub("", title).strip()


def resolve_by_title(title: str, sentences: Sequence[str]) -> list[str]:
    """Return the sentences of an article's paragraph with clear mentions of its subject replaced by its name.

    Replaced are `He`, `She`, `It` and their possessives, a person's last name and `The film` (or another kind that the
    first sentence states), where they begin a sentence. The first sentence must begin with the name. A pronoun counts
    if it fits (a person for he and she, of whom the paragraph uses one alone) and the sentence before it is about the
    same: it begins with the name, or with a mention of it.
    """
    name = name_of(title)
    texts = [sentence.strip() for sentence in sentences]
    if len(texts) < 2 or not name or not _begins_with(texts[0], name):  # noqa: PLR2004 - a sentence to begin and one to change
        return list(sentences)
    subject = _Subject(name, texts)
    resolved = [sentences[0]]
    about = True
    for sentence, text in zip(sentences[1:], texts[1:], strict=True):
        replaced = subject.replaced(text, about=about)
        # A sentence that goes on about the subject hands it on to the next one.
        about = replaced is not None or _begins_with(text, name) or (about and bool(_FOLLOWS.match(text)))
        before = sentence[: len(sentence) - len(sentence.lstrip())]
        resolved.append(sentence if replaced is None else before + replaced)
    return resolved


class _Subject:
    """What an article is about, as far as its paragraph tells."""

    def __init__(self, name: str, texts: Sequence[str]) -> None:
        self._name = name
        whole = " ".join(texts)
        first = texts[0]
        stated = _IS_A.search(first)
        words = re.findall(r"[\w-]+", stated[1].lower()) if stated else []
        follows = [*words[1:], ""]
        self._kinds = {
            word for word, after in zip(words, follows, strict=False) if word in _KINDS and not _MAKER.fullmatch(after)
        }
        she, he = len(_SHE.findall(whole)), len(_HE.findall(whole))
        looks_human = bool(_BORN.search(first)) and not self._kinds_head(words)
        person = looks_human or (not self._kinds and bool(she or he) and len(name.split()) > 1 and stated is not None)
        self._person = person and not (she and he)
        self._pronouns = {"She", "Her"} if she else {"He", "His"}
        self._last_name = name.rsplit(maxsplit=1)[-1] if person and len(name.split()) > 1 else ""

    @staticmethod
    def _kinds_head(words: Sequence[str]) -> bool:
        """Whether the first noun that says what the subject is, is a thing: `film` in `American film directed by`."""
        return any(word in _KINDS for word in words[:5])

    def replaced(self, text: str, *, about: bool) -> str | None:
        """Return a sentence with its first mention replaced; None if it begins with none that is clear."""
        if found := _SUBJECT.match(text):
            return self._name + text[found.end() :] if about and self._fits(found[1], text) else None
        if found := _POSSESSIVE.match(text):
            clear = about and self._fits(found[1], text) and not _HER_OBJECT.match(text)
            return f"{_possessive(self._name)} {text[found.end() :]}" if clear else None
        if (found := _THE_KIND.match(text)) and self._kinds == {found[1]}:
            return self._name + text[found.end() :]
        if self._last_name and re.match(rf"{re.escape(self._last_name)}(?='s\b|\u2019s\b| [a-z])", text):
            return self._name + text[len(self._last_name) :]
        return None

    def _fits(self, pronoun: str, text: str) -> bool:
        if pronoun in {"It", "Its"}:
            return bool(self._kinds) and not self._person and not _EXPLETIVE.match(text)
        return self._person and pronoun in self._pronouns


def _begins_with(text: str, name: str) -> bool:
    """Whether a sentence begins with a name, an article before it aside."""
    return re.match(rf"(?:the |a |an |\")*{re.escape(name)}\b", text, re.IGNORECASE) is not None


def _possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"
