"""Lower case of what a pattern has found."""

ALSO_ASCII = {"\u0130": "i", "\u0131": "i", "\u017f": "s", "\u212a": "k"}
"""Characters beyond ASCII that patterns without case take for letters of ASCII, and those letters."""
_TRANSLATED = str.maketrans(ALSO_ASCII)


def lower_case(found: str) -> str:
    """Return what a pattern that ignores case has found in lower case, as tables have it.

    Such a pattern takes four letters beyond ASCII for i, s and k, among them the long s of old prints; `str.lower`
    leaves them as they are, or makes two characters of one.
    """
    return found.lower() if found.isascii() else found.translate(_TRANSLATED).lower()
