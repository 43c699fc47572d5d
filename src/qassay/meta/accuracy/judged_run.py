"""From answers to judged answers: scores, people's verdicts, and the threshold between right and wrong."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from qassay.arrays import Floats
from qassay.errors import DataError, SpecError, option
from qassay.meta.accuracy.classification import rate_threshold
from qassay.meta.accuracy.estimates import JudgedAnswers
from qassay.meta.accuracy.label_files import Labels
from qassay.meta.accuracy.label_selection import LabelSelection, next_labels
from qassay.meta.accuracy.labels import MatchedLabels, add_judgements, match_labels
from qassay.meta.accuracy.ppi import EVEN
from qassay.meta.accuracy.sampled_judge import SampledJudge
from qassay.meta.accuracy.system_wise import RankedAnswers, SystemWise, evaluate_systems, tune_threshold
from qassay.meta.judge_column import JudgeColumn
from qassay.meta.statistics.weighted import rounded_ties
from qassay.metrics.registry import CATALOGUE, parse_spec
from qassay.records import AnswerNotes, Example
from qassay.scoring.aggregates.clusters import QUESTION, cluster_of
from qassay.scoring.progress import Progress
from qassay.scoring.scorer import OnError, score_examples
from qassay.version import __version__

_RANK = "rank"
JUDGED_MISSING = "missing answers on which there is a verdict, which the judge counts as not right"


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRun:
    """Answers with scores, verdicts and labels."""

    examples: tuple[Example, ...]
    """Where answers are ranked, only the first one per question and system."""
    answers: JudgedAnswers
    probabilities: Floats
    """The judge's scores before any threshold."""
    judge: str
    signature: str
    threshold: float | None
    """Answers with at least this score count as right; None where the scores are averaged."""
    system_wise: SystemWise | None
    """P@1, MAP and MRR under judge and people, where answers are ranked and judged."""
    notes: tuple[str, ...]
    answer_notes: tuple[AnswerNotes | None, ...] = ()
    """What the judge noted of each answer; empty where it notes nothing."""

    def choose(self, n: int, seed: int) -> tuple[LabelSelection, int]:
        """Return the answers to label next and the round's number; those judged or already in a list are left out."""
        labels, true = self.answers.labels, self.answers.true
        taken = np.zeros(len(self.examples), dtype=bool) if true is None else ~np.isnan(true)
        if labels is not None:
            taken |= labels.labelled | labels.waiting
        round_ = 1 if labels is None else int(labels.round.max()) + 1
        # The round enters the seed, so that later draws do not depend on earlier ones.
        rng = np.random.default_rng([seed, round_])
        known = None if labels is None else labels.value
        drawn = next_labels(self.probabilities, n, rng, system=self.answers.system, labelled=taken, labels=known)
        return drawn, round_


@dataclass(frozen=True, slots=True, eq=False)
class JudgeScores:
    """What a judge says of the answers."""

    spec: str
    values: Floats
    """NaN where there is no score."""
    signature: str
    notes: tuple[str, ...]
    answer_notes: Sequence[AnswerNotes | None] = ()
    sampled: SampledJudge | None = None
    """Where the judge was asked about some answers only: how."""


