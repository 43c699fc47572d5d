"""Building the consistency head's training data: claims that a program makes of documents without labels.

As FactCC's data was made (Kryscinski et al. 2020): a sentence of a document, kept or said otherwise by rules, is
consistent with it; one with a name, number, pronoun, verb or phrase exchanged, or denied, is not. Besides, questions
that people asked about a text are made statements, with the right answer or with a wrong one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qassay.training.answer_text import content_words, question_key, sentences_of
from qassay.training.consistency.corruptions import corrupted
from qassay.training.consistency.drafts import draft_of, render
from qassay.training.consistency.restatements import opinion, statement
from qassay.training.consistency.rewordings import Synonyms, fits, reworded
from qassay.training.consistency.rows import ClaimRow, DocumentRow
from qassay.training.consistency.scene import Scene, World
from qassay.training.consistency.texts import read_passages, windows_of
from qassay.training.files import write_sides
from qassay.training.sources import nothing_left
from qassay.training.splits import TRAIN, Side, hashes_below, side_of_article

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np

    from qassay.models.syntax import Chunker, TaggedSentence
    from qassay.training.answer_text import Span
    from qassay.training.consistency.drafts import Draft
    from qassay.training.consistency.texts import Passage, PassageQuestion, TextWindow

_TEST_SHARE, _KEPT_BACK = 0.05, 0.09
"""Articles for the final test, and those together with the ones for choosing; SQuAD's are named."""
_MOST_SENTENCES = 5
"""Of a window about which claims are made."""
_AT_ONCE = 2000
"""Sentences tagged at a time."""
_PLAIN = 0.35
"""How many sentences are corrupted as they stand, without being said otherwise first."""
_REMOVED = 0.5
"""For how many windows there is one without a sentence that a claim was made of."""
_WRONG_ANSWERS = 2
_ASKED = 0.4
"""How many questions are put before their answer, rather than made one statement with it."""
_FEWEST_OWN_WORDS = 3
_LONG_SENTENCE = 8
"""Words from which on the same sentence in two texts shows that they are of one article."""


@dataclass(slots=True)
class ConsistencyData:
    """Documents for training, for choosing, and for the final test."""

    sides: dict[Side, list[DocumentRow]] = field(default_factory=lambda: {"train": [], "dev": [], "test": []})

    def write(self, folder: Path) -> None:
        """Write `train.jsonl`, `dev.jsonl`, `test.jsonl` and `sources.json` with the counts."""
        counts = {
            str(side): {
                "documents": dict(Counter(row.source for row in rows)),
                "consistent": dict(Counter(claim.kind for row in rows for claim in row.claims if claim.consistent)),
                "not consistent": dict(
                    Counter(claim.kind for row in rows for claim in row.claims if not claim.consistent)
                ),
            }
            for side, rows in self.sides.items()
        }
        write_sides(folder, {str(side): rows for side, rows in self.sides.items()}, counts)


def side_of(group: str) -> Side:
    """Return on which side of the split an article is."""
    source, _, name = group.partition(":")
    if source == "squad":
        return side_of_article(name)
    if hashes_below(group, _TEST_SHARE):
        return "test"
    return "dev" if hashes_below(group, _KEPT_BACK) else "train"


def build(
    folder: Path,
    chunker: Chunker,
    *,
    rng: np.random.Generator,
    synonyms: Path | None = None,
    licensed_only: bool = False,
) -> ConsistencyData:
    """Read all texts from the folder of public training sets and make claims about them.

    `synonyms` is Open English WordNet's table of synsets. A text that shares a long sentence with one that is kept for
    choosing or testing is left out of training.
    """
    left_out: Counter[str] = Counter()
    passages = list(read_passages(folder, left_out, licensed_only=licensed_only))
    if not passages:
        raise nothing_left(left_out)
    maker = Maker(tags_of(passages, chunker), Synonyms(synonyms, chunker.knows), rng)
    return maker.make(apart(passages))


def apart(passages: Sequence[Passage]) -> list[Passage]:
    """Leave out passages for training that share a long sentence with one that is kept back."""
    kept_back = {
        question_key(sentence)
        for passage in passages
        if side_of(passage.group) != TRAIN
        for sentence in sentences_of(passage.text)
        if len(sentence.split()) >= _LONG_SENTENCE
    }
    return [
        passage
        for passage in passages
        if side_of(passage.group) != TRAIN
        or not any(question_key(sentence) in kept_back for sentence in sentences_of(passage.text))
    ]


