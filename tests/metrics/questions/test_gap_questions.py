import pytest

from grammar import tagged
from qassay.metrics.questions.sentences.phrase_selection import select_answers
from qassay.metrics.questions.wording.gap_questions import ask_for_gap


def _ask(marked, answer):
    sentence = tagged(marked)
    phrase = next(each for each in select_answers(sentence) if each.text(sentence) == answer)
    return ask_for_gap(sentence, phrase)


_JACKET = (
    "A/DT/B-NP jacket/NN/I-NP worn/VBN/B-VP in/IN/B-PP the/DT/B-NP 1939/CD/I-NP movie/NN/I-NP has/VBZ/B-VP "
    "fetched/VBN/I-VP $/$/B-NP/B-money/amount ~137,000/CD/I-NP/I-money/amount at/IN/B-PP auction/NN/B-NP ~././O"
)


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("A jacket", "(What?) worn in the 1939 movie has fetched $137,000 at auction."),
        ("the 1939 movie", "A jacket worn in (what movie?) has fetched $137,000 at auction."),
        ("$137,000", "A jacket worn in the 1939 movie has fetched (how much?) at auction."),
        ("auction", "A jacket worn in the 1939 movie has fetched $137,000 at (what?)."),
    ],
)
def test_a_question_in_brackets_stands_where_the_answer_stood(answer, question):
    """The rest of the sentence stays as it is written."""
    assert _ask(_JACKET, answer) == question


@pytest.mark.parametrize(
    ("marked", "answer", "question"),
    [
        ("Two/CD/B-NP/B-number old/JJ/I-NP men/NNS/I-NP sat/VBD/B-VP", "Two old men", "(How many old men?) sat."),
        (
            "\"/``/O ~Arrests/NNS/B-NP continue/VBP/B-VP ~,/,/O ~\"/''/O he/PRP/B-NP said/VBD/B-VP ~././O",
            "Arrests",
            '"(What?) continue," he said.',
        ),
        ("Fossils/NNS/B-NP give/VBP/B-VP clues/NNS/B-NP ~././O", "Fossils", "(What?) give clues."),
        (
            "It/PRP/B-NP was/VBD/B-VP sold/VBN/I-VP by/IN/B-PP Hugh/NNP/B-NP/B-person/person ~././O",
            "Hugh",
            "It was sold by (whom?).",
        ),
        (
            "In/IN/B-PP 1996/CD/B-NP/B-time/time ~,/,/O it/PRP/B-NP rained/VBD/B-VP ~././O",
            "1996",
            "In (what year?), it rained.",
        ),
        ("It/PRP/B-NP lies/VBZ/B-VP in/IN/B-PP Rome/NNP/B-NP/B-place/place", "Rome", "It lies in (what place?)."),
    ],
)
def test_the_question_in_brackets_follows_from_the_kind_of_answer(marked, answer, question):
    """It stands behind the answer's preposition, and verbs keep their number."""
    assert _ask(marked, answer) == question


@pytest.mark.parametrize(
    ("marked", "answer", "question"),
    [
        (
            "But/CC/O he/PRP/B-NP left/VBD/B-VP Rome/NNP/B-NP/B-place/place ~././O",
            "Rome",
            "He left (what place?).",
        ),
        (
            "\"/``/O ~He/PRP/B-NP left/VBD/B-VP Rome/NNP/B-NP/B-place/place ~././O ~\"/''/O",
            "Rome",
            "He left (what place?).",
        ),
        (
            '"/``/O ~He/PRP/B-NP left/VBD/B-VP Rome/NNP/B-NP/B-place/place ~././O',
            "Rome",
            "He left (what place?).",
        ),
        (
            "\"/``/O ~Go/VB/B-VP ~\"/''/O is/VBZ/B-VP by/IN/B-PP Hill/NNP/B-NP/B-person/person ~././O",
            "Hill",
            '"Go" is by (whom?).',
        ),
    ],
)
def test_what_ties_a_sentence_to_others_is_left_out(marked, answer, question):
    """Conjunctions that open it, quotation marks around it all and those without their other half."""
    assert _ask(marked, answer) == question


@pytest.mark.parametrize(
    ("marked", "answer", "question"),
    [
        (
            (
                'Ann/NNP/B-NP said/VBD/B-VP ~:/:/O "/``/O ~He/PRP/B-NP left/VBD/B-VP Rome/NNP/B-NP/B-place/place '
                "again/RB/B-ADVP ~././O ~\"/''/O"
            ),
            "Rome",
            'Ann said: "He left (what place?) again."',
        ),
        (
            "The/DT/B-NP zoo/NN/I-NP (/(/O ~Rome/NNP/B-NP/B-place/place ~)/)/O closed/VBD/B-VP ~././O",
            "Rome",
            "The zoo (what place?) closed.",
        ),
    ],
)
def test_no_mark_stands_twice(marked, answer, question):
    """Neither the stop of a quotation that ends the sentence nor the brackets around the answer."""
    assert _ask(marked, answer) == question


