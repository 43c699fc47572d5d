"""Names of one thing that share no word: countries and cities with several names, the world wars."""

from __future__ import annotations

import re

from qassay.equivalence.mention import Stated

ALIAS = "name"
LOOSE, ALONE = "loose", "alone"
_GROUPS = """
United States of America|United States|USA|U.S.A.|US|U.S.|America
United Kingdom|UK|U.K.|Great Britain|Britain
Soviet Union|USSR|U.S.S.R.
United Arab Emirates|UAE|U.A.E.
European Union|EU|E.U.
United Nations|UN|U.N.
Democratic Republic of the Congo|Democratic Republic of Congo|DR Congo|DRC
Czech Republic|Czechia
Myanmar|Burma
Ivory Coast|Côte d'Ivoire|Cote d'Ivoire
Netherlands|Holland
Turkey|Türkiye|Turkiye
Eswatini|Swaziland
East Timor|Timor-Leste
Cape Verde|Cabo Verde
South Korea|Republic of Korea
North Korea|DPRK|Democratic People's Republic of Korea
People's Republic of China|PRC|China
Russian Federation|Russia
Sri Lanka|Ceylon
New York City|NYC|N.Y.C.
Los Angeles|L.A.
Washington, D.C.|Washington D.C.|Washington, DC|Washington DC
Ho Chi Minh City|Saigon
Beijing|Peking
Mumbai|Bombay
Chennai|Madras
Kolkata|Calcutta
Kyiv|Kiev
World War I|World War One|World War 1|First World War|WWI|WW1
World War II|World War Two|World War 2|Second World War|WWII|WW2
"""
_ALIASES = {name: number for number, line in enumerate(_GROUPS.split("\n")) for name in line.split("|") if name}
_LOOSE = frozenset({"America", "Great Britain"})
"""Names that may mean something else besides: a continent, an island."""
_NAME = re.compile(
    rf"(?<![\w.])(?P<name>{'|'.join(map(re.escape, sorted(_ALIASES, key=len, reverse=True)))})"
    r"(?!\w|['\u2019$]|\s[A-Z]|,\s[A-Z])"
)
_LARGER = re.compile(r"(?:^|(?<=\W))(?P<word>[A-Z][\w.'\u2019]*) (?:of (?:the )?)?$")
_ALONE = re.compile(r"(?:(?:in|from|by|of|during|to)\s)?(?:the\s)?$", re.IGNORECASE)
_NO_NAMES = frozenset(
    {"The", "In", "From", "At", "By", "To", "Of", "For", "On", "With", "And", "During", "After", "Before"}
)


def aliases(text: str) -> list[Stated]:
    """Find names that have others, in the letters that names are written in.

    Not where they are part of a larger one: neither Latin America nor the Bank of America is America.
    """
    found = []
    for match in _NAME.finditer(text):
        before = _LARGER.search(text, max(0, match.start() - 40), match.start())
        if not before or before["word"] in _NO_NAMES:
            name = match["name"]
            written = ALONE if _ALONE.fullmatch(text, 0, match.start()) and text[match.end() :] in {"", "."} else ""
            found.append(
                Stated(match.start(), match.end(), ALIAS, _ALIASES[name], LOOSE if name in _LOOSE else "", written)
            )
    return found
