"""What kind of thing a tuple says: object, relation, attribute; colour, count, size.

Anderson et al. (2016) report SPICE for these subsets of the tuples. Colours, numbers and sizes
are attributes; the words that make them one are listed here, since the paper names the subsets
but not their words.
"""

from __future__ import annotations

from captious.metrics.spice.graph import Concepts

OBJECT, RELATION, ATTRIBUTE = "object", "relation", "attribute"
COLOUR, COUNT, SIZE = "colour", "count", "size"
CATEGORIES = (OBJECT, RELATION, ATTRIBUTE, COLOUR, COUNT, SIZE)

_COLOURS = (
    "amber aqua azure beige black blond blonde blue bronze brown brunette burgundy charcoal color "
    "colored colorful colour coloured colourful cream crimson cyan gold golden gray green grey "
    "indigo ivory khaki lavender lilac magenta maroon mauve multicolored navy ochre olive orange "
    "peach pink plum purple red rose ruby rust salmon scarlet silver tan taupe teal turquoise "
    "violet white yellow"
)
_COUNTS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "dozen hundred thousand million several many few couple pair single multiple numerous lot "
    "various"
)
_SIZES = (
    "big bigger biggest enormous gigantic giant great huge immense large larger largest little "
    "long longer massive medium mini miniature narrow short shorter small smaller smallest tall "
    "taller thick thin tiny vast wide"
)
_KINDS = {
    word: kind
    for kind, listed in ((COLOUR, _COLOURS), (COUNT, _COUNTS), (SIZE, _SIZES))
    for word in listed.split()
}


def categories_of(parts: Concepts) -> tuple[str, ...]:
    """Categories that a tuple counts in.

    >>> from captious.metrics.spice.graph import SceneGraph
    >>> [categories_of(parts) for parts in SceneGraph.of([[("bus", "red")]]).tuples()]
    [('object',), ('attribute', 'colour')]
    """
    if len(parts) == 1:
        return (OBJECT,)
    if len(parts) == 3:
        return (RELATION,)
    kinds = {_KINDS.get(word, COUNT if word.isdecimal() else "") for word in parts[1].words}
    return (ATTRIBUTE, *(kind for kind in CATEGORIES if kind in kinds))