@pytest.mark.parametrize(
    ("marked", "answer", "question"),
    [
        (
            (
                "ROME/NNP/B-NP/B-place/place (/(/O ~CNN/NNP/B-NP/B-organisation ~)/)/O --/:/O "
                "Ann/NNP/B-NP/B-person/person left/VBD/B-VP the/DT/B-NP zoo/NN/I-NP ~././O"
            ),
            "the zoo",
            "Ann left (what?).",
        ),
        (
            (
                "It/PRP/B-NP rose/VBD/B-VP over/IN/B-PP the/DT/B-NP past/JJ/I-NP/B-time/time year/NN/I-NP/I-time/time "
                "~././O"
            ),
            "the past year",
            "It rose over (what year?).",
        ),
        (
            ("Ann/NNP/B-NP/B-person/person ~,/,/O now/RB/B-ADVP 62/CD/B-NP/B-time/time ~,/,/O left/VBD/B-VP ~././O"),
            "62",
            "Ann, now (how old?), left.",
        ),
        (
            "He/PRP/B-NP started/VBD/B-VP his/PRP$/B-NP last/JJ/I-NP/B-time/time season/NN/I-NP/I-time/time ~././O",
            "his last season",
            "He started (what season?).",
        ),
        (
            "Ann/NNP/B-NP died/VBD/B-VP at/IN/B-PP age/NN/B-NP of/IN/B-PP 81/CD/B-NP/B-time/time ~,/,/O too/RB/O",
            "81",
            "Ann died at age of (what number?), too.",
        ),
        (
            "We/PRP/B-NP spent/VBD/B-VP hours/NNS/B-NP/B-time/time outside/RB/B-ADVP ~././O",
            "hours",
            "We spent (how much time?) outside.",
        ),
    ],
)
def test_datelines_go_and_times_are_asked_for_as_they_stand(marked, answer, question):
    """What opens a report is no part of its statement; "over when" and "spent when" are no English."""
    assert _ask(marked, answer) == question


@pytest.mark.parametrize(
    ("marked", "answer"),
    [
        (
            "Why/WRB/B-ADVP did/VBD/O Ann/NNP/B-NP/B-person/person leave/VB/B-VP Rome/NNP/B-NP/B-place/place ~?/./O",
            "Rome",
        ),
        ("The/DT/B-NP zoo/NN/I-NP of/IN/B-PP Rome/NNP/B-NP/B-place/place ~././O", "Rome"),
        (
            "He/PRP/B-NP sat/VBD/B-VP at/IN/B-PP at/IN/B-PP home/NN/B-NP in/IN/B-PP Rome/NNP/B-NP/B-place/place ~././O",
            "Rome",
        ),
        (
            "He/PRP/B-NP left/VBD/B-VP (/(/O ~from/IN/B-PP Rome/NNP/B-NP/B-place/place yesterday/NN/B-NP ~././O",
            "Rome",
        ),
        (
            "'/``/O ~Rome/NNP/B-NP ~'/''/O On/IN/B-PP Sunday/NNP/B-NP it/PRP/B-NP hit/VBD/B-VP Oslo/NNP/B-NP ~././O",
            "Oslo",
        ),
        (
            "ROME/NNP/B-NP/B-place/place (/(/O ~CNN/NNP/B-NP ~)/)/O --/:/O Ann/NNP/B-NP left/VBD/B-VP ~././O",
            "ROME",
        ),
        (
            "He/PRP/B-NP left/VBD/B-VP Rome/NNP/B-NP/B-place/place he/PRP/B-NP said/VBD/B-VP Of/IN/B-PP it/PRP/B-NP",
            "Rome",
        ),
    ],
)
def test_nothing_is_asked_where_the_sentence_is_no_statement(marked, answer):
    """A question, a heading, a word twice, an open bracket, two sentences in one; and a statement's dateline."""
    assert _ask(marked, answer) is None


@pytest.mark.parametrize(
    ("marked", "answer"),
    [
        ("It/PRP/B-NP stood/VBD/B-VP in/IN/B-PP front/NN/B-NP of/IN/B-PP it/PRP/B-NP ~././O", "front"),
        ("How/WRB/B-ADVP many/NNS/B-NP came/VBD/B-VP is/VBZ/B-VP unknown/JJ/B-ADJP ~././O", "many"),
        ("It/PRP/B-NP pays/VBZ/B-VP ten/CD/B-NP cents/NNS/I-NP a/DT/B-NP share/NN/I-NP ~././O", "a share"),
        (
            "It/PRP/B-NP was/VBD/B-VP Mstislav/NNP/B-NP/B-person/person the/DT/B-NP Bold/NNP/I-NP ~././O",
            "the Bold",
        ),
        (
            "Ann/NNP/B-NP/B-person ~,/,/O chief/NN/B-NP/B-people/person of/IN/B-PP staff/NN/B-NP ~,/,/O left/VBD/B-VP",
            "chief",
        ),
        ("We/PRP/B-NP show/VBP/B-VP workout/NN/B-NP fanatics/NNS/B-NP/B-people/person ~././O", "fanatics"),
        ("It/PRP/B-NP is/VBZ/B-VP the/DT/B-NP FBI/NNP/B-NP/B-organisation ~././O", "FBI"),
        ("Then/RB/B-ADVP one/CD/B-NP needs/VBZ/B-VP a/DT/B-NP rest/NN/I-NP ~././O", "one"),
    ],
)
def test_nothing_is_asked_for_a_phrase_that_stands_for_nothing(marked, answer):
    """Halves of idioms, names and noun phrases, rates, and a role beside a name."""
    assert _ask(marked, answer) is None
