"""Lexical metrics correlate with people's scores as Lee et al. (2021) report, on the files that they released.

Several references: the best score of any counts (`refs=max`), as in that paper.
"""

import numpy as np
import pytest

from answers import scores_of
from real_answers import kpqa


@pytest.mark.parametrize(
    ("name", "spec", "published"),
    [
        # Lee et al. 2021, Table 3, Pearson with human correctness
        ("marco_all", "bleu,n=1", 0.349),
        ("marco_all", "rouge_l", 0.309),
        ("avsd_all", "bleu,n=1,refs=max", 0.580),
        ("avsd_all", "rouge_l,refs=max", 0.585),
        # Table 6, MS-MARCO with multi-sentence answers
        ("marcomulti_unilm", "bleu,n=1", 0.363),
        ("marcomulti_unilm", "rouge_l", 0.584),
    ],
)
def test_pearson_with_people(name, spec, published):
    """Pearson's r is within 0.03 of the published one."""
    examples = kpqa(name)
    judgements = [each.judgement for each in examples]
    assert np.corrcoef(scores_of(spec, examples), judgements)[0, 1] == pytest.approx(published, abs=0.03)
