import csv

import pytest

from qassay.io.input_stream import Reader
from qassay.text.language_id import is_other_european
from shared import train

# Universal Declaration of Human Rights, article 1
ARTICLE = {
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt "
    "und sollen einander im Geist der Brüderlichkeit begegnen.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de "
    "conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y "
    "conciencia, deben comportarse fraternalmente los unos con los otros.",
    "it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di "
    "coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
    "pt": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de "
    "consciência, devem agir uns para com os outros em espírito de fraternidade.",
    "nl": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en "
    "geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
    "sv": "Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och "
    "bör handla gentemot varandra i en anda av broderskap.",
    "da": "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, "
    "og de bør handle mod hverandre i en broderskabets ånd.",
}


@pytest.mark.parametrize("code", ARTICLE)
def test_other_languages_are_noticed(code: str):
    """The little words tell."""
    assert is_other_european(ARTICLE[code])


@pytest.mark.parametrize(
    "text",
    [
        "All human beings are born free and equal in dignity and rights.",
        "The film La vie en rose is about the life of Edith Piaf.",
        "He met with Charles de Gaulle at the Château de Versailles in 1969.",
        "do i need a visa to visit iraq",
        "Casa de la Moneda",  # a name, too short to tell
        "2018 FIFA World Cup Group A Matchday 3",
        "",
    ],
)
def test_english_with_foreign_names_is_english(text: str):
    """Names and titles do not make a sentence foreign."""
    assert not is_other_european(text)


def test_german_answers_are_noticed():
    """Of real German answers of ten words and more, nine of ten are; the others have hardly a little word."""
    with train("sas/GermanQuAD_SAS.csv").open(newline="", encoding="utf-8") as file:
        answers = {text for row in csv.DictReader(file) for text in (row["answer1"], row["answer2"])}
    long = [text for text in answers if len(text.split()) >= 10]
    assert len(long) > 200
    assert sum(map(is_other_european, long)) >= 0.9 * len(long)


def test_english_answers_are_left_alone():
    """Of the real answers of five systems, at most one in ten thousand is called foreign."""
    texts = {example.candidate or "" for example in Reader([str(train("evouna/NQ.json"))])}
    assert len(texts) > 10_000
    assert sum(map(is_other_european, texts)) <= len(texts) / 10_000
