"""Questions that the embedded chunker's tags lead to, as a reader would put them."""

import pytest

from qassay.metrics.questions.sentences.parsed_sentence import parse
from qassay.metrics.questions.sentences.phrase_selection import select_nested
from qassay.metrics.questions.wording.clause_questions import ask_in_clause
from qassay.models.load_readers import load_chunker


@pytest.fixture(scope="module")
def chunker():
    return load_chunker()


def _asked(chunker, text, answer):
    (sentence,) = chunker.tag([text])
    phrase = next(each for each in select_nested(sentence) if each.text(sentence) == answer)
    return ask_in_clause(parse(sentence), phrase, chunker.knows)


_VASE = "Anna Berg, a nurse from Bergen, sold the vase in Oslo on Sunday, police said."


@pytest.mark.parametrize(
    ("text", "answer", "question"),
    [
        (_VASE, "Anna Berg", "Who sold the vase in Oslo on Sunday?"),
        (_VASE, "the vase", "What did Anna Berg sell in Oslo on Sunday?"),
        (_VASE, "Oslo", "Where did Anna Berg sell the vase on Sunday?"),
        (_VASE, "Sunday", "When did Anna Berg sell the vase in Oslo?"),
        (_VASE, "a nurse", "Who is Anna Berg?"),
        (_VASE, "Bergen", "Anna Berg is a nurse from where?"),
        ("The film was directed by Ridley Scott in 1979.", "1979", "When was the film directed by Ridley Scott?"),
        ("The film was directed by Ridley Scott.", "Ridley Scott", "Who was the film directed by?"),
        ("The mayor of Oslo resigned.", "Oslo", "The mayor of what place resigned?"),
        ("The club lost seven games.", "seven games", "How many games did the club lose?"),
        ("There are three films in the trilogy.", "three films", "How many films are there in the trilogy?"),
        ("The man who stole the car was arrested.", "the car", "What did the man steal?"),
        ("The man who stole the car was arrested.", "The man", "Who was arrested?"),
        ("Two men died in the fire, officials said Monday.", "officials", "Who said that two men died in the fire?"),
        ("The fire destroyed homes and killed two men.", "two men", "How many men did the fire kill?"),
        ("The story is found in the Bible.", "The story", "What is found in the Bible?"),
        ('The version of "Alien" was cut by Scott.', "Scott", "Who was the version of Alien cut by?"),
        ("In 1979, the director made a film.", "1979", "When did the director make a film?"),
        ("Her video is another viral hit.", "another viral hit", "What is her video?"),
        ("Most kids never had a chance to attend school.", "a chance", "What did most kids never have?"),
        ("The club held talks at the end of February.", "talks", "What did the club hold at the end of February?"),
        (
            "The song \u201cSacrifice\u201d appears on his album.",
            "his album",
            "What does the song Sacrifice appear on?",
        ),
    ],
)
def test_a_clause_is_asked_about_as_people_would(chunker, text, answer, question):
    """The question word comes first, and what was inserted into the clause is left out."""
    assert _asked(chunker, text, answer)[0] == question


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("An 83rd minute sub in Chelsea's win over Arsenal.", "An 83rd minute sub"),
        ("An 83rd minute sub in Chelsea's win over Arsenal.", "Arsenal"),
        ("The meeting took place in Oslo.", "place"),
        ("The club won three games in a row.", "a row"),
        ("One of his tours ended in Oslo.", "his tours"),
        ("No astronauts will be aboard the flight.", "No astronauts"),
        ("He is a nurse.", "a nurse"),
        ("The police told reporters on Monday.", "reporters"),
        ("They each face a charge of fraud and each face a fine.", "a fine"),
        ("It was hard, Graham said in a statement.", "a statement"),
    ],
)
def test_what_cannot_be_asked_well_is_not_asked(chunker, text, answer):
    """Fragments without a verb, idioms, and what would ask for nothing."""
    assert _asked(chunker, text, answer) == ()


def test_a_question_may_have_another_wording(chunker):
    """The second stands in the order of a statement."""
    assert _asked(chunker, "The gallery sold the vase in May.", "the vase")[1] == "The gallery sold what?"


@pytest.mark.parametrize(("text", "question"), [("Oslo.", "Where is it?"), ("Apples", "What is it?")])
def test_an_entry_of_a_list_is_asked_for_alone(chunker, text, question):
    """There is nothing else in it."""
    assert _asked(chunker, text, text.rstrip(".")) == (question,)


def test_a_possessor_inside_a_phrase_is_asked_for(chunker):
    """As FEQA does, which asks for phrases within others."""
    assert _asked(chunker, "Newman's bonus was cut.", "Newman") == ("Whose bonus was cut?",)


def test_a_sentence_of_thousands_of_words_ends(chunker):
    """It is left alone instead of being taken apart."""
    (sentence,) = chunker.tag(["he said that " * 2000 + "Anna won."])
    assert parse(sentence).clauses == ()


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("His office received the daily report for senior officials that the agency wrote.", "the daily report"),
        ("Directives are addressed to the member states and usually leave them a choice.", "Directives"),
        ("Teachers may enjoy greater benefits (like health insurance) in some states.", "health insurance"),
    ],
)
def test_no_question_breaks_off(chunker, text, answer):
    """Where a clause was cut too early or inside brackets, nothing is asked of it."""
    for question in _asked(chunker, text, answer):
        assert not question.endswith((" that?", " and?", " and usually?"))
        assert question.count("(") == question.count(")")
