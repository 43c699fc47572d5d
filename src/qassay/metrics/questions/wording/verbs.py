"""From a verb in a sentence to the same verb in a question: "sold" becomes "did … sell"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_IRREGULAR = dict(
    pair.split(":")
    for pair in """arose:arise awoke:awake beat:beat became:become began:begin bent:bend bet:bet bit:bite bled:bleed
    blew:blow broke:break bred:breed brought:bring built:build burnt:burn burst:burst bought:buy cast:cast
    caught:catch chose:choose clung:cling came:come cost:cost crept:creep cut:cut dealt:deal dug:dig did:do drew:draw
    drank:drink drove:drive ate:eat fell:fall fed:feed felt:feel fought:fight found:find fled:flee flew:fly
    forbade:forbid forgot:forget forgave:forgive froze:freeze got:get gave:give went:go grew:grow had:have has:have
    hung:hang heard:hear hid:hide hit:hit held:hold hurt:hurt kept:keep knelt:kneel knew:know laid:lay led:lead
    leapt:leap learnt:learn left:leave lent:lend let:let lay:lie lit:light lost:lose made:make meant:mean met:meet
    paid:pay put:put quit:quit read:read rode:ride rang:ring rose:rise ran:run said:say saw:see sought:seek sold:sell
    sent:send set:set shook:shake shed:shed shone:shine shot:shoot showed:show shrank:shrink shut:shut sang:sing
    sank:sink sat:sit slept:sleep slid:slide spoke:speak sped:speed spent:spend spun:spin split:split spread:spread
    sprang:spring stood:stand stole:steal stuck:stick stung:sting struck:strike strove:strive swore:swear swept:sweep
    swam:swim swung:swing took:take taught:teach tore:tear told:tell thought:think threw:throw thrust:thrust
    understood:understand overtook:overtake undertook:undertake underwent:undergo upheld:uphold withdrew:withdraw
    withheld:withhold withstood:withstand woke:wake wore:wear wove:weave wept:weep won:win wound:wind wrote:write
    overcame:overcome oversaw:oversee foresaw:foresee rebuilt:rebuild retook:retake does:do goes:go died:die lied:lie
    tied:tie dies:die lies:lie ties:tie""".split()  # noqa: SIM905 - a list of pairs reads best
)
_VOWELS = "aeiou"
_PRESENT = frozenset({"has", "does", "goes", "dies", "lies", "ties"})
_PAST = {base: past for past, base in reversed(_IRREGULAR.items()) if past not in _PRESENT}
_SHORTEST = 2


def base_form(verb: str, part: str, is_word: Callable[[str], bool]) -> str | None:
    """Return the base form of a finite verb tagged VBZ, VBP or VBD; `None` where no known word results.

    Irregular verbs are looked up; for the others the spelling rules of -s and -ed are undone, and of what may
    result the one that `is_word` knows is taken.
    """
    plain = verb.lower()
    if part in {"VBP", "VB"}:
        return plain
    if plain in _IRREGULAR:
        return _IRREGULAR[plain]
    endings = _without_s(plain) if part == "VBZ" else _without_ed(plain)
    return next((word for word in endings if len(word) >= _SHORTEST and is_word(word)), None)


def is_past(verb: str) -> bool:
    """Whether a form is the past tense of an irregular verb: "beat", "took"."""
    return verb in _IRREGULAR and verb not in _PRESENT


def third_person(verb: str) -> str:
    """Return the form in -s of a verb's base form, as after "what" and "who": "give" is "gives", "carry" "carries"."""
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"


def past_form(verb: str) -> str:
    """Return the past tense of a verb's base form: "take" is "took", "carry" is "carried", "plan" is "planned"."""
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return f"{verb[:-1]}ied"
    vowels = [place for place, letter in enumerate(verb) if letter in _VOWELS]
    doubled = vowels == [len(verb) - 2] and verb[-1] not in "wxy"
    return f"{verb}{verb[-1]}ed" if doubled else f"{verb}ed"


def _without_s(verb: str) -> list[str]:
    if verb.endswith("ies"):
        return [verb[:-3] + "y"]
    if verb.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return [verb[:-2], verb[:-1]]
    return [verb[:-1]] if verb.endswith("s") else []


def _without_ed(verb: str) -> list[str]:
    if verb.endswith("ied"):
        return [verb[:-3] + "y"]
    if not verb.endswith("ed"):
        return []
    stem = verb[:-2]
    if len(stem) > _SHORTEST and stem[-1] == stem[-2] and stem[-1] not in "lsfz" + _VOWELS:
        return [stem[:-1], stem]
    if stem[-1:] == "e" or _wants_e(stem):
        return [stem + "e", stem] if stem[-1:] != "e" else [verb[:-1]]
    return [stem, stem + "e", stem[:-1]]


def _wants_e(stem: str) -> bool:
    """Whether English spells a stem with a final e: "hop-ed" is hope, since hop doubles its p."""
    last, before = stem[-1:], stem[-2:-1]
    if last in "cgvzu" or (last == "s" and before != "s"):
        return True
    if last == "l" and before and before not in _VOWELS + "lrw":
        return True
    vowels = [place for place, letter in enumerate(stem) if letter in _VOWELS]
    return len(vowels) == 1 and vowels[0] == len(stem) - 2 and last not in "wxy"
