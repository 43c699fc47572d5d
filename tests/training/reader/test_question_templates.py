import pytest

from grammar import tagged
from qassay.metrics.questions.sentences.phrase_selection import select_answers
from qassay.training.reader.question_templates import generate

_WORDS = {"sell", "involve", "call", "live"}


def _ask(marked, answer):
    sentence = tagged(marked)
    phrase = next(each for each in select_answers(sentence) if each.text(sentence) == answer)
    return generate(sentence, phrase, _WORDS.__contains__)


_JACKET = (
    "A/DT/B-NP jacket/NN/I-NP worn/VBN/B-VP in/IN/B-PP the/DT/B-NP 1939/CD/I-NP movie/NN/I-NP has/VBZ/B-VP "
    "fetched/VBN/I-VP $/$/B-NP/B-money/amount ~137,000/CD/I-NP/I-money/amount at/IN/B-PP auction/NN/B-NP ~././O"
)


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("A jacket", "What worn in the 1939 movie has fetched $137,000 at auction?"),
        ("the 1939 movie", "A jacket worn in what movie has fetched $137,000 at auction?"),
        ("$137,000", "A jacket worn in the 1939 movie has fetched how much at auction?"),
        ("auction", "A jacket worn in the 1939 movie has fetched $137,000 at what?"),
    ],
)
def test_the_question_word_stands_where_the_answer_stood(answer, question):
    """QAEval's manner: the rest of the sentence stays as it is."""
    assert _ask(_JACKET, answer) == question


@pytest.mark.parametrize(
    ("marked", "answer", "question"),
    [
        (
            "Sir/NNP/B-NP/B-person Hugh/NNP/I-NP/I-person started/VBD/B-VP the/DT/B-NP book/NN/I-NP ~././O",
            "the book",
            "Sir Hugh started what?",
        ),
        (
            "The/DT/B-NP gallery/NN/I-NP sold/VBD/B-VP the/DT/B-NP vase/NN/I-NP in/IN/B-PP May/NNP/B-NP/B-time/time",
            "the vase",
            "What did the gallery sell in May?",
        ),
        (
            "The/DT/B-NP book/NN/I-NP was/VBD/B-VP started/VBN/I-VP by/IN/B-PP Hugh/NNP/B-NP/B-person/person ~././O",
            "Hugh",
            "By whom was the book started?",
        ),
        (
            "Billy/NNP/B-NP/B-person lives/VBZ/B-VP in/IN/B-PP Leeds/NNP/B-NP/B-place/place ~././O",
            "Leeds",
            "Where does Billy live?",
        ),
        (
            "The/DT/B-NP case/NN/I-NP involved/VBD/B-VP Mapp/NNP/B-NP/B-person ~,/,/O who/WP/B-NP won/VBD/B-VP ~././O",
            "Mapp",
            "The case involved who, who won?",
        ),
        (
            "They/PRP/B-NP could/MD/B-VP not/RB/I-VP sell/VB/I-VP the/DT/B-NP house/NN/I-NP ~././O",
            "the house",
            "They could not sell what?",
        ),
    ],
)
def test_the_question_word_moves_to_the_front_of_a_plain_clause_only(marked, answer, question):
    """Subject, verb and answer side by side allow it; unknown verbs, negations and relative clauses do not."""
    assert _ask(marked, answer) == question


@pytest.mark.parametrize(
    ("marked", "answer", "question"),
    [
        ("Two/CD/B-NP/B-number old/JJ/I-NP men/NNS/I-NP/B-people sat/VBD/B-VP", "Two old men", "How many old men sat?"),
        (
            "Rates/NNS/B-NP fell/VBD/B-VP to/TO/B-PP 16/CD/B-NP/B-percent ~%/NN/I-NP/I-percent",
            "16%",
            "To what percentage did rates fall?",
        ),
        ("It/PRP/B-NP fell/VBD/B-VP on/IN/B-PP Monday/NNP/B-NP/B-time/time", "Monday", "When did it fall?"),
        ("It/PRP/B-NP went/VBD/B-VP from/IN/B-PP Rome/NNP/B-NP/B-place/place", "Rome", "From where did it go?"),
        ("The/DT/B-NP/O police/NNS/I-NP/B-people/person came/VBD/B-VP", "The police", "Who came?"),
        ("Acme/NNP/B-NP/B-organisation paid/VBD/B-VP", "Acme", "What organization paid?"),
        (
            "He/PRP/B-NP made/VBD/B-VP the/DT/B-NP 1939/CD/I-NP/B-time/time movie/NN/I-NP/I-time here/RB/B-ADVP",
            "the 1939 movie",
            "What movie did he make here?",
        ),
        ("Philotas/NNP/B-NP/B-organisation/person paid/VBD/B-VP", "Philotas", "Who paid?"),
    ],
)
def test_the_question_word_follows_from_the_kind_of_answer(marked, answer, question):
    """Persons, places, times, counts and names have words of their own."""
    assert _ask(marked, answer) == question


