"""Small studies for tests."""

from qassay.records import Example, Reference
from qassay.web.study import creation
from qassay.web.study.tasks import Task


def answers(n, systems=("a", "b")):
    """Make n answers; every second one is right."""
    return [
        Example(
            f"q{i // len(systems)}",
            f"what is number {i // len(systems)}",
            (Reference(f"it is {i // len(systems)}"),),
            f"it is {i // len(systems)}" if i % 3 else "nobody knows",
            systems[i % len(systems)],
        )
        for i in range(n)
    ]


def expected(n, value=5.0):
    """Make n answers whose judgement is known."""
    return [
        Example(f"g{i}", f"gold {i}", (Reference("yes"),), "yes", judgement=value, extra={"why": "the same"})
        for i in range(n)
    ]


def prepare(n=20, *, task="likert5", k=3, gold=0, practice=(), metrics=(), judge=None, scored=False, **more):
    """Return what makes a study with n answers in a server."""

    def make(server):
        plan = creation.StudyPlan("Study", Task(task), k, tuple(metrics), judge, **more)
        given = answers(n)
        table = creation.score_answers(given, plan) if scored else None
        grade = {"likert5": 5.0, "binary": 1.0, "pair": 1.0}[task]
        server.database.write(
            lambda c: creation.create(c, plan, given, table, gold=expected(gold, grade), practice=practice)
        )

    return make
