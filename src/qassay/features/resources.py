"""What a whole run shares: its language, its models, and the frequencies counted over its references."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qassay.models.base import EMBEDDED, Device
from qassay.models.load import has_keyphrase_head, load_encoder, load_judge, load_weigher
from qassay.text.tokenise import Tokeniser, tokeniser, word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qassay.features.frequencies import Frequencies, FrequencyNeed
    from qassay.models.base import Encoder, Weigher
    from qassay.models.onnx.judge import Judge


@dataclass(frozen=True, slots=True)
class Resources:
    """What the whole run shares: its language and the frequencies counted over its references."""

    language: str = "auto"
    frequencies: Mapping[FrequencyNeed, Frequencies] = field(default_factory=dict)
    """For the metrics that weigh by rarity."""
    model: str = EMBEDDED
    """The model that the run names: its keyphrase head, where it has one, gives the weights."""
    device: Device = "auto"
    threads: int | None = None

    def encoder(self, ref: str) -> Encoder:
        """Open an encoder; the same one twice is opened once."""
        return load_encoder(ref, self.device, self.threads)

    def weigher(self) -> Weigher:
        """Open the keyphrase model of the run, or the embedded one where the run's model has no such head."""
        return load_weigher(self.model if has_keyphrase_head(self.model) else EMBEDDED, self.device, self.threads)

    def judge(self, ref: str) -> Judge:
        """Open a judge; the same one twice is opened once."""
        return load_judge(ref, self.device, self.threads)

    def tokeniser(self, tok: str) -> Tokeniser:
        """Find a tokeniser by name; `piece` is the embedded model's, `piece:MODEL` another model's."""
        name, _, ref = tok.partition(":")
        if name != "piece":
            return tokeniser(tok, self.language)
        pieces = self.encoder(ref or EMBEDDED).pieces
        # A model may know nothing of a character and drop it; a text that is not blank still has a token.
        return Tokeniser(tok, "a model's word pieces", lambda text: pieces(text) or word(text))
