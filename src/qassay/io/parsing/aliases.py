"""What other tools call our fields: suggested where a field is missing, never taken unasked."""

from collections.abc import Iterable
from difflib import get_close_matches

ALIASES: dict[str, tuple[str, ...]] = {
    "id": ("question_id", "qid", "query_id", "example_id", "sample_id", "doc_id", "task_id", "uid", "uuid", "idx"),
    "question": (
        "questions",
        "query",
        "user_input",
        "input",
        "inputs",
        "prompt",
        "problem",
        "user_query",
        "user_question",
        "instruction",
        "question_text",
        "query_text",
        "request",
        "q",
    ),
    "references": (
        "reference",
        "refs",
        "ref",
        "answers",
        "gold",
        "golds",
        "gold_answer",
        "gold_answers",
        "golden_answer",
        "golden_answers",
        "ground_truth",
        "ground_truths",
        "target",
        "targets",
        "expected",
        "expected_answer",
        "expected_output",
        "expected_response",
        "ideal",
        "answer",
    ),
    "candidate": (
        "candidates",
        "prediction",
        "predictions",
        "predicted",
        "predicted_answer",
        "pred",
        "response",
        "output",
        "outputs",
        "actual_output",
        "generated",
        "generated_answer",
        "generation",
        "generated_text",
        "hypothesis",
        "completion",
        "model_answer",
        "model_output",
        "model_response",
        "system_answer",
        "answer",
    ),
    "system": ("model", "model_name", "system_name", "provider", "run", "run_name"),
    "opinion": ("yesno", "yesno_answer", "stance"),
    "entities": ("entity", "entity_answers"),
    "context": ("passage", "paragraph", "document", "article", "story", "evidence"),
    "contexts": ("retrieved_contexts", "retrieval_context", "retrieved_documents", "passages", "documents", "chunks"),
    "question_type": ("type", "category", "question_category", "kind"),
    "judgement": ("human_score", "human_rating", "rating", "human_label", "judgment", "correct", "is_correct", "grade"),
    "sample": ("sample_index", "sample_idx", "epoch", "trial", "attempt", "generation_index", "repeat"),
}
"""Our field to other names of it, the likelier ones first."""

_CLOSE = 0.8


def likely_name(field: str, names: Iterable[object]) -> str | None:
    """Return which of some names probably stands for a field of ours; None where none does."""
    given = [name for name in names if isinstance(name, str)]
    present = {name.lower().replace(" ", "_").replace("-", "_"): name for name in reversed(given)}
    known = next((present[other] for other in ALIASES.get(field, ()) if other in present), None)
    if known is not None:
        return known
    close = get_close_matches(field, given, n=1, cutoff=_CLOSE)
    return close[0] if close else None