@pytest.mark.parametrize(
    ("marked", "answer", "question"),
    [
        (
            "The/DT/B-NP office/NN/I-NP in/IN/B-PP Rome/NNP/B-NP/B-place/place closed/VBD/B-VP ~././O",
            "Rome",
            "The office in what place closed?",
        ),
        (
            "They/PRP/B-NP came/VBD/B-VP in/IN/B-PP May/NNP/B-NP/B-time/time when/WRB/B-ADVP he/PRP/B-NP won/VBD/B-VP",
            "May",
            "They came in what month when he won?",
        ),
        (
            "She/PRP/B-NP worked/VBD/B-VP as/IN/B-PP a/DT/B-NP nurse/NN/I-NP/B-people/person ~././O",
            "a nurse",
            "She worked as what?",
        ),
        (
            "Safti/NNP/B-NP/B-person ~,/,/O a/DT/B-NP man/NN/I-NP/B-people/person who/WP/B-NP won/VBD/B-VP ~././O",
            "a man",
            "Safti, what man who won?",
        ),
        (
            "He/PRP/B-NP sold/VBD/B-VP a/DT/B-NP dog/NN/I-NP she/PRP/B-NP loved/VBD/B-VP ~././O",
            "a dog",
            "He sold what she loved?",
        ),
        (
            "We/PRP/B-NP sang/VBD/B-VP ``/``/O Big/JJ/B-NP Love/NN/I-NP ''/''/O again/RB/B-ADVP",
            "Big Love",
            "What did we sing again?",
        ),
        (
            "He/PRP/B-NP slept/VBD/B-VP badly/RB/B-ADVP for/IN/B-PP a/DT/B-NP/B-time/time week/NN/I-NP/I-time/time",
            "a week",
            "He slept badly for how long?",
        ),
    ],
)
def test_what_reads_badly_in_mid_sentence_is_put_otherwise(marked, answer, question):
    """Prepositions stay before more words, no question word meets another, titles lose their quotation marks."""
    assert _ask(marked, answer) == question


@pytest.mark.parametrize(
    ("marked", "answer", "question"),
    [
        ("Fossils/NNS/B-NP give/VBP/B-VP clues/NNS/B-NP ~././O", "Fossils", "What gives clues?"),
        ("The/DT/B-NP men/NNS/I-NP/B-people/person carry/VBP/B-VP it/PRP/B-NP", "The men", "Who carries it?"),
        ("Birds/NNS/B-NP have/VBP/B-VP sung/VBN/I-VP", "Birds", "What have sung?"),
        ("Old/JJ/B-NP birds/NNS/I-NP sing/VBP/B-VP", "Old birds", "What birds sing?"),
        (
            "In/IN/B-PP 1996/CD/B-NP/B-time/time ~,/,/O it/PRP/B-NP rained/VBD/B-VP ~././O",
            "1996",
            "In what year, it rained?",
        ),
    ],
)
def test_verbs_agree_and_openings_stay_apart(marked, answer, question):
    """After "what" and "who" a verb stands in the singular; "what birds" stays plural."""
    assert _ask(marked, answer) == question


def test_a_sentence_that_is_all_a_quotation_loses_its_marks():
    """A quotation mark that only closes would read as a mistake."""
    found = _ask("\"/``/O ~He/PRP/B-NP left/VBD/B-VP Rome/NNP/B-NP/B-place/place ~././O ~\"/''/O", "Rome")
    assert found == "What place did he leave?"


def test_quotations_inside_a_sentence_keep_their_marks():
    """A sentence that begins with one title and ends with another is no quotation."""
    marked = "\"/``/O ~Go/VB/B-VP ~\"/''/O is/VBZ/B-VP by/IN/B-PP Hill/NNP/B-NP/B-person/person like/IN/B-PP "
    found = _ask(marked + "\"/``/O ~Stay/VB/B-VP ~\"/''/O", "Hill")
    assert found == '"Go" is by whom like "Stay"?'


@pytest.mark.parametrize("decade", ["1920s", "mid-1920s", "'20s"])
def test_a_decade_is_a_time(decade):
    """Whatever the chunker takes it for."""
    asked = _ask(
        f"It/PRP/B-NP was/VBD/B-VP sold/VBN/I-VP in/IN/B-PP the/DT/B-NP {decade}/NNS/I-NP ~././O", f"the {decade}"
    )
    assert asked == "When was it sold?"


@pytest.mark.parametrize("of", ["of", "OF"])
def test_the_question_word_stays_before_of(of):
    """In front it would be parted from what it goes with."""
    marked = (
        f"China/NNP/B-NP/B-place won/VBD/B-VP a/DT/B-NP total/NN/I-NP {of}/IN/B-PP 151/CD/B-NP medals/NNS/I-NP ~././O"
    )
    assert _ask(marked, "a total") == f"China won what {of} 151 medals?"
