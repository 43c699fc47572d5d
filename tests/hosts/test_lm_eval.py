"""lm-evaluation-harness with Qassay's results, in a task that a YAML file describes."""

import json
import pickle

import pytest

import qassay
from host_rows import MEAN, POOLED, ROWS

pytest.importorskip("lm_eval")

import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager
from lm_eval.utils import make_table

from qassay.hosts.lm_eval import pooled, process_results, results_of

Z = 1.959963984540054
TASK = """
task: capitals
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}, cache_dir: {data}.cache}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{references[0]}}}}"
process_results: !function qassay.hosts.lm_eval.process_results
metric_list:
  - {{metric: ava, aggregation: mean, higher_is_better: true}}
  - {{metric: bleu, aggregation: !function qassay.hosts.lm_eval.pooled, higher_is_better: true}}
  - {{metric: bleu_stderr, aggregation: !function qassay.hosts.lm_eval.pooled_stderr, higher_is_better: false}}
"""


class Candidates(LM):
    """A model that says the candidates."""

    def generate_until(self, requests):
        """Return the candidate of each document."""
        return [each.doc["given"] for each in requests]

    def loglikelihood(self, requests):
        """No task here asks for it."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


@pytest.fixture
def evaluate(tmp_path, monkeypatch):
    """Let the harness evaluate rows, which it reads from a file."""
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    def evaluate(rows):
        data = tmp_path / "rows.jsonl"
        data.write_text(
            "".join(
                json.dumps({"question": row["question"], "references": row["references"], "given": row["candidate"]})
                + "\n"
                for row in rows
            )
        )
        (tmp_path / "capitals.yaml").write_text(TASK.format(data=data))
        return lm_eval.simple_evaluate(
            model=Candidates(),
            tasks=["capitals"],
            task_manager=TaskManager(include_path=str(tmp_path), include_defaults=False),
        )

    return evaluate


def test_scores_are_those_of_qassay(evaluate):
    """Mean, pooled BLEU and standard errors are those of `qassay.score`; the harness shows them in its table."""
    ava, bleu = (expected := qassay.score(ROWS, [MEAN, POOLED])).aggregates
    found = evaluate(ROWS)
    results = found["results"]["capitals"]
    assert results["ava,none"] == pytest.approx(ava.value, abs=1e-6)
    assert results["ava_stderr,none"] == pytest.approx((ava.high - ava.low) / (2 * Z), rel=0.1)
    assert results["bleu,none"] == bleu.value
    assert results["bleu_stderr,none"] == pytest.approx((bleu.high - bleu.low) / (2 * Z))
    assert [each["bleu"] for each in found["samples"]["capitals"]] == pytest.approx(
        [expected.score(POOLED, i).value for i in range(len(ROWS))], abs=1e-9
    )
    table = make_table(found)
    assert f"{bleu.value:.4f}|±  |{results['bleu_stderr,none']:.4f}" in table


def test_unscored_has_no_result():
    """An answer whose reference is empty has no part in the aggregates."""
    assert process_results({"question": "?", "references": [""]}, ["Paris"]) == {}


def test_other_metrics_and_fields():
    """Metrics are chosen in Python; questions and references are found under usual names; scores can be pickled."""
    found = results_of("token_f1", "bleu,n=1")({"query": "?", "answers": {"text": ["Paris", "paris"]}}, ["It is Paris"])
    assert found["token_f1"] == pytest.approx(1 / 2)
    assert pooled([pickle.loads(pickle.dumps(found["bleu,n=1"]))]) == found["bleu,n=1"] == pytest.approx(1 / 3)  # noqa: S301 - our own


def test_documents_without_references_are_refused():
    """The message names the fields that are there."""
    with pytest.raises(qassay.DataError, match='the document has question, text; name its references "references"'):
        process_results({"question": "?", "text": "…"}, ["Paris"])


def test_a_metric_of_the_whole_run_is_refused():
    """`cider` weighs words by all references, which one document does not have."""
    with pytest.raises(qassay.SpecError, match="cider depends on the whole run"):
        results_of("cider")


def test_reasons_and_notes_are_logged_once(caplog):
    """An answer that drops out of the aggregates, and a judge without a question, are told in the log."""
    results = results_of("ava", "rouge_l")
    for _ in range(2):
        assert results({"question": "?", "references": None}, ["Paris"]) == {}
    assert set(results({"references": ["Paris"]}, ["It is Paris"])) == {"ava", "rouge_l"}
    assert [each.getMessage() for each in caplog.records if each.name == "qassay.hosts.lm_eval"] == [
        'ava: no score: "references" must be a list of strings and is null; write ["…"] (told once)',
        'rouge_l: no score: "references" must be a list of strings and is null; write ["…"] (told once)',
        "ava: note: answers without a question, judged by their references alone (told once)",
    ]
