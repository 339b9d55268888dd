"""Requests and documents as training sees them: several renderings, typos, requests made of a tool's own definition."""

import re
from random import Random

LEADS = [
    "I need to {}",
    "Please {}",
    "Can you {}?",
    "How do I {}",
    "{}",
    "{}",
    "I want to {}",
    "help me {}",
    "Could you {} for me?",
]
# The third person in which definitions are written.
THIRD_PERSON = {
    "adds": "add",
    "analyzes": "analyze",
    "checks": "check",
    "creates": "create",
    "deletes": "delete",
    "fetches": "fetch",
    "finds": "find",
    "generates": "generate",
    "gets": "get",
    "lists": "list",
    "provides": "provide",
    "removes": "remove",
    "retrieves": "retrieve",
    "returns": "get",
    "searches": "search",
    "sends": "send",
    "sets": "set",
    "updates": "update",
}
MOST_WORDS = 24


def render(document: dict, parts: str, random: Random) -> str:
    """The document of some of its parts: n(ame), d(escription), p(arameters) or k (the parameters' names alone).

    As in the package, a colon follows the name. Half of the names have their server's in front.
    """
    name = document["name"] if "n" in parts else ""
    if name and document["server"] and random.random() < 0.5:
        name = f"{document['server']} {name}"
    description = document["description"] if "d" in parts else ""
    parameters = document["parameters"] if "p" in parts else document["parameterNames"] if "k" in parts else ""
    rest = " ".join(part for part in (description, parameters) if part)
    text = f"{name}: {rest}" if name and rest else name or rest
    return text or document["text"]


def render_any(document: dict, random: Random) -> str:
    """In full twice as often as in each other way."""
    ways = ["ndp", "ndp", "ndk", "nd", "d"] if document["description"] else ["ndp", "ndk"]
    return render(document, random.choice(ways), random)


def with_typo(text: str, random: Random) -> str:
    """One letter left out, swapped with the next, or doubled; of a word's inside."""
    places = [at for at in range(1, len(text) - 2) if text[at - 1 : at + 2].isalpha()]
    if not places:
        return text
    at = random.choice(places)
    before, letter, following, after = text[:at], text[at], text[at + 1], text[at + 2 :]
    changed = random.choice([following, following + letter, letter + letter + following])
    return before + changed + after


def request_of(document: dict, random: Random) -> tuple[str, str]:
    """A request made of a definition, and the parts of the document to pair it with: not the part that it was made of."""
    words = document["name"].split()
    described = bool(document["description"])
    if not described or (random.random() < 0.3 and len(words) > 1):
        if random.random() < 0.5:
            random.shuffle(words)
        return (", " if random.random() < 0.4 else " ").join(words), "dp" if described else "ndp"
    request = random.choice(LEADS).format(first_sentence(document["description"]))
    if document["server"] and random.random() < 0.3:
        request += f" in {document['server']}"
    return request, random.choice(["np", "nk", "ndp"])


def first_sentence(description: str) -> str:
    """`Returns the weather. Needs a city.` as `get the weather`."""
    sentence = re.split(r"(?<=[.!?])\s", description.strip())[0]
    words = re.sub(r"<[^>]+>", "", sentence).strip().rstrip(".").split()[:MOST_WORDS]
    if words:
        words[0] = THIRD_PERSON.get(words[0].lower(), words[0])
    text = " ".join(words)
    return text[:1].lower() + text[1:]
