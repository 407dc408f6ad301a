"""The rules of the PTB grammar, in order of precedence.

At every position the longest match wins, right context included; the earlier rule wins a tie.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from captious.text.ptb import patterns as p
from captious.text.ptb.chars import BLANK, CAPITAL, DIGIT, LETTER, SOFT_HYPHEN, SPACE, SYMBOL, within_ascii

Spell = Callable[[str], str]


@dataclass(frozen=True)
class Rule:
    """One kind of token.

    Group 1 of `source` is the token, what follows the group is right context. `starts` is the
    inside of a character class: the characters a token of this kind can begin with. `horizon`
    names the look-ahead without which the rule cannot match. The last `returned` characters are
    read again as the start of the next token.
    """

    source: str
    starts: str
    spell: Spell
    horizon: str = ""
    returned: int = 0

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The regular expression, compiled when it is first tried: all together take 0.2 s."""
        return re.compile(self.source, re.ASCII)

    @cached_property
    def first_character(self) -> re.Pattern[str]:
        """What a token of this kind can begin with."""
        return re.compile(f"[{self.starts}]")

    def within_ascii(self) -> Rule:
        """The same rule for texts of ASCII characters only."""
        return replace(self, source=within_ascii(self.source), starts=within_ascii(self.starts))


_QUOTES = {
    **dict.fromkeys("\x91\u2018\u201b\u2039", "`"),
    **dict.fromkeys("\x92\u2019\u203a", "'"),
    **dict.fromkeys("\x93\u201c\u00ab", "``"),
    **dict.fromkeys("\x94\u201d\u00bb", "''"),
}
_FRACTIONS = {"¼": "1/4", "½": "1/2", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"}
_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_CURRENCIES = {**dict.fromkeys("\x80\u00a4\u20a0\u20ac", "$"), "£": "#", "¢": "cents"}


def _as_is(text: str) -> str:
    return text


def _nothing(_text: str) -> str:
    return ""


def _always(token: str) -> Spell:
    return lambda _text: token


def _listed(spellings: dict[str, str]) -> Spell:
    return lambda text: "".join(spellings.get(character, character) for character in text)


def _plain_apostrophe(text: str) -> str:
    return text.replace("&apos;", "'").replace("\x92", "'").replace("\u2019", "'")


def _plain_quote(text: str) -> str:
    return _listed(_QUOTES)(_plain_apostrophe(text))


def _without_soft_hyphens(text: str) -> str:
    return text.replace(SOFT_HYPHEN, "") or "-"


def _plain_ampersand(text: str) -> str:
    return re.sub("(?i:&amp;)", "&", text)


def _kept_together(text: str) -> str:
    return text.replace(" ", "\u00a0")


def _round_brackets(text: str) -> str:
    return _kept_together(text).replace("(", "-LRB-").replace(")", "-RRB-")


def _lone_initial(text: str) -> str:
    return text[0] if len(text) == 2 else text


def _rule(source: str, starts: str, spell: Spell = _as_is, horizon: str = "", returned: int = 0) -> Rule:
    return Rule(source, starts, spell, horizon, returned)


_ASCII_ALNUM = "A-Za-z0-9"
_APOSTROPHES = r"'\x92\u2019&"
_WORD_STARTS = p.WORD_START + "&"

_MARKUP = (
    _rule(rf"([{SPACE}\n]+)", SPACE + r"\n", _nothing),
    _rule(f"({p.TAG})", "<", _kept_together, "tag"),
    _rule("(&(?i:mdash|ndash|md);)", "&", _always("--")),
)
# Two words written as one: the second half is read again.
_ASSIMILATED = (
    _rule("((?i:can))(?i:not)", "cC"),
    _rule("((?i:gon|wan))(?i:na)", "gGwW"),
    _rule("((?i:got))(?i:ta)", "gG"),
    _rule("((?i:lem|gim))(?i:me)", "lLgG"),
    _rule("('(?i:t))(?i:is|was)", "'"),
)
_ADDRESSES_BEFORE_WORDS = (
    _rule(f"({p.URL})", "hH"),
    _rule(f"({p.EMAIL})", _ASCII_ALNUM + "<&", _as_is, "email"),
    _rule("(@[A-Za-z_][A-Za-z_0-9]*)", "@"),
    _rule(f"(#{p.WORD_LETTERS})", "#"),
)
_WORDS = (
    _rule(f"({p.WORD}){p.CLITIC}", _WORD_STARTS, _without_soft_hyphens),
    _rule(
        rf"([A-Za-z{SOFT_HYPHEN}]*[A-MO-Za-mo-z]{SOFT_HYPHEN}*)[nN]{p.ANY_SINGLE_QUOTE}[tT]",
        "A-Za-z" + SOFT_HYPHEN,
        _without_soft_hyphens,
    ),
    _rule(f"({p.WORD})", _WORD_STARTS, _without_soft_hyphens),
)
_ADDRESSES_AFTER_WORDS = (
    _rule(f"({p.WWW})", "wW", _as_is, "www"),
    _rule(f"({p.WWW_WITH_PATH})", "wW", _as_is, "www"),
    _rule(f"({p.HOST})", f"^{p.OUTSIDE_HOST}.", _as_is, "host"),
)
_APOSTROPHE_WORDS = (
    _rule(f"({p.CLITIC})[^A-Za-z]", _APOSTROPHES, _plain_apostrophe),
    # A typographic apostrophe splits even before more letters: `’dogs` is `'d` and `ogs`.
    _rule(r"((?:[\x92\u2019]|(?i:&apos;))(?i:[msd]|re|ve|ll))", _APOSTROPHES, _plain_apostrophe),
    _rule(f"([nN]{p.ANY_SINGLE_QUOTE}[tT])", "nN", _plain_quote),
    _rule(f"([A-HJ-XZn]{p.ANY_SINGLE_QUOTE}[{LETTER}]{{2,}})", "A-HJ-XZn"),
    _rule(
        rf"([{LETTER}]+[aeiouyAEIOUY]{p.ANY_SINGLE_QUOTE}[aeiouA-Z][{LETTER}]*"
        rf"|[oO]{p.ANY_SINGLE_QUOTE}[oO])",
        LETTER,
    ),
    _rule("((?i:" + "|".join(p.APOSTROPHE_WORDS) + "))", "eElLnNsScC"),
    _rule(
        rf"({p.APOSTROPHE}[nN]{p.APOSTROPHE}?|[lLdDjJ]{p.APOSTROPHE}"
        rf"|(?i:dunkin|ol|somethin){p.APOSTROPHE}|{p.APOSTROPHE}(?i:em|till?|cause)"
        rf"|{p.APOSTROPHE}[2-9]0[sS]|(?i:cap){p.APOSTROPHE}[nN]|[cC]{p.APOSTROPHE}(?i:est))",
        _APOSTROPHES + "lLdDjJoOsScC",
    ),
    _rule(f"([yY]{p.APOSTROPHE})[{LETTER}]", "yY"),
    _rule(f"({p.APOSTROPHE}[0-9]{{2}})[{BLANK}]", _APOSTROPHES),
)
_NUMBERS = (
    _rule(f"({p.DATE})", DIGIT),
    _rule(f"({p.NUMBER})", rf"\-+.,:{SOFT_HYPHEN}\u066b\u066c{DIGIT}", _without_soft_hyphens),
    _rule(f"({p.FRACTION})", DIGIT, _kept_together),
    _rule(f"({p.TELEPHONE})", "(+0-9", _round_brackets),
    _rule(f"([{''.join(_FRACTIONS)}])", "".join(_FRACTIONS), _listed(_FRACTIONS)),
    _rule(f"({p.SLASHED})", _ASCII_ALNUM),
)
_NEW_SENTENCE = rf"({p.INITIALS}|{p.COUNTRY}\.)[{BLANK}]+"
_ABBREVIATIONS = (
    _rule(rf"({p.ENDING_ABBREVIATION}\.)[{BLANK}][{BLANK}{CAPITAL}]", "A-Za-z", returned=1),
    _rule(rf"({p.ENDING_ABBREVIATION}\.)[{BLANK}]{p.TAG}", "A-Za-z", horizon="tag", returned=1),
    _rule(rf"({p.ENDING_ABBREVIATION}\.)[\s\S]{{2}}", "A-Za-z"),
    _rule(rf"({p.TITLE_ABBREVIATION}\.)", "A-Za-z"),
    _rule(rf"{_NEW_SENTENCE}{p.STARTER}[{BLANK}]", "A-Za-z", _lone_initial, returned=1),
    _rule(rf"{_NEW_SENTENCE}{p.TAG}[{BLANK}]", "A-Za-z", _lone_initial, "tag", returned=1),
    _rule(f"({p.INITIALS})", "A-Za-z"),
    _rule(f"({p.COUNTRY})[{BLANK}]", "nNuU"),
    _rule(rf"({p.NUMBERING_ABBREVIATION}\.)[{SPACE}]?[{DIGIT}]", "A-Za-z"),
)
_COMPOUNDS = (
    _rule(f"({p.FILE_NAME}){p.AFTER_FILE}", _WORD_STARTS + DIGIT, _as_is, "file"),
    _rule(rf"({p.WORD}\.){p.IN_SENTENCE}", _WORD_STARTS, _without_soft_hyphens),
    _rule(rf"({p.HYPHENATED}\.){p.IN_SENTENCE}", LETTER + DIGIT, _without_soft_hyphens),
    _rule(f"({p.HYPHENATED})", LETTER + DIGIT, _without_soft_hyphens),
    _rule(f"({p.DOTTED_HYPHENATED})", _ASCII_ALNUM, _without_soft_hyphens, "hyphen"),
    _rule(rf"({p.DOTTED_HYPHENATED}\.){p.IN_SENTENCE}", _ASCII_ALNUM, _without_soft_hyphens, "hyphen"),
    _rule(rf"({p.AMPERSAND_NAME}\.){p.IN_SENTENCE}", "A-Z", _plain_ampersand),
    _rule(f"({p.AMPERSAND_NAME})", "A-Z", _plain_ampersand),
    _rule(r"([A-Z]+\$)", "A-Z"),
    _rule(r"([CcFf]#|[Cc]\+\+)", "CcFf"),
)
_FACES = (
    _rule(f"({p.SMILEY})[^A-Za-z0-9]", "<>:;=", _round_brackets),
    _rule(f"({p.FACE})", r"(\-\^x=~<>'", _round_brackets),
)
_ENTITIES = (
    _rule("(&(?i:amp);)", "&", _always("&")),
    _rule("(&(?i:lt);)", "&", _always("<")),
    _rule("(&(?i:gt);)", "&", _always(">")),
    _rule("(&(?i:nbsp);)", "&", _nothing),
)
_PUNCTUATION = (
    _rule('("|&quot;)[A-Za-z0-9$]', '"&', _always("``")),
    _rule('("|&quot;)', '"&', _always("''")),
    _rule(r"(')[A-Za-z][^ \t\n\r\xa0]", "'", _always("`")),
    _rule(r"(['\x92\u2019]|&apos;)", _APOSTROPHES, _always("'")),
    _rule("('')", "'", _always("''")),
    _rule(
        r"([`\x91-\x94\u2018-\u201f\u2039\u203a\xab\xbb]{1,2})",
        r"`\x91-\x94\u2018-\u201f\u2039\u203a\xab\xbb",
        _listed(_QUOTES),
    ),
    _rule("(-{5,})", r"\-"),
    _rule(r"(-{2,4}|[\x96\x97\u2013-\u2015])", r"\-\x96\x97\u2013-\u2015", _always("--")),
    _rule(r"(\.{3,5}|\.(?:[ \xa0]\.){2,4}|[\x85\u2026])", r".\x85\u2026", _always("...")),
    _rule("([?!]+)", "?!"),
    _rule("(-(?i:[lr][rcs]b)-)", r"\-"),
    _rule(r"([()\[\]{}])", r"()\[\]{}", _listed(_BRACKETS)),
    _rule("(<<?|>>?)", "<>"),
    _rule(r"(#+|@+|\*+|(?:\\\*)+|_+)", r"#@*\\_"),
    _rule(
        r"([\xb2\xb3\xb9\u2070\u2074-\u2079]+|[\u2080-\u2089]+)",
        r"\xb2\xb3\xb9\u2070\u2074-\u2079\u2080-\u2089",
    ),
    _rule(f"([{''.join(_CURRENCIES)}])", "".join(_CURRENCIES), _listed(_CURRENCIES)),
    _rule(rf"([-.,;:$&+/|\u2044{SYMBOL}])", rf"\-.,;:$&+/|\u2044{SYMBOL}"),
    _rule("(&(?:(?i:ht|tl|ur|lr|qc|ql|qr|odq|cdq|quot|apos)|#[0-9]+);)", "&"),
)

RULES = (
    _MARKUP
    + _ASSIMILATED
    + _ADDRESSES_BEFORE_WORDS
    + _WORDS
    + _ADDRESSES_AFTER_WORDS
    + _APOSTROPHE_WORDS
    + _NUMBERS
    + _ABBREVIATIONS
    + _COMPOUNDS
    + _FACES
    + _ENTITIES
    + _PUNCTUATION
)
