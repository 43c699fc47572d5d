"""Splitting a text into sentences, with their spans."""

Span = tuple[int, int]


def sentence_spans(text: str, language: str = "en") -> list[Span]:
    """Split a text into sentences (by the library sentencex), as spans without the white space around."""
    import sentencex  # type: ignore[import-untyped]  # noqa: PLC0415 - loaded when sentences are asked for

    spans = []
    position = 0
    for piece in sentencex.segment(language, text):
        body = piece.strip()
        if body:
            start = position + piece.index(body)
            spans.append((start, start + len(body)))
        position += len(piece)
    return spans
