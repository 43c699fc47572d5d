"""Sentences said otherwise, sentences made wrong, and questions made statements."""

import numpy as np
import pytest

from grammar import tagged
from qassay.training.consistency import corruptions, rewordings
from qassay.training.consistency.drafts import draft_of, names, render
from qassay.training.consistency.restatements import opinion, statement
from qassay.training.consistency.rewordings import Synonyms, reworded
from qassay.training.consistency.scene import Scene, World

BORN = tagged(
    "Marie/NNP/B-NP/B-person Curie/NNP/I-NP/I-person was/VBD/B-VP born/VBN/I-VP in/IN/B-PP Warsaw/NNP/B-NP/B-place "
    "in/IN/B-PP 1867/CD/B-NP/B-time ~././O"
)
PIERRE = tagged(
    "Pierre/NNP/B-NP/B-person Smith/NNP/I-NP/I-person visited/VBD/B-VP Paris/NNP/B-NP/B-place in/IN/B-PP "
    "1891/CD/B-NP/B-time ~././O"
)
WON = tagged("She/PRP/B-NP/O won/VBD/B-VP two/CD/B-NP/B-number old/JJ/I-NP prizes/NNS/I-NP ~././O")
MARRIED = tagged(
    "Anna/NNP/B-NP/B-person Berg/NNP/I-NP/I-person defeated/VBD/B-VP Maria/NNP/B-NP/B-person Holm/NNP/I-NP/I-person "
    "~././O"
)


def _scene(*sentences):
    world = World()
    scene = Scene.of([draft_of(each) for each in sentences], world)
    world.add(scene)
    return scene


def _text(draft):
    return None if draft is None else render(draft)[0]


def _drawn(change, sentences, number=0, seeds=30):
    """Return all that a change makes of a sentence over several draws."""
    scene = _scene(*sentences)
    made = [change(scene.drafts[number], number, scene, np.random.default_rng(seed)) for seed in range(seeds)]
    return {render(each) for each in made if each}


def test_a_sentence_becomes_itself_again():
    """Marks follow the words before them, and names are found with their kinds."""
    assert _text(draft_of(BORN)) == "Marie Curie was born in Warsaw in 1867."
    assert [(run.first, run.last, run.kind) for run in names(draft_of(BORN))] == [
        (0, 2, "person"),
        (5, 6, "place"),
        (7, 8, "time"),
    ]


def test_a_name_is_exchanged_for_one_of_the_same_kind_that_the_document_holds():
    """The place becomes the other sentence's place, the person its person; what is new is marked as wrong."""
    made = _drawn(corruptions.other_name, [BORN, PIERRE])
    assert ("Marie Curie was born in Paris in 1867.", ((24, 29),)) in made
    assert ("Pierre Smith was born in Warsaw in 1867.", ((0, 12),)) in made
    assert all(text != "Marie Curie was born in Warsaw in 1867." for text, _ in made)


def test_a_year_becomes_another_year():
    """It is one of the document's or one near it."""
    made = _drawn(corruptions.other_number, [BORN, PIERRE])
    years = {int(text[-5:-1]) for text, _ in made}
    assert 1891 in years
    assert 1867 not in years
    assert all(1840 < year < 1895 for year in years)


def test_two_names_change_places():
    """Who defeated whom is told the other way round, and both are wrong."""
    made = _drawn(corruptions.exchanged, [MARRIED])
    assert made == {("Maria Holm defeated Anna Berg.", ((0, 10), (20, 29)))}


@pytest.mark.parametrize(
    ("sentence", "denied"),
    [
        (BORN, {"Marie Curie was not born in Warsaw in 1867.", "Marie Curie wasn't born in Warsaw in 1867."}),
        (MARRIED, {"Anna Berg did not defeat Maria Holm.", "Anna Berg never defeated Maria Holm."}),
    ],
)
def test_a_statement_is_denied(sentence, denied):
    """The verb takes its auxiliary or "did"."""
    assert denied <= {text for text, _ in _drawn(corruptions.negated, [sentence])}


def test_a_denial_is_taken_back():
    """What was denied is said."""
    sentence = tagged("They/PRP/B-NP ca/MD/B-VP ~n't/RB/I-VP swim/VB/I-VP ~././.")
    assert {text for text, _ in _drawn(corruptions.negated, [sentence])} == {"They can swim."}


def test_a_pronoun_and_a_quantity_are_changed():
    """Another pronoun, another number word, an opposite."""
    assert {"He won two old prizes.", "They won two old prizes."} <= {
        text for text, _ in _drawn(corruptions.other_pronoun, [WON])
    }
    assert {"She won two new prizes."} <= {text for text, _ in _drawn(corruptions.opposite, [WON])}


def test_what_is_said_of_one_is_said_of_another():
    """One sentence's subject gets the other's predicate."""
    made = {text for text, _ in _drawn(corruptions.spliced, [BORN, PIERRE])}
    assert made == {"Marie Curie visited Paris in 1891."}


def test_every_corruption_marks_what_is_wrong():
    """Whatever was done, there are characters that are wrong, inside the claim."""
    scene = _scene(BORN, PIERRE, WON, MARRIED)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        found = corruptions.corrupted(scene.drafts[seed % 4], seed % 4, scene, rng)
        assert found is not None
        text, wrong = render(found[0])
        assert wrong
        assert all(0 <= start < end <= len(text) for start, end in wrong)


