"""Sentences tagged by hand, for tests of what is made of tags."""

from qassay.models.syntax import KINDS, TaggedSentence, Word


def tagged(marked: str) -> TaggedSentence:
    """Read `word/PART/chunk[/entity[/kind]]` tokens into a sentence with a space between words.

    A `~` before a word joins it to the one before.
    """
    text = ""
    words = []
    for token in marked.split():
        form, part, chunk, *more = token.rsplit("/") if not token.startswith("//") else ["/", *token[2:].split("/")]
        entity = more[0] if more else "O"
        kind = more[1] if len(more) > 1 else "thing"
        glued = form.startswith("~") and len(form) > 1
        form = form[1:] if glued else form
        text += "" if not text or glued else " "
        scores = {each: 0.0 if each == kind else -5.0 for each in KINDS}
        words.append(Word(form, len(text), len(text) + len(form), part, chunk, entity, scores))
        text += form
    return TaggedSentence(text, tuple(words))