def judge_answers(
    examples: Iterable[Example],
    judge: str,
    *,
    labels: Labels | None = None,
    threshold: float | None = None,
    dev: Iterable[Example] | None = None,
    cut: float | None = None,
    repeated: Literal["stop", "mean"] = "stop",
    language: str = "auto",
    on_error: OnError = "stop",
    progress: Progress | None = None,
    scored: JudgeScores | None = None,
    cluster: str | None = None,
) -> JudgedRun:
    """Score answers with a judge and join them with people's verdicts.

    The judge is a metric, or `column:NAME` where its scores stand in the answers' field of that name.
    Verdicts are the labels, and judgements that come with a part of a system's answers, if they are 0 or 1 or `cut`
    says from which value on an answer is right; `repeated` says what becomes of contradictory ones. With judgements
    of all answers the truth is known. A `threshold` turns scores into verdicts before they are averaged; `dev` has
    judged answers to tune it on, so that the systems' accuracies come closest. Where every answer has a `rank` (1 is
    first), accuracy is that of the first answers. With `on_error="skip"` answers that are too long for the judge are
    left unscored. Answers of a system that share their `cluster`, by default the question, are not independent.
    `scored` has what the judge said of the answers before, where it is not to be asked again.
    """
    everything = tuple(examples)
    scored = scored or _scored(everything, judge, language, on_error, progress)
    ranks = _ranks(everything)
    truth, notes = _truth(everything, cut)
    notes = [*scored.notes, *notes]
    if dev is not None:
        threshold = _tuned(tuple(dev), judge, cut, language, on_error)
        notes.append(f"tuned on the development file: answers count as right with a score of at least {threshold:.4g}")
    system_wise = None
    if ranks is not None and truth is not None:
        ranked = RankedAnswers.build(*_keys(everything), -ranks, scored.values, truth)
        system_wise = evaluate_systems(ranked, EVEN if threshold is None else threshold)
    first_rows = np.arange(len(everything)) if ranks is None else np.flatnonzero(ranks == 1)
    first = tuple(everything[row] for row in first_rows.tolist())
    scores = scored.values[first_rows]
    truth = None if truth is None else truth[first_rows]
    labelled = None if labels is None else match_labels(labels, first)
    verdicts = [known for known in (truth, None if labelled is None else labelled.value) if known is not None]
    scores, missing = _with_missing(first, scores, verdicts)
    notes += [f"{JUDGED_MISSING}: {missing:,}"] if missing else []
    judgements = _judged_in_part(first, truth, scores)
    matched = labelled
    if judgements is not None:
        matched = add_judgements(labelled or MatchedLabels.none(len(first)), judgements, repeated)
    if labels is not None and matched is not None:
        notes += _label_notes(labels, matched, scores)
    noted = tuple(scored.answer_notes[row] for row in first_rows.tolist()) if scored.answer_notes else ()
    system, _ = _keys(first)
    question: list[Hashable] = [cluster_of(each, cluster or QUESTION) for each in first]
    answers = JudgedAnswers(
        system,
        question,
        _as_verdicts(scores, threshold),
        matched,
        truth,
        None if scored.sampled is None else _sampled_verdicts(scored.sampled.rows(first_rows), scores, threshold),
        _attempted(first, scores, noted) if noted else None,
    )
    return JudgedRun(first, answers, scores, scored.spec, scored.signature, threshold, system_wise, tuple(notes), noted)


def _scored(
    examples: Sequence[Example], judge: str, language: str, on_error: OnError, progress: Progress | None = None
) -> JudgeScores:
    """Score answers with a metric, or take the scores of a column."""
    column = JudgeColumn.parse(judge)
    if column is not None:
        stored = column.score(examples)
        signature = "|".join([stored.spec, *(stored.signatures or ["stored scores"]), f"qassay:{__version__}"])
        asked = () if stored.sampled is None else (stored.sampled.note,)
        return JudgeScores(stored.spec, stored.shares(), signature, asked, stored.notes, stored.sampled)
    spec = str(parse_spec(judge))
    if CATALOGUE[parse_spec(judge).name].declaration.maximum != 1:
        raise SpecError(f"{spec} does not score from 0 to 1; choose another metric as judge")
    table = score_examples(examples, [spec], language=language, on_error=on_error, progress=progress)
    notes = tuple(f"{note}: {count:,}" for note, count in table.notes.items())
    return JudgeScores(spec, table[spec], table.aggregates[0].signature, notes, table.answer_notes.get(spec, ()))


def _attempted(examples: Sequence[Example], scores: Floats, notes: Sequence[AnswerNotes | None]) -> Floats:
    """Return which answers attempt their question; a missing answer that counts as not right does not."""
    missing = [
        example.candidate is None and not np.isnan(score) for example, score in zip(examples, scores, strict=True)
    ]
    return np.array(
        [
            float(each.attempted) if each is not None else 0.0 if lacks else np.nan
            for lacks, each in zip(missing, notes, strict=True)
        ]
    )


def _as_verdicts(scores: Floats, threshold: float | None) -> Floats:
    """Return 1 for scores from the threshold on and 0 for others; without a threshold the scores themselves."""
    if threshold is None:
        return scores
    return np.where(np.isnan(scores), np.nan, rounded_ties(scores) >= threshold)


