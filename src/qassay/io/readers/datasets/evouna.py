"""EVOUNA: open questions answered by five systems, each answer judged by people."""

from collections.abc import Iterator
from pathlib import PurePath

import msgspec

from qassay.io.parsing.json_array import items
from qassay.io.parsing.json_rows import DECODING_ERRORS, explain
from qassay.io.parsing.read_context import ReadContext
from qassay.io.readers.format import SPECIFIC, Format, Head
from qassay.io.source import Source
from qassay.records import Example, Reference

SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")


class _Row(msgspec.Struct):
    question: str
    golden_answer: str | None
    improper: bool
    answer_fid: str | None = None
    judge_fid: bool | None = None
    answer_gpt35: str | None = None
    judge_gpt35: bool | None = None
    answer_chatgpt: str | None = None
    judge_chatgpt: bool | None = None
    answer_gpt4: str | None = None
    judge_gpt4: bool | None = None
    answer_newbing: str | None = None
    judge_newbing: bool | None = None


_decode = msgspec.json.Decoder(_Row).decode


class Evouna(Format):
    """EVOUNA: five systems' answers with verdicts."""

    name = "evouna"
    priority = SPECIFIC
    fields = ()

    def recognises(self, head: Head) -> bool:
        """Whether the items of an array have EVOUNA's fields."""
        return head.start.startswith(b"[") and b'"golden_answer"' in head.start and b'"judge_' in head.start

    def read(self, source: Source, context: ReadContext) -> Iterator[tuple[Example, int]]:
        """Yield five examples per question (Wang et al. 2023, github.com/wangcunxiang/QA-Eval).

        Golden answers are separated by `/`. Questions that people called improper are left out and counted.
        A missing answer stays missing, and so does a missing judgement.
        """
        context.no_mapping(self.name)
        stem = PurePath(source.stem).stem
        for number, (line, item) in enumerate(items(source), 1):
            try:
                row = _decode(item)
            except msgspec.ValidationError as error:
                context.refuse(f"is not a row of EVOUNA ({error}); fix the file", source.name, line)
                continue
            except DECODING_ERRORS as error:
                context.refuse(explain(item, error), source.name, line)
                continue
            texts = (part.strip() for part in (row.golden_answer or "").split("/"))
            references = tuple([Reference(text) for text in texts if text])
            if row.improper:
                context.leave_out("improper question", source.name, line)
            elif not references:
                context.leave_out("no golden answer", source.name, line)
            else:
                for system in SYSTEMS:
                    verdict: bool | None = getattr(row, f"judge_{system}")
                    yield (
                        Example(
                            f"{stem}-{number}",
                            row.question,
                            references,
                            getattr(row, f"answer_{system}"),
                            system,
                            judgement=None if verdict is None else float(verdict),
                        ),
                        line,
                    )