def test_voice_is_changed_where_the_verb_is_regular():
    """Active becomes passive and passive active."""
    scene = _scene(MARRIED)
    rng = np.random.default_rng(0)
    passive = rewordings.other_voice(scene.drafts[0], 0, scene, rng)
    assert _text(passive) == "Maria Holm was defeated by Anna Berg."
    assert _text(rewordings.other_voice(passive, 0, scene, rng)) == "Anna Berg defeated Maria Holm."


def test_a_phrase_moves_to_the_end():
    """The comma goes."""
    sentence = tagged("In/IN/B-PP 1990/CD/B-NP/B-time ~,/,/O Anna/NNP/B-NP/B-person left/VBD/B-VP ~././O")
    scene = _scene(sentence)
    made = rewordings.moved_phrase(scene.drafts[0], 0, scene, np.random.default_rng(0))
    assert _text(made) == "Anna left in 1990."


def test_what_stands_beside_a_name_becomes_a_sentence():
    """Its tense is the sentence's."""
    sentence = tagged(
        "Anna/NNP/B-NP/B-person ~,/,/O the/DT/B-NP queen/NN/I-NP of/IN/B-PP Rome/NNP/B-NP/B-place ~,/,/O "
        "left/VBD/B-VP ~././O"
    )
    scene = _scene(sentence)
    made = rewordings.apposition(scene.drafts[0], 0, scene, np.random.default_rng(0))
    assert _text(made) == "Anna was the queen of Rome."


def test_nothing_is_left_out_beside_a_denial():
    """What is denied may be what would be left out."""
    sentence = tagged("He/PRP/B-NP was/VBD/B-VP never/RB/I-VP seen/VBN/I-VP in/IN/B-PP Rome/NNP/B-NP ~././O")
    scene = _scene(sentence)
    assert all(
        rewordings.shortened(scene.drafts[0], 0, scene, np.random.default_rng(seed)) is None for seed in range(20)
    )


def test_a_pronoun_stands_for_the_only_person():
    """Where the document says which pronoun fits, either may stand for the other."""
    scene = _scene(BORN, WON)
    rng = np.random.default_rng(0)
    assert _text(rewordings.pronoun_for_name(scene.drafts[0], 0, scene, rng)) == "She was born in Warsaw in 1867."
    assert _text(rewordings.name_for_pronoun(scene.drafts[1], 1, scene, rng)) == "Marie Curie won two old prizes."
    assert rewordings.pronoun_for_name(scene.drafts[0], 0, _scene(BORN, WON, PIERRE), rng) is None


def test_synonyms_have_one_meaning_each(tmp_path):
    """A word with two meanings is left alone, and so is one that is not known."""
    table = tmp_path / "synsets.tsv"
    table.write_text("synset\tlexfile\tmembers\n1-n\tx\tprize|award\n2-n\tx\tsofa|couch\n3-n\tx\tcouch|bed\n")
    synonyms = Synonyms(table)
    assert synonyms.of("prizes", "NNS") == ["awards"]
    assert synonyms.of("couch", "NN") == []
    assert synonyms.of("sofa", "NN") == []
    assert _text(synonyms.reword(draft_of(WON), np.random.default_rng(0))) == "She won two old awards."
    assert Synonyms(table, lambda _: False).reword(draft_of(WON), np.random.default_rng(0)) is None


def test_rewording_keeps_names_and_figures():
    """However a sentence is said otherwise, nothing in it is wrong."""
    scene = _scene(BORN, PIERRE)
    for seed in range(40):
        draft, _ = reworded(scene.drafts[0], 0, scene, np.random.default_rng(seed), Synonyms())
        text, wrong = render(draft)
        assert not wrong
        assert "Curie" in text or text.startswith("She")


@pytest.mark.parametrize(
    ("question", "answer", "before", "said"),
    [
        (
            "Where/WRB/B-ADVP did/VBD/O the/DT/B-NP game/NN/I-NP take/VB/B-VP place/NN/B-NP ~?/./O",
            "Rome",
            "at",
            "The game took place at Rome.",
        ),
        ("What/WP/B-NP is/VBZ/B-VP the/DT/B-NP capital/NN/I-NP ~?/./O", "Paris", "", "The capital is Paris."),
        ("Who/WP/B-NP won/VBD/B-VP the/DT/B-NP race/NN/I-NP ~?/./O", "Anna Berg", "", "Anna Berg won the race."),
        ("Why/WRB/B-ADVP did/VBD/O he/PRP/B-NP leave/VB/B-VP ~?/./O", "It rained", "", None),
    ],
)
def test_a_question_with_its_answer_is_a_statement(question, answer, before, said):
    """The verb takes its form, the answer its place and preposition."""
    draft = statement(tagged(question), answer, before)
    assert _text(draft) == said
    if draft:
        text, spans = render(draft)
        assert [text[slice(*span)] for span in spans] == [answer]


@pytest.mark.parametrize(
    ("question", "yes", "said"),
    [
        ("is/VBZ/O the/DT/B-NP car/NN/I-NP red/JJ/B-ADJP ~?/./O", True, "The car is red."),
        ("is/VBZ/O the/DT/B-NP car/NN/I-NP red/JJ/B-ADJP ~?/./O", False, "The car is not red."),
        ("did/VBD/O they/PRP/B-NP win/VB/B-VP ~?/./O", True, "They won."),
        ("did/VBD/O they/PRP/B-NP win/VB/B-VP ~?/./O", False, "They did not win."),
    ],
)
def test_a_yes_no_question_is_a_statement(question, yes, said):
    """Denied for no."""
    assert _text(opinion(tagged(question), yes=yes)) == said
