from grammar import tagged
from qassay.metrics.questions.sentences.phrase_selection import select_answers


def _texts(marked):
    sentence = tagged(marked)
    return [phrase.text(sentence) for phrase in select_answers(sentence)]


def test_noun_phrases_are_answers_in_the_order_of_the_sentence():
    """Each noun phrase is an answer, with its determiner."""
    found = _texts(
        "A/DT/B-NP jacket/NN/I-NP fetched/VBD/B-VP $/$/B-NP ~137,000/CD/I-NP at/IN/B-PP auction/NN/B-NP ~././O"
    )
    assert found == ["A jacket", "$137,000", "auction"]


def test_what_is_possessed_belongs_to_its_owner():
    """The possessive opens a new chunk in CoNLL-2000 but not a new answer."""
    found = _texts("the/DT/B-NP government/NN/I-NP ~'s/POS/B-NP popularity/NN/I-NP fell/VBD/B-VP")
    assert found == ["the government's popularity"]


def test_what_of_adds_is_an_answer_of_its_own():
    """QAEval asks about both sides of "of"."""
    found = _texts("a/DT/B-NP total/NN/I-NP of/IN/B-PP 151/CD/B-NP medals/NNS/I-NP")
    assert found == ["a total", "151 medals"]


def test_of_inside_a_name_keeps_it_together():
    """A name is one answer, whatever words it is made of."""
    found = _texts(
        "the/DT/B-NP University/NNP/I-NP/B-organisation of/IN/B-PP/I-organisation Chicago/NNP/B-NP/I-organisation"
    )
    assert found == ["the University of Chicago"]


def test_a_name_that_is_left_open_at_of_goes_on():
    """The chunker may take the place in a name for a name of its own."""
    found = _texts(
        "The/DT/B-NP University/NNP/I-NP/B-organisation of/IN/B-PP/I-organisation Chicago/NNP/B-NP/B-place "
        "~'s/POS/B-NP president/NN/I-NP resigned/VBD/B-VP"
    )
    assert found == ["The University of Chicago's president"]


def test_a_name_that_crosses_chunks_is_one_answer():
    """An entity keeps together what the chunks cut."""
    found = _texts("Beverly/NNP/B-NP/B-place ~,/,/O/I-place California/NNP/B-NP/I-place")
    assert found == ["Beverly, California"]


def test_pronouns_and_question_phrases_are_no_answers():
    """Nobody can ask about "he" or "which team"."""
    assert _texts("he/PRP/B-NP knew/VBD/B-VP which/WDT/B-NP team/NN/I-NP won/VBD/B-VP") == []


def test_a_quotation_mark_inside_a_phrase_closes_in_it():
    """A phrase never ends inside a quotation that it opened."""
    found = _texts('"/``/O ingenious/JJ/B-NP "/``/I-NP ~selfies/NNS/I-NP ~"/\'\'/O appeared/VBD/B-VP')
    assert found == ['ingenious "selfies"']


def test_answers_know_their_characters():
    """The span of characters gives the phrase's text."""
    sentence = tagged("Then/RB/O the/DT/B-NP dress/NN/I-NP sold/VBD/B-VP")
    (phrase,) = select_answers(sentence)
    assert sentence.text[slice(*phrase.characters(sentence))] == "the dress"
