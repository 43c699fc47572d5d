"""Which SQuAD articles train the reader, which choose it, and which measure it."""

from typing import Literal

Side = Literal["train", "dev", "test"]

DEV_ARTICLES = frozenset({"Amazon_rainforest", "Huguenot", "Private_school"})
"""For choosing between models and setting the threshold."""
TEST_ARTICLES = frozenset({"Fresno,_California", "French_and_Indian_War", "Oxygen", "Scottish_Parliament"})
"""For the figure in the model card: about a tenth of dev v2.0."""


def side_of_article(title: str) -> Side:
    """Tell on which side of the split an article's questions are, whichever SQuAD file they come from."""
    if title in TEST_ARTICLES:
        return "test"
    return "dev" if title in DEV_ARTICLES else "train"
