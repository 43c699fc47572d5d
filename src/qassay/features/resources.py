"""What a whole run shares: its language, its models, and what first passes gathered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from qassay.models.base import EMBEDDED, Device
from qassay.models.load import has_keyphrase_head, load_encoder, load_judge, load_weigher
from qassay.models.load_readers import load_answer_reader, load_consistency
from qassay.text.tokenisers.tokenise import Tokeniser, tokeniser, word

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from qassay.features.first_pass import FirstPass
    from qassay.models.base import Encoder, Weigher
    from qassay.models.onnx.consistency import OnnxConsistency
    from qassay.models.onnx.judge import Judge
    from qassay.models.onnx.reader import OnnxReader
    from qassay.models.question_model_names import Models

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Resources:
    """What the whole run shares: its language, its models, and what first passes gathered."""

    language: str = "auto"
    first_pass: Mapping[Hashable, Any] = field(default_factory=dict)
    """What first passes gathered, by their keys."""
    model: str = EMBEDDED
    """The model that the run names: its keyphrase head, where it has one, gives the weights."""
    reads_answers: str = EMBEDDED
    """The model whose answer reader finds what answers assert."""
    device: Device = "auto"
    threads: int | None = None
    questions: Models | None = None
    """The models that ask, answer and verify, where they are not the embedded ones."""

    def first_pass_result(self, need: FirstPass[_Result]) -> _Result:
        """Return what a first pass gathered."""
        return cast("_Result", self.first_pass[need.key])

    def encoder(self, ref: str) -> Encoder:
        """Open an encoder; the same one twice is opened once."""
        return load_encoder(ref, self.device, self.threads)

    def weigher(self, *, with_question: bool = True) -> Weigher:
        """Open the keyphrase model of the run, or the embedded one where the run's model has no such head."""
        ref = self.model if has_keyphrase_head(self.model) else EMBEDDED
        return load_weigher(ref, self.device, self.threads, with_question=with_question)

    def judge(self, ref: str, kind: str = "mini") -> Judge:
        """Open a judge, of the folders that hold several the one of a kind; the same one twice is opened once."""
        return load_judge(ref, self.device, self.threads, kind=kind)

    def answer_reader(self) -> OnnxReader:
        """Open what reads answers for what they assert; it is opened once."""
        return load_answer_reader(self.reads_answers, self.threads, self.device)

    def consistency(self, ref: str) -> OnnxConsistency:
        """Open what checks claims against documents; the same one twice is opened once."""
        return load_consistency(ref, self.threads, self.device)

    def tokeniser(self, tok: str) -> Tokeniser:
        """Find a tokeniser by name; `piece` is the embedded model's, `piece:MODEL` another model's."""
        name, _, ref = tok.partition(":")
        if name != "piece":
            return tokeniser(tok, self.language)
        pieces = self.encoder(ref or EMBEDDED).pieces
        # A model may know nothing of a character and drop it; a text that is not blank still has a token.
        return Tokeniser(tok, "a model's word pieces", lambda text: pieces(text) or word(text))
