"""EVOUNA: open questions answered by five systems, each answer judged by people."""

from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from qassay.io.readers.json_array import items
from qassay.io.readers.jsonl import DECODING_ERRORS, explain
from qassay.io.readers.read_context import ReadContext, Reading
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


def read_evouna(sources: Sequence[Source], context: ReadContext) -> Reading:
    """Return five examples a question (Wang et al. 2023, github.com/wangcunxiang/QA-Eval).

    Golden answers are separated by `/`. Questions that people called improper are left out and counted.
    A missing answer stays missing, and so does a missing judgement.
    """
    context.no_mapping("evouna")
    source = sources[0]
    stem = PurePath(source.stem).stem
    for number, (line, item) in enumerate(items(source), 1):
        try:
            row = _decode(item)
        except msgspec.ValidationError as error:
            context.refuse(f"is not a row of EVOUNA ({error}); mend the file", source.name, line)
            continue
        except DECODING_ERRORS as error:
            context.refuse(explain(item, error), source.name, line)
            continue
        references = tuple([Reference(text) for part in (row.golden_answer or "").split("/") if (text := part.strip())])
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
                    source.name,
                    line,
                )