def _sampled_verdicts(judges: SampledJudge, scores: Floats, threshold: float | None) -> SampledJudge:
    """Return two judges as their scores are averaged: missing answers that count have the verdict on them."""
    counted = np.isnan(judges.combined) & ~np.isnan(scores)
    costly = np.where(counted, scores, judges.costly)
    return replace(judges, cheap=_as_verdicts(judges.cheap, threshold), costly=_as_verdicts(costly, threshold))


def _with_missing(examples: Sequence[Example], scores: Floats, verdicts: Sequence[Floats]) -> tuple[Floats, int]:
    """Count missing answers that people have a verdict on as not right; return how many there are."""
    counted = np.zeros(len(examples), dtype=bool)
    for known in verdicts:
        counted |= ~np.isnan(known)
    counted &= np.isnan(scores) & np.array([example.candidate is None for example in examples], dtype=bool)
    return np.where(counted, 0.0, scores), int(counted.sum())


def _keys(examples: Sequence[Example]) -> tuple[list[str], list[Hashable]]:
    """Return each answer's system and question; questions are identified by id, by text or by the answer's id."""
    return (
        [example.system for example in examples],
        [cluster_of(example, QUESTION) for example in examples],
    )


def _tuned(dev: Sequence[Example], judge: str, cut: float | None, language: str, on_error: OnError) -> float:
    truth, _ = _truth(dev, cut)
    if truth is None:
        raise DataError(
            f"the development answers have no judgements of 0 or 1 (or {option('cut')}); a threshold is tuned on them"
        )
    scores, ranks = _scored(dev, judge, language, on_error).values, _ranks(dev)
    if ranks is None:
        return rate_threshold(scores, truth, [example.system for example in dev])
    return tune_threshold(RankedAnswers.build(*_keys(dev), -ranks, scores, truth))


def _ranks(examples: Sequence[Example]) -> Floats | None:
    given = [example.extra.get(_RANK) for example in examples]
    if all(rank is None for rank in given):
        return None
    for rank, example in zip(given, examples, strict=True):
        number = float(rank) if isinstance(rank, int | float | str) and str(rank).strip().isdigit() else 0.0
        if number < 1:
            raise DataError(f'"rank" of the answer with id "{example.id}" is {rank!r}; give 1, 2, … for every answer')
    return np.array([float(rank) for rank in given if rank is not None])


def _truth(examples: Sequence[Example], cut: float | None) -> tuple[Floats | None, list[str]]:
    """Return the answers' judgements as right or wrong, where they can be read so."""
    judgements = np.array([np.nan if example.judgement is None else example.judgement for example in examples])
    present = ~np.isnan(judgements)
    if not present.any():
        return None, []
    if cut is not None:
        return np.where(present, judgements >= cut, np.nan), []
    if ((judgements == 0) | (judgements == 1))[present].all():
        return judgements, []
    remedy = "--cut (cut= in Python) says from which value on an answer is right"
    return None, [f"the judgements are not 0 or 1 and were not used; {remedy}"]


def _judged_in_part(examples: Sequence[Example], truth: Floats | None, scores: Floats) -> Floats | None:
    """Return the judgements of systems of which people judged a part of the answers; None without any."""
    if truth is None:
        return None
    # A system whose scored answers are all judged needs no estimate from labels: its truth is known.
    system = np.array([example.system for example in examples], dtype=object)
    scored = ~np.isnan(scores)
    partly = np.zeros(len(examples), dtype=bool)
    for name in dict.fromkeys(system):
        rows = scored & (system == name)
        partly |= rows & bool(np.isnan(truth[rows]).any())
    return np.where(partly, truth, np.nan) if (partly & ~np.isnan(truth)).any() else None


def _label_notes(labels: Labels, matched: MatchedLabels, scores: Floats) -> list[str]:
    shares = sum(label.value not in {0.0, 1.0} for label in labels.labels if label.verdicts == 1)
    counts = {
        "labels of unknown answers, left out": matched.unknown,
        "answers in the label file without a verdict yet, which are not chosen again": int(matched.waiting.sum()),
        "answers whose contradictory labels were averaged": labels.averaged + matched.averaged,
        "labels between right and wrong, taken as the share of people who say right": shares,
        "labels of answers without a score, left out": int((matched.labelled & np.isnan(scores)).sum()),
    }
    return [f"{what}: {count:,}" for what, count in counts.items() if count]
