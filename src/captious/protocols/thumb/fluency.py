"""THumB's fluency rubric: eleven kinds of error and what each costs (Kasai et al. 2022, Table 6).

The principle (2.2.2): what a text corrector would mend by itself costs 0.1; what misleads the
reader or breaks the sentence costs 0.5 or more.
"""

from __future__ import annotations

from captious.protocols.item import Option

# The paper leaves "0.5+" open. More than the whole scale of 5 cannot be meant.
MOST = 5.0

RUBRIC = (
    Option(
        "spelling",
        "Spelling",
        "An obvious misspelling, or one word written as two.",
        "cel phone, surf board",
        amount=0.1,
    ),
    Option("grammar", "Grammar, easy to fix", "An error that can be easily fixed.", "a otter", amount=0.1),
    Option("casing", "Casing", "Upper or lower case is wrong.", "tv, christmas", amount=0.1),
    Option(
        "hyphenation", "Hyphenation", "A hyphen is missing or not needed.", "horse drawn carriage", amount=0.1
    ),
    Option(
        "wording",
        "Unnatural wording",
        "Easy to understand, but nobody would say it like this.",
        "double decked bus",
        amount=0.1,
    ),
    Option(
        "punctuation",
        "Punctuation",
        "A mark inside the sentence is missing or wrong.",
        "A bird standing in the wooded area with leaves all around.",
        amount=0.2,
    ),
    Option(
        "misleading_spelling",
        "Misleading spelling",
        "The misspelt word is a different word.",
        "A good stands in the grass next to the water. (a goose)",
        amount=0.5,
    ),
    Option(
        "duplication",
        "Duplication",
        "The same thing is said twice.",
        "A display case of donuts and doughnuts.",
        amount=0.5,
    ),
    Option(
        "ambiguity",
        "Ambiguity",
        "It can be understood in two ways.",
        "A cat is on a table with a cloth on it.",
        amount=0.5,
    ),
    Option(
        "awkward",
        "Awkward construction",
        "Give 0.1 for a slight case, up to 0.5.",
        "There is a freshly made pizza out of the oven.",
        low=0.1,
        high=0.5,
    ),
    Option(
        "broken",
        "Broken sentence",
        "Not a sentence. Give 0.5 or more.",
        "A large concrete sign small buildings behind it.",
        low=0.5,
        high=MOST,
    ),
)


def fluency_penalty(errors: dict[str, float]) -> float:
    """Return the sum of the penalties of a caption's fluency errors.

    Each kind counts once, as the rubric's rows do; the paper does not say what a second casing
    error costs.

    >>> fluency_penalty({"casing": 0.1, "awkward": 0.3})
    0.4
    """
    return round(sum(errors.values()), 10)
