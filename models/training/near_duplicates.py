"""Finds texts that are nearly another text: equal but for case and punctuation, or of nearly the same words."""

import re
from collections import Counter, defaultdict
from math import ceil

LEAST_JACCARD = 0.9


def words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


class NearDuplicates:
    """Whether a text has a near-duplicate among `texts`: a Jaccard similarity of their sets of words >= 0.9.

    Equality but for case and punctuation is a similarity of 1. Texts without any word have none.
    """

    def __init__(self, texts: list[str]):
        sets = {words_of(text) for text in texts} - {frozenset()}
        self._counts = Counter(word for words in sets for word in words)
        self._by_word = defaultdict(list)
        for words in sets:
            for word in self._prefix(words):
                self._by_word[word].append(words)

    def __contains__(self, text: str) -> bool:
        words = words_of(text)
        return any(
            len(words & other) >= LEAST_JACCARD * len(words | other)
            for word in self._prefix(words)
            for other in self._by_word.get(word, ())
        )

    def _prefix(self, words: frozenset[str]) -> list[str]:
        """The rarest words. Two sets as similar as that share one of these (prefix filtering, Chaudhuri 2006)."""
        ordered = sorted(words, key=lambda word: (self._counts[word], word))
        return ordered[: len(words) - ceil(LEAST_JACCARD * len(words)) + 1]
