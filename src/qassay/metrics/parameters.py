"""Parameters that several metrics take."""

from dataclasses import replace

from qassay.features.token_views import OWN
from qassay.spec import Param
from qassay.text.tokenisers.tokenise import TOKENISERS

YESNO = Param("yesno", 0.0, "weight (alpha) of the bonus for a reference with the candidate's opinion", low=0, high=1e6)
ENTITY = Param("entity", 0.0, "weight (beta) of the bonus for gold entities in the candidate", low=0, high=1e6)


def tok(default: str) -> Param:
    """Return the parameter that names a tokeniser."""
    return Param("tok", default, "how texts are tokenised", choices=(*TOKENISERS, "piece"))


def weighted_tok(default: str) -> Param:
    """Return the parameter that names a tokeniser, by default the weighting's own where there is one."""
    plain = tok(default)
    meaning = f"{plain.meaning}; own: the word pieces that the weighting weighs"
    return replace(plain, meaning=meaning, choices=(*plain.choices, OWN), weighted_default=OWN)
