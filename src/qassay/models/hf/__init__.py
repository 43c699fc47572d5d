"""Models of Hugging Face (extra `hf`)."""

import os

os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