def tags_of(passages: Iterable[Passage], chunker: Chunker) -> dict[str, TaggedSentence]:
    """Tag every sentence and question of passages, each once."""
    texts: dict[str, None] = {}
    for passage in passages:
        texts.update(dict.fromkeys(sentences_of(passage.text)))
        texts.update(dict.fromkeys(sentences_of(passage.conclusion)))
        texts.update(dict.fromkeys(each.question for each in passage.questions))
    order = list(texts)
    found: dict[str, TaggedSentence] = {}
    for first in range(0, len(order), _AT_ONCE):
        some = order[first : first + _AT_ONCE]
        found.update(zip(some, chunker.tag(some), strict=True))
    return found


class Maker:
    """Makes claims about the windows of passages."""

    def __init__(
        self,
        tags: dict[str, TaggedSentence],
        synonyms: Synonyms,
        rng: np.random.Generator,
    ) -> None:
        self._tags = tags
        self._synonyms = synonyms
        self._rng = rng

    def make(self, passages: Sequence[Passage]) -> ConsistencyData:
        """Return the documents with their claims, on their sides."""
        world = World()
        scenes: list[tuple[TextWindow, Scene]] = []
        for passage in passages:
            for window in windows_of(passage, self._rng):
                drafts = [draft_of(self._tags[passage.text[slice(*span)]]) for span in window.sentences]
                scene = Scene.of(drafts, world)
                world.add(scene)
                scenes.append((window, scene))
        data = ConsistencyData()
        near: tuple[TextWindow, Scene] | None = None
        for window, scene in scenes:
            for row in self._rows(window, scene, near):
                if row.claims:
                    data.sides[side_of(row.group)].append(row)
            near = (window, scene)
        return data

    def _rows(self, window: TextWindow, scene: Scene, near: tuple[TextWindow, Scene] | None) -> Iterator[DocumentRow]:
        passage, rng = window.passage, self._rng
        usable = [i for i, draft in enumerate(scene.drafts) if fits(draft) and draft[-1].text != "?"]
        chosen = [usable[i] for i in rng.permutation(len(usable))[:_MOST_SENTENCES].tolist()]
        claims = [claim for number in chosen for claim in self._about(window, scene, number)]
        said = {claim.text for claim in claims}
        for number in chosen:
            again = list(self._about(window, scene, number))
            claims += again if not said & {claim.text for claim in again} else []
        claims += list(self._stated(window))
        claims += list(self._concluded(window, scene))
        if near and near[0].passage.group == passage.group and near[0].text != window.text:
            claims += self._unsupported(near[1], window.text, "elsewhere")
        yield DocumentRow(window.text, claims, passage.source, passage.group)
        if len(scene.drafts) > 1 and chosen and rng.random() < _REMOVED:
            yield from self._without(window, scene, chosen[0])

    def _about(self, window: TextWindow, scene: Scene, number: int) -> Iterator[ClaimRow]:
        """Yield a consistent claim made of one sentence, and one that is not."""
        support = _inside(window, number)
        draft, kind = self._reworded(scene, number)
        yield ClaimRow(render(draft)[0], consistent=True, kind=kind, support=support)
        base = scene.drafts[number] if self._rng.random() < _PLAIN else self._reworded(scene, number)[0]
        if found := corrupted(base, number, scene, self._rng):
            text, wrong = render(found[0])
            yield ClaimRow(text, consistent=False, kind=found[1], wrong=wrong, support=support)

    def _reworded(self, scene: Scene, number: int) -> tuple[Draft, str]:
        return reworded(scene.drafts[number], number, scene, self._rng, self._synonyms)

    def _unsupported(self, scene: Scene, document: str, kind: str, number: int | None = None) -> list[ClaimRow]:
        """Return a claim made of a sentence that a document lacks; nothing where the document says much the same."""
        usable = [i for i, draft in enumerate(scene.drafts) if fits(draft)] if number is None else [number]
        if not usable:
            return []
        place = usable[int(self._rng.integers(len(usable)))]
        text, _ = render(self._reworded(scene, place)[0])
        if len(content_words(text) - content_words(document)) < _FEWEST_OWN_WORDS:
            return []
        return [ClaimRow(text, consistent=False, kind=kind)]

    def _without(self, window: TextWindow, scene: Scene, number: int) -> Iterator[DocumentRow]:
        """Yield the window without one sentence: a claim made of that one, and claims made of others."""
        kept = [i for i in range(len(scene.drafts)) if i != number]
        texts = [window.passage.text[slice(*window.sentences[i])] for i in kept]
        document = " ".join(texts)
        claims = self._unsupported(scene, document, "removed", number)
        if not claims:
            return
        starts = [sum(len(text) + 1 for text in texts[:i]) for i in range(len(texts))]
        usable = [i for i, place in enumerate(kept) if fits(scene.drafts[place])]
        for place in (usable[int(i)] for i in self._rng.permutation(len(usable))[:1]):
            draft, kind = self._reworded(scene, kept[place])
            support = ((starts[place], starts[place] + len(texts[place])),)
            if kind != "fused":
                claims.append(ClaimRow(render(draft)[0], consistent=True, kind=kind, support=support))
        yield DocumentRow(document, claims, window.passage.source, window.passage.group)

    def _stated(self, window: TextWindow) -> Iterator[ClaimRow]:
        """Yield the questions about the window as statements."""
        for asked in window.passage.questions:
            inside = any(map(window.holds, asked.spans))
            whole = window.text == window.passage.text.strip()
            if not inside and not whole:
                continue
            tagged = self._tags[asked.question]
            if asked.yes is not None:
                yield from self._opinions(tagged, yes=asked.yes)
                continue
            support = tuple(self._sentences_around(window, asked))
            before = _word_before(window.passage.text, asked.spans[0]) if asked.spans else ""
            wrong = [*asked.wrong, *self._rivals(window, asked)]
            for text in asked.right[:1]:
                yield from self._answered(tagged, text, before, support, consistent=True)
            for text in (wrong[i] for i in self._rng.permutation(len(wrong))[:_WRONG_ANSWERS].tolist()):
                yield from self._answered(tagged, text, before, support, consistent=False)

    def _rivals(self, window: TextWindow, asked: PassageQuestion) -> Iterator[str]:
        """Yield an answer to another question that begins alike, which shares no word with the right one."""
        begin = asked.question.split()[:1]
        right = {word for text in asked.right for word in content_words(text)} | content_words(asked.question)
        others = [
            text
            for each in window.passage.questions
            if each is not asked and each.question.split()[:1] == begin and asked.right
            for text in each.right
            if not content_words(text) & right
        ]
        if others:
            yield others[int(self._rng.integers(len(others)))]

    def _answered(
        self, tagged: TaggedSentence, answer: str, before: str, support: tuple[Span, ...], *, consistent: bool
    ) -> Iterator[ClaimRow]:
        draft = statement(tagged, answer, before)
        if draft and self._rng.random() >= _ASKED:
            text, wrong = render(draft)
            kind = "statement"
        else:
            text = f"{tagged.text.strip()} {answer.strip()}"
            wrong, kind = ((len(text) - len(answer.strip()), len(text)),), "answer"
        if answer.strip():
            yield ClaimRow(text, consistent, kind, () if consistent else wrong, support)

    def _opinions(self, tagged: TaggedSentence, *, yes: bool) -> Iterator[ClaimRow]:
        for said in (True, False):
            if draft := opinion(tagged, yes=said):
                text, wrong = render(draft)
                yield ClaimRow(text, said == yes, "opinion", () if said == yes else wrong)

    def _concluded(self, window: TextWindow, scene: Scene) -> Iterator[ClaimRow]:
        """Yield what the authors conclude from a text, as it is and made wrong."""
        if window.text != window.passage.text.strip():
            return
        for sentence in sentences_of(window.passage.conclusion):
            draft = draft_of(self._tags[sentence])
            if fits(draft):
                yield ClaimRow(sentence, consistent=True, kind="conclusion")
                whole = Scene.of([*scene.drafts, draft], scene.world)
                if found := corrupted(draft, len(scene.drafts), whole, self._rng):
                    text, wrong = render(found[0])
                    yield ClaimRow(text, consistent=False, kind=found[1], wrong=wrong)

    def _sentences_around(self, window: TextWindow, asked: PassageQuestion) -> Iterator[Span]:
        for start, end in asked.spans:
            for low, high in window.sentences:
                if low <= start and end <= high:
                    yield low - window.start, high - window.start


def _inside(window: TextWindow, number: int) -> tuple[Span]:
    start, end = window.sentences[number]
    return ((start - window.start, end - window.start),)


def _word_before(text: str, span: Span) -> str:
    words = text[: span[0]].split()
    return words[-1].lower() if words else ""
