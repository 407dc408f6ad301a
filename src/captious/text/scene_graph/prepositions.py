"""Prepositions become labels: nmod(cat, mat) and case(mat, on) make nmod:on(cat, mat).

"next to" and "in front of" are prepositions of several words, which the tree spreads over
several edges. They are joined first: those that the reference parser was seen to join in captions,
and others of the same form.
"""

from __future__ import annotations

_BELOW = "next to|out of|outside of|close to|away from|far from"
_BESIDE = (
    "across from|along with|alongside of|apart from|aside from|because of|compared to|"
    "compared with|except for|far from|followed by|inside of|instead of|near to|next to|"
    "off of|out of|outside of|such as|thanks to|together with"
)
_THREE = (
    "by means of|in accordance with|in addition to|in case of|in front of|in lieu of|"
    "in place of|in spite of|on account of|on behalf of|on top of|with regard to|with respect to"
)
# Joined where the second word's noun hangs from the first: "parked outside | of the door".
JOINED_BELOW = frozenset(tuple(phrase.split()) for phrase in _BELOW.split("|"))
# Joined where both words hang from the noun.
JOINED_BESIDE = frozenset(tuple(phrase.split()) for phrase in _BESIDE.split("|"))
JOINED_THREE = frozenset(tuple(phrase.split()) for phrase in _THREE.split("|"))
_FIRST_OF_TWO = frozenset(pair[0] for pair in JOINED_BELOW | JOINED_BESIDE)
_MIDDLE_OF_THREE = frozenset(triple[1] for triple in JOINED_THREE)
# "next" in "sits next to": whatever it was to its head, the noun that replaces it is an nmod.
_BECOMES_NMOD = frozenset({"nmod", "advmod", "dep", "dobj", "xcomp", "amod"})
_MARKERS = frozenset({"case", "mark"})


def join_prepositions(words: list[str], heads: list[int], labels: list[str]) -> None:
    """Make each preposition of several words one `case` with `mwe` parts, in place.

    Word `i` has its head at `heads[i]`; place 0 is the root and holds nothing.
    """
    for place in range(1, len(words)):
        word = words[place - 1]
        if word in _FIRST_OF_TWO:
            _join_two(place, words, heads, labels)
        elif word in _MIDDLE_OF_THREE and place > 1:
            _join_three(place, words, heads, labels)


def _join_two(first: int, words: list[str], heads: list[int], labels: list[str]) -> None:
    second = first + 1
    pair = (words[first - 1], words[second - 1])
    noun = heads[second]
    if labels[second] != "case" or noun in (0, first):
        return
    if heads[noun] == first and pair in JOINED_BELOW:
        if labels[first] not in _BECOMES_NMOD:
            labels[noun] = labels[first]
        heads[noun] = heads[first]
        _hand_over(first, noun, heads, but=second)
        heads[first], labels[first] = noun, "case"
    elif heads[first] == noun and pair in JOINED_BESIDE and labels[first] in ("advmod", "case"):
        if first in heads:
            return
        labels[first] = "case"
    else:
        return
    heads[second], labels[second] = first, "mwe"


def _join_three(middle: int, words: list[str], heads: list[int], labels: list[str]) -> None:
    first, last = middle - 1, middle + 1
    triple = (words[first - 1], words[middle - 1], words[last - 1])
    noun = heads[last]
    if (
        triple not in JOINED_THREE
        or heads[first] != middle
        or labels[first] != "case"
        or labels[last] not in _MARKERS
        or noun in (0, middle)
        or heads[noun] != middle
    ):
        return
    # "in front of a", cut off after the article, is taken for a clause.
    kind = "mark" if labels[noun] == "acl" else labels[last]
    if labels[middle] != "nmod":
        labels[noun] = labels[middle]
    heads[noun] = heads[middle]
    _hand_over(middle, noun, heads, but=0)
    heads[first], labels[first] = noun, kind
    heads[middle] = heads[last] = first
    labels[middle] = labels[last] = "mwe"


def _hand_over(giver: int, taker: int, heads: list[int], but: int) -> None:
    for word in range(1, len(heads)):
        if heads[word] == giver and word not in (taker, but):
            heads[word] = taker
