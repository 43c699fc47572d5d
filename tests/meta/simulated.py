"""Panels of simulated answers for the tests: systems by questions, one quality, metrics that see it with noise."""

import numpy as np

from qassay.meta.statistics.panel import Panel


def simulated_panel(rng, *, systems=6, questions=40, noise=(1.0, 1.0), decimals=None):
    """Return a panel with metrics `a` and `b` that see people's judgement through noise of the given sizes."""
    quality = rng.normal(size=(systems, 1)) * 0.5 + rng.normal(size=(systems, questions))
    scores = [quality + size * rng.normal(size=quality.shape) for size in noise]
    if decimals is not None:
        quality, *scores = (np.round(values, decimals) for values in (quality, *scores))
    return Panel.build(
        quality.ravel(),
        {name: values.ravel() for name, values in zip("ab", scores, strict=True)},
        system=np.repeat(np.arange(systems), questions).tolist(),
        question=np.tile(np.arange(questions), systems).tolist(),
    )
