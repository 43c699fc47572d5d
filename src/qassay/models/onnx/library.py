"""The one place that imports onnxruntime, whose telemetry is switched off first."""

from __future__ import annotations

import os
from functools import cache
from typing import Any


@cache
def onnxruntime_library() -> Any:  # noqa: ANN401 - the library is not typed
    """Return the module `onnxruntime`; heavy, so imported when a model first runs.

    Left to itself it records events under `~/.cache/Microsoft` and uploads them. The variable keeps it from beginning;
    the call also ends what a program began that imported it before.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - as above

    onnxruntime.disable_telemetry_events()
    return onnxruntime
