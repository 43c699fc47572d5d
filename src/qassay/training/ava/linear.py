"""Training AVA's linear classifier: a linear SVM on four features, with Platt's scaling (Vu and Moschitti 2021)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import DataError
from qassay.models.linear_judge import LinearAva, linear_features

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Floats
    from qassay.training.ava.pairs import AvaRow


def features_of(rows: Sequence[AvaRow]) -> Floats:
    """Return the four features of each row; without a short answer the reference stands for it."""
    found = [linear_features(row.question, row.reference, [row.short or row.reference], row.candidate) for row in rows]
    return np.array(found, np.float64).reshape(-1, 4)


def train(rows: Sequence[AvaRow], *, seed: int = 0) -> LinearAva:
    """Fit the SVM, and Platt's sigmoid on margins that were predicted for rows left out of the fit."""
    from sklearn.calibration import CalibratedClassifierCV  # noqa: PLC0415 - extra `train`
    from sklearn.svm import LinearSVC  # noqa: PLC0415 - extra `train`

    labels = np.array([row.label for row in rows], np.int64)
    if len(np.unique(labels)) < 2:  # noqa: PLR2004 - right and wrong
        raise DataError("the rows are all right or all wrong; a classifier needs both")
    machine = LinearSVC(random_state=seed)
    calibrated = CalibratedClassifierCV(machine, method="sigmoid", ensemble=False).fit(features_of(rows), labels)
    (fitted,) = calibrated.calibrated_classifiers_
    sigmoid = fitted.calibrators[0]
    weights = fitted.estimator.coef_[0].tolist()
    # Platt's sigmoid is 1 / (1 + exp(a·margin + b)).
    return LinearAva(tuple(weights), float(fitted.estimator.intercept_[0]), -float(sigmoid.a_), -float(sigmoid.b_))
