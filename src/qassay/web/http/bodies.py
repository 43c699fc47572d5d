"""Bodies of requests: of a limited size, in a limited time, decoded and checked."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import msgspec

from qassay.web.http.refusal import RefusedError, invalid

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from starlette.requests import Request

SLOW = RefusedError(408, "timeout", "the body came too slowly")


async def read_body(request: Request, most: int, seconds: float) -> bytes:
    """Return the whole body, or raise a `RefusedError` where it is larger or slower than allowed."""
    parts = [part async for part in chunks(request, most, seconds, whole=True)]
    return b"".join(parts)


async def chunks(request: Request, most: int, seconds: float, *, whole: bool = False) -> AsyncIterator[bytes]:
    """Yield a body as it comes; `seconds` is for the whole of it, or else for each part."""
    stated = request.headers.get("content-length", "0")
    if not stated.isdigit() or int(stated) > most:
        raise _too_large(most)
    size, deadline = 0, monotonic() + seconds
    stream = request.stream()
    while True:
        try:
            part = await asyncio.wait_for(anext(stream), max(0.0, deadline - monotonic()))
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise SLOW from None
        size += len(part)
        if size > most:
            raise _too_large(most)
        if not whole:
            deadline = monotonic() + seconds
        yield part


def _too_large(most: int) -> RefusedError:
    return RefusedError(413, "too_large", f"the body is larger than {most / (1 << 20):.3g} MB; send less at a time")


def decode(body: bytes, kind: Any) -> Any:  # noqa: ANN401 - the type that the endpoint declares
    """Return the content of a JSON body, or raise a `RefusedError` that says what is wrong where."""
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        text = "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        raise invalid(f"the body is not what is asked for: {_lower(text)}") from problem


def decode_query(items: Sequence[tuple[str, str]], kind: Any) -> Any:  # noqa: ANN401 - as above
    """Return the content of a query string; a name that is repeated is a list."""
    given: dict[str, Any] = {}
    lists = {field.name for field in msgspec.structs.fields(kind) if _is_list(field.type)}
    for name, value in items:
        if name in lists:
            given.setdefault(name, []).append(value)
        elif name in given:
            raise invalid(f'the query has "{name[:40]}" twice; give it once')
        elif value:
            given[name] = value
    return convert(given, kind)


def convert(given: Mapping[str, Any], kind: Any) -> Any:  # noqa: ANN401 - as above
    """Return texts as the types that are declared."""
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as problem:
        raise invalid(f"the query is not what is asked for: {_lower(str(problem))}") from problem


def _is_list(declared: Any) -> bool:  # noqa: ANN401 - as above
    if get_origin(declared) is Annotated:
        return _is_list(get_args(declared)[0])
    return get_origin(declared) in {list, tuple}


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
