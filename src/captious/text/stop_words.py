"""Words without content of their own, and which tokens of a caption have some.

VIFIDEL and Word Mover's Distance move content words only (Kusner et al. 2015; Madhyastha et al.
2019, 3.1). The paper names no list; its released program takes scikit-learn's `english`: the 318
words that the Information Retrieval group of Glasgow collected. It holds a few words that name
things (`fire`, `mill`, `bill`), and is kept as it is, because numbers depend on it.
"""

from __future__ import annotations

from captious.errors import UnknownNameError


def word_list(listed: str) -> frozenset[str]:
    """The words of a list with blanks between them."""
    return frozenset(listed.split())


_GLASGOW = """
a about above across after afterwards again against all almost alone along already also although
always am among amongst amoungst amount an and another any anyhow anyone anything anyway
anywhere are around as at back be became because become becomes becoming been before beforehand
behind being below beside besides between beyond bill both bottom but by call can cannot cant co
con could couldnt cry de describe detail do done down due during each eg eight either eleven
else elsewhere empty enough etc even ever every everyone everything everywhere except few
fifteen fifty fill find fire first five for former formerly forty found four from front full
further get give go had has hasnt have he hence her here hereafter hereby herein hereupon hers
herself him himself his how however hundred i ie if in inc indeed interest into is it its itself
keep last latter latterly least less ltd made many may me meanwhile might mill mine more
moreover most mostly move much must my myself name namely neither never nevertheless next nine
no nobody none noone nor not nothing now nowhere of off often on once one only onto or other
others otherwise our ours ourselves out over own part per perhaps please put rather re same see
seem seemed seeming seems serious several she should show side since sincere six sixty so some
somehow someone something sometime sometimes somewhere still such system take ten than that the
their them themselves then thence there thereafter thereby therefore therein thereupon these
they thick thin third this those though three through throughout thru thus to together too top
toward towards twelve twenty two un under until up upon us very via was we well were what
whatever when whence whenever where whereafter whereas whereby wherein whereupon wherever
whether which while whither who whoever whole whom whose why will with within without would yet
you your yours yourself yourselves
"""
ENGLISH = word_list(_GLASGOW)
LISTS: dict[str, frozenset[str]] = {"english": ENGLISH, "none": frozenset()}
# What the Penn Treebank's tokenisation makes of contractions and brackets: never a content word.
TREEBANK_PIECES = frozenset(
    ["n't", "'re", "'ll", "'ve", "ca", "wo", "sha", "-lrb-", "-rrb-", "-lsb-", "-rsb-"]
)
_FEWEST_LETTERS = 2  # as in the released program: a word has two letters or digits at least


def stop_list(name: str) -> frozenset[str]:
    """The list of that name: `english`, or `none`, which keeps every word.

    >>> "the" in stop_list("english"), "dog" in stop_list("english")
    (True, False)
    """
    if name not in LISTS:
        raise UnknownNameError("list of stop words", name, LISTS)
    return LISTS[name]


def is_content_word(token: str, stop: frozenset[str]) -> bool:
    """Whether a lower-case token counts: two letters or digits at least, and not on the list.

    >>> [word for word in ["a", "dog", "'s", "is", "n't"] if is_content_word(word, ENGLISH)]
    ['dog']
    """
    if token in stop or token in TREEBANK_PIECES:
        return False
    return sum(map(str.isalnum, token)) >= _FEWEST_LETTERS
