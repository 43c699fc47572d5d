"""torchmetrics: a metric of texts, over processes too."""

from host_rows import MEAN, POOLED, ROWS


def before(metric):
    import pickle
    from io import BytesIO
    from uuid import uuid4

    import torch
    from torchmetrics import Metric

    import qassay

    class QassayMetric(Metric):
        higher_is_better = True
        is_differentiable = False
        full_state_update = False

        def __init__(self):
            super().__init__()
            self.add_state("accumulated", default=[], dist_reduce_fx="cat")

        def update(self, preds, target, questions):
            rows = [
                {"id": uuid4().hex, "question": question, "references": references, "candidate": candidate}
                for question, references, candidate in zip(questions, target, preds, strict=True)
            ]
            batch = qassay.Accumulator(metric, check_ids=False).update(rows)
            self.accumulated.append(torch.frombuffer(bytearray(pickle.dumps(batch)), dtype=torch.uint8))

        def compute(self):
            held = self.accumulated if isinstance(self.accumulated, list) else [self.accumulated]
            data = b"".join(part.cpu().numpy().tobytes() for part in held)
            total, stream = qassay.Accumulator(metric, check_ids=False), BytesIO(data)
            while stream.tell() < len(data):
                total.merge(pickle.load(stream))
            return torch.tensor(total.compute(intervals=False).aggregates[0].value, dtype=torch.float64)

    return QassayMetric()


def after(metric):
    from qassay.hosts.torchmetrics import metric as make

    return make(metric)


def use(glue):
    found = {}
    for spec in (MEAN, POOLED):
        metric = glue(spec)
        for half in (ROWS[:120], ROWS[120:]):
            metric.update(
                [row["candidate"] for row in half],
                [row["references"] for row in half],
                [row["question"] for row in half],
            )
        found[f"{spec} of all"] = metric.compute().item()
    return found
