"""Two hundred answers on which every tool must agree with `qassay.score`."""

CAPITALS = (
    "France:Paris Germany:Berlin Italy:Rome Spain:Madrid Portugal:Lisbon Austria:Vienna Greece:Athens Egypt:Cairo "
    "Japan:Tokyo China:Beijing Russia:Moscow Norway:Oslo Sweden:Stockholm Finland:Helsinki Denmark:Copenhagen "
    "Poland:Warsaw Hungary:Budapest Romania:Bucharest Bulgaria:Sofia Turkey:Ankara Iran:Tehran Iraq:Baghdad "
    "Syria:Damascus Lebanon:Beirut Kenya:Nairobi Ghana:Accra Senegal:Dakar Morocco:Rabat Tunisia:Tunis Libya:Tripoli "
    "Sudan:Khartoum Ethiopia:Addis_Ababa Uganda:Kampala Angola:Luanda Cuba:Havana Peru:Lima Chile:Santiago "
    "Bolivia:Sucre Ecuador:Quito Colombia:Bogota Venezuela:Caracas Uruguay:Montevideo Canada:Ottawa Australia:Canberra "
    "Nepal:Kathmandu India:New_Delhi Thailand:Bangkok Vietnam:Hanoi Ireland:Dublin Belgium:Brussels"
)
PAIRS = [pair.replace("_", " ").split(":") for pair in CAPITALS.split()]
MEAN, POOLED = "ava", "bleu"


def rows():
    """Return four answers to each of fifty questions: short, in a sentence, wrong, and one that says nothing."""
    found = []
    for i, (country, capital) in enumerate(PAIRS):
        wrong = PAIRS[(i + 7) % len(PAIRS)][1]
        answers = (capital, f"The capital city of {country} is {capital}.", f"It is {wrong}.", "I do not know.")
        references = [capital, f"the capital of {country} is {capital}"]
        found += [
            {
                "id": f"{i}-{j}",
                "question": f"What is the capital of {country}?",
                "references": references,
                "candidate": each,
            }
            for j, each in enumerate(answers)
        ]
    return found


ROWS = rows()
