"""What a question asks for, told from its wording: how the chunker learns which answers go with which question."""

import re

from qassay.models.syntax import AMOUNT, COUNT, DURATION, MANNER, PERSON, PLACE, REASON, THING, TIME

_WHICH = r"(?:what|which)(?:'s| is| was| are| were)?(?: the| a| an)?(?: \w+){0,2}? (?:name of the )?"
_PATTERNS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (
            REASON,
            r"\bwhy\b|^(?:for|on) what (?:reason|grounds)|\bwhat (?:is|was|are|were) the (?:main )?(?:reason|cause)",
        ),
        (COUNT, r"\bhow many\b|" + _WHICH + r"(?:number|population|percentage|percent)\b"),
        (DURATION, r"\bhow (?:long|old)\b|" + _WHICH + r"(?:age|length of time|duration)\b"),
        (AMOUNT, r"\bhow (?:much|high|far|large|big|tall|wide|deep|fast)\b|" + _WHICH + r"(?:cost|price|amount)\b"),
        (
            TIME,
            r"\bwhen\b|" + _WHICH + r"(?:years?|dates?|days?|months?|century|decades?|seasons?|time period|time)\b",
        ),
        (
            PLACE,
            r"\bwhere\b|"
            + _WHICH
            + r"(?:city|cities|country|countries|state|states|county|place|location|continent|region|town|village"
            r"|province|river|island|area|neighborhood|street|venue|stadium)\b",
        ),
        (
            PERSON,
            r"\bwho\b|\bwhom\b|\bwhose\b|"
            + _WHICH
            + r"(?:person|man|woman|people|actor|actress|king|queen|president|leader|player|author|artist|singer)\b",
        ),
        (MANNER, r"^how\b|\bin what (?:way|manner)\b|\bby what means\b"),
        (THING, r"\b(?:what|which)\b"),
    )
)


def question_kind(question: str) -> str | None:
    """Return what kind of answer a question asks for, or `None` for a question without a question word."""
    plain = " ".join(question.lower().split())
    return next((kind for kind, pattern in _PATTERNS if pattern.search(plain)), None)
