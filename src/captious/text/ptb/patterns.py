"""Pieces of the PTB grammar: word lists and regular-expression fragments.

Each piece states what the reference tokeniser (Stanford PTBTokenizer 3.4.1, as coco-caption calls
it) was observed to do; the word lists were found by asking it about every string of up to four
letters and about the prefixes of a large vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable

from captious.text.ptb.chars import BLANK, DIGIT, LETTER, MARK, SOFT_HYPHEN


def _words(listed: str) -> tuple[str, ...]:
    return tuple(listed.split())


# Abbreviations after which a sentence may end: `etc.` at the end gives `etc.` and `.`.
ENDING_ABBREVIATIONS = _words(
    """
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri al co ct ga jr
    ky md mo rd rt sq sr va vt ala bhd cos dak esq est etc ext fla inc ind kan ltd neb nev plc seq
    sys tel wis wyo ariz assn bldg blvd bros colo conn corp intl kans mich minn mont okla penn tenn
    univ wisc calif ph.d ed.d
    """
)
# The same, known only with a capital: `wash.` is a verb at the end of a sentence.
CAPITAL_ABBREVIATIONS = _words("az la pa ark del ill ore tex mass miss wash")
# The same, known only in lower case after the first letters (`Pty.`, `Ptes.`).
COMPANY_ABBREVIATION = "[Pp]?[Pp][Tt][ye]s?"
# Abbreviations that never end a sentence: titles, mostly.
TITLE_ABBREVIATIONS = _words(
    """
    cf dr ft lt mr ms mt ph st vs wm adj adm adv ave cie col cpl det drs ens gen gov hon jos maj mme
    mrs pfc pvt rep rev sen sfc sgt spc ste alex asst atty brig capt cmdr dept elec govs insp invt
    mlle msgr natl pres prof reps sens supt lieut attys treas supts comdr assoc messrs profs
    """
)
# Abbreviations only before a number: `No. 5`, `pp. 12`.
NUMBERING_ABBREVIATIONS = _words("figs fig prop nos no art op pp p ca")
# Words that, after initials, show that a new sentence has begun: `vitamin C. The`.
SENTENCE_STARTERS = _words(
    """
    A About According Additionally After An As At But Earlier He Her Here However If In It Last Many
    More Now Once One Other Our She Since So Some Such That The Their Then There These They This We
    What When While Yet You
    """
)
FILE_EXTENSIONS = _words(
    """
    bat bmp class cgi cpp c dll doc docx exe gif gz htm html h jar java jpg jpeg mov pdf php pl png
    ppt ps py sql tar txt wav xml x zip
    """
)
APOSTROPHE_WORDS = _words("e'er ev'ry li'l nat'l s'mores c'mon nor'easter")


def _any_case(words: Iterable[str]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return "(?i:" + "|".join(word.replace(".", r"\.") for word in longest_first) + ")"


def _capitalised(words: Iterable[str]) -> str:
    """Each word with a capital first letter and the rest in any case, longest first."""
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(word[0].upper() + (f"(?i:{word[1:]})" if word[1:] else "") for word in longest_first)


APOSTROPHE = r"(?:['\x92\u2019]|(?i:&apos;))"
ANY_SINGLE_QUOTE = r"(?:['`\x91\x92\u2018\u2019\u201b]|(?i:&apos;))"
HYPHEN = r"[-_\u058a\u2010\u2011]"
IN_SENTENCE = r"[,;:\u3001]"

_ACCENT_ENTITY = "&(?i:[aeiou](?:acute|grave|uml));"
WORD_START = rf"{LETTER}{MARK}{SOFT_HYPHEN}"
WORD_LETTER = rf"(?:[{WORD_START}]|{_ACCENT_ENTITY})"
WORD_LETTERS = rf"(?:[{WORD_START}]++|{_ACCENT_ENTITY})++"
# Possessive: a word never ends before a character that it can take, and gigabytes of backtracking
# points are saved on a text without blanks.
_WORD_REST = rf"(?:[{WORD_START}{DIGIT}]++|{_ACCENT_ENTITY})*+"
_WORD_RUN = rf"(?:[{WORD_START}{DIGIT}]++|{_ACCENT_ENTITY})++"
# `dog.cat` and `stop!go` are one word: only what follows shows the end of a sentence.
WORD = rf"{WORD_LETTER}{_WORD_REST}(?:[.!?]{WORD_LETTER}{_WORD_REST})*+"

_ALNUM = f"[{LETTER}{DIGIT}]"
_ELIDED = rf"(?:[dDoOlL]{ANY_SINGLE_QUOTE}{_ALNUM})?"
HYPHENATED = rf"{_ELIDED}{_ALNUM}++(?:{HYPHEN}{_ELIDED}{_ALNUM}++)*+"
INITIALS = r"(?:[A-Za-z]\.)++"
DOTTED_HYPHENATED = (
    rf"[A-Za-z0-9][A-Za-z0-9.,{SOFT_HYPHEN}]*"
    rf"(?:-(?:(?:[A-Za-z]\.){{2,}}+|[A-Za-z0-9{SOFT_HYPHEN}]++))++"
)
AMPERSAND_NAME = "[A-Z]+(?:(?:&(?i:amp);|[+&])[A-Z]+)+"
SLASHED = r"[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}(?:\\?/[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}){1,2}"
CLITIC = rf"{APOSTROPHE}(?i:[msd]|re|ve|ll)"

NUMBER = rf"[-+]?(?:[{DIGIT}]*(?:[.,:{SOFT_HYPHEN}\u066b\u066c][{DIGIT}]++)++|[{DIGIT}]+)"
DATE = rf"[{DIGIT}]{{1,2}}[-/][{DIGIT}]{{1,2}}[-/][{DIGIT}]{{2,4}}"
FRACTION = rf"(?:[{DIGIT}]{{1,4}}[- \xa0])?[{DIGIT}]{{1,4}}(?:\\?/|\u2044)[{DIGIT}]{{1,4}}"
TELEPHONE = (
    r"(?:\([0-9]{2,3}\)[ \xa0]?|(?:\+\+?)?(?:[0-9]{2,4}[- \xa0])?[0-9]{2,4}[- \xa0])"
    r"[0-9]{3,4}[- \xa0]?[0-9]{3,5}"
)

ENDING_ABBREVIATION = (
    f"(?:{_any_case(ENDING_ABBREVIATIONS)}|{_capitalised(CAPITAL_ABBREVIATIONS)}|{COMPANY_ABBREVIATION})"
)
TITLE_ABBREVIATION = f"(?:{_any_case(TITLE_ABBREVIATIONS)}|[Mm][ft]g|(?i:cont'd))"
NUMBERING_ABBREVIATION = _any_case(NUMBERING_ABBREVIATIONS)
# The hyphenated names of countries that it knows, with or without a last full stop.
COUNTRY = r"(?i:non-U\.S|U\.S\.-U\.(?:K|S\.S\.R))"
STARTER = rf"(?:{_capitalised(SENTENCE_STARTERS)}|M(?i:[rs])\.)"

_TAG_NAME = "[A-Za-z][A-Za-z0-9_:.-]*"
_ATTRIBUTE = rf""" +{_TAG_NAME}(?: *= *(?:'[^']*'|"[^"]*"))?"""
TAG = rf"<(?:[!?][A-Za-z-][^>\n\r]*|/{_TAG_NAME} *|{_TAG_NAME}(?:{_ATTRIBUTE})* */? *)>"

# What no web address holds; the variants differ exactly as the reference was seen to differ.
_OUTSIDE_PATH = r' \t\n\x0c\r"<>|()'
_OUTSIDE_URL = _OUTSIDE_PATH + "{}"
_PATH = rf"/[^{_OUTSIDE_PATH}]+[^{_OUTSIDE_URL}.!?,\-]"
OUTSIDE_WWW = _OUTSIDE_URL + "!?,"
# A bare host name takes neither capitals nor digits: all from `,` to `_` but the dot is outside.
OUTSIDE_HOST = _OUTSIDE_URL + r"!?`'$,\-/-_"
TOP_DOMAIN = "(?i:com|net|org|edu)"
URL = rf"(?i:https?)://[^{_OUTSIDE_URL}]+[^{_OUTSIDE_URL}.!?,\-]"
WWW = rf"(?i:www)\.(?:[^{OUTSIDE_WWW}.]+\.)+[a-zA-Z]{{2,4}}"
WWW_WITH_PATH = rf"(?i:www)\.(?:[^{OUTSIDE_WWW}.]+\.)+?[a-zA-Z]{{2,4}}{_PATH}"
HOST = rf"(?:[^{OUTSIDE_HOST}.]+\.)+{TOP_DOMAIN}(?:{_PATH})?"
OUTSIDE_EMAIL = _OUTSIDE_URL + r"\xa0"
EMAIL = (
    rf"(?:(?i:&lt;)|<)?[A-Za-z0-9][^{OUTSIDE_EMAIL}]*@"
    rf"(?:[^{OUTSIDE_EMAIL}.]+\.)*[^{OUTSIDE_EMAIL}.]+(?:(?i:&gt;)|>)?"
)
FILE_EXTENSION = _any_case(FILE_EXTENSIONS)
AFTER_FILE = f"[{BLANK}.?!,]"
FILE_NAME = rf"{_WORD_RUN}(?:\.{_WORD_RUN})*\.{FILE_EXTENSION}"

SMILEY = r"[<>]?[:;=]['*o-]?[()DPdpO\\{@|\[\]]"
FACE = r"\([-^x=~<>'][_.]?[-^x=~<>']\)|[-^x=~<>']_[-^x=~<>']"
