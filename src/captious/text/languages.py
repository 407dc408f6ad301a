"""Which languages and scripts texts are written in.

A script is read off the letters. Where several languages share one (Latin, Cyrillic, Arabic,
Devanagari), `py3langid` (Barbaresi; after Lui and Baldwin 2012) decides over several texts at once:
4.5 MB, offline, and of 8,000 single English captions of Flickr8k it takes one for another language
under the rule below. `lingua` is no better on captions and brings 96 MB.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple
from unicodedata import name

SOME = 0.1  # share of the texts from which a language counts
ANY, SPACED = "any", "spaced"  # what stands for many languages: all, and those with spaces between words
LATIN = "Latin"
# Scripts whose words stand without spaces between them.
UNSPACED = frozenset({"Chinese", "Japanese", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"})
# Scripts that one language is usually written in; the others are told apart by their words.
_LANGUAGE_OF = {
    "Chinese": "zh",
    "Japanese": "ja",
    "Hangul": "ko",
    "Thai": "th",
    "Lao": "lo",
    "Khmer": "km",
    "Myanmar": "my",
    "Tibetan": "bo",
    "Hebrew": "he",
    "Greek": "el",
    "Armenian": "hy",
    "Georgian": "ka",
    "Bengali": "bn",
    "Gurmukhi": "pa",
    "Gujarati": "gu",
    "Tamil": "ta",
    "Telugu": "te",
    "Kannada": "kn",
    "Malayalam": "ml",
    "Sinhala": "si",
    "Ethiopic": "am",
}
_SHARED = {LATIN: "en", "Cyrillic": "ru", "Arabic": "ar", "Devanagari": "hi"}
NAMES = {
    "am": "Amharic",
    "ar": "Arabic",
    "bn": "Bengali",
    "bo": "Tibetan",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "km": "Khmer",
    "ko": "Korean",
    "lo": "Lao",
    "my": "Burmese",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "sw": "Swahili",
    "ta": "Tamil",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
_SAME_SCRIPT = {"Cjk": "Chinese", "Hiragana": "Kana", "Katakana": "Kana", "Katakana-hiragana": "Kana"}
_SAME_SCRIPT |= {"Halfwidth": "Kana", "Fullwidth": LATIN}
_CHARACTER_WEIGHT = 3  # one Chinese character says as much as some letters
_KANA_SHARE = 0.1  # of the characters, above which a text is Japanese
# Words of English captions that other languages in Latin letters hardly have.
_ENGLISH = """
the and with of are while his their there two some near next standing sitting wearing holding riding
walking playing running looking woman women people young white black street field table front through
down large small brown yellow several building filled covered full
"""
_TOLD_BY_WORDS = frozenset(_ENGLISH.split())
# Where there are that many words in a text, and their mean length is below, somebody has cut the text.
_FEWEST_WORDS, _LONGEST_WORD = 3, 4
_LOOKED_AT = 20_000  # texts, evenly spaced
_TOLD_APART = 240  # of those, texts of one script whose words are looked at
_TOGETHER = 4  # texts judged at once: few enough to see a mixture, enough to be sure
_FEWEST_LETTERS = 12  # of different words; fewer tell no language
_MUCH = 1 / 3  # of a text's letters, from which a second script counts too
_NO_LANGUAGE = "zxx"  # what ISO 639-2 calls text without linguistic content
_HARDLY = 0.02  # the probability of the script's usual language below which it is another


class Written(NamedTuple):
    """A language that some of the texts are written in, and how many of them."""

    code: str  # of ISO 639-1
    script: str
    texts: int
    share: float  # of all texts that have letters
    spaced: bool = True  # whether there are spaces between words

    @property
    def language(self) -> str:
        """Its English name.

        >>> Written("de", "Latin", 2, 1.0).language
        'German'
        """
        return NAMES.get(self.code, f'language "{self.code}"')


def languages_of(texts: Sequence[str]) -> list[Written]:
    """The languages of the texts, the most frequent first; texts without letters count for nothing.

    A text is of the script of most of its letters, so that a foreign word does not count; one with much of
    two scripts counts for both. Latin texts are English unless their words say otherwise.

    >>> [(one.code, one.texts) for one in languages_of(["一只狗", "a dog", "a cat in the sun", "🐕"])]
    [('en', 2), ('zh', 1)]
    >>> languages_of(["Zwei Hunde laufen über die Wiese."])[0].language
    'German'
    """
    step = max(1, len(texts) // _LOOKED_AT)
    by_script: dict[str, list[str]] = {}
    for text in texts[::step]:
        for script, part in _parts(text).items():
            by_script.setdefault(script, []).append(part)
    if "Japanese" in by_script and len(by_script["Japanese"]) > len(by_script.get("Chinese", ())):
        by_script["Japanese"] += by_script.pop("Chinese", [])  # some captions are all characters
    found: Counter[tuple[str, str]] = Counter()
    for script, own in by_script.items():
        for code, share in _codes(script, own).items():
            found[code, script] += max(1, round(share * len(own)))
    total = sum(map(len, by_script.values()))
    spaced = {script: script not in UNSPACED or _is_cut(script, own) for script, own in by_script.items()}
    return [
        Written(code, script, count * step, min(1.0, count / total), spaced[script])
        for (code, script), count in sorted(found.items(), key=lambda one: -one[1])
    ]


def _is_cut(script: str, texts: Sequence[str]) -> bool:
    """Whether texts of a script without spaces have been cut into words before."""
    words = [word for text in texts for word in text.split()]
    letters = sum(sum(map(str.isalpha, word)) for word in words)
    longest = _LONGEST_WORD if script in ("Chinese", "Japanese") else 2 * _LONGEST_WORD
    return len(words) >= _FEWEST_WORDS * len(texts) and letters < longest * len(words)


def script_of(text: str) -> str:
    """The script of most letters of a text; empty where there is no letter.

    >>> script_of("犬が走る"), script_of("一只狗拿着 frisbee"), script_of("12!")
    ('Japanese', 'Chinese', '')
    """
    counts = _weights(text)
    return max(counts, key=counts.__getitem__) if counts else ""


def _parts(text: str) -> dict[str, str]:
    """The text by its script; where others have much of it, the words of each.

    >>> _parts("A dog runs along the beach. 一只狗在海滩上跑。")
    {'Latin': 'A dog runs along the beach.', 'Chinese': '一只狗在海滩上跑。'}
    """
    if text.isascii():  # as most captions are: told without counting
        return {LATIN: text} if any(map(str.isalpha, text)) else {}
    counts = _weights(text)
    total = sum(counts.values())
    much = [one for one, count in counts.items() if count >= max(_FEWEST_LETTERS, _MUCH * total)]
    if len(much) < 2:
        return {max(counts, key=counts.__getitem__): text} if counts else {}
    words = [(script_of(word), word) for word in text.split()]
    return {script: " ".join(word for own, word in words if own == script) for script in much}


def _weights(text: str) -> Counter[str]:
    """The letters of each script, a Chinese character for some."""
    if text.isascii():
        letters = sum(map(str.isalpha, text))
        return Counter({LATIN: letters}) if letters else Counter()
    counts: Counter[str] = Counter()
    for letter, count in Counter(filter(str.isalpha, text)).items():
        script = _script(letter)
        counts[script] += count * (_CHARACTER_WEIGHT if script == "Chinese" else 1)
    kana, chinese = counts.pop("Kana", 0), counts.pop("Chinese", 0)
    japanese = kana > _KANA_SHARE * (kana + chinese)
    if kana or chinese:
        counts["Japanese" if japanese else "Chinese"] = kana + chinese
    return counts


@cache
def _script(letter: str) -> str:
    first = name(letter, "").partition(" ")[0].capitalize()
    return _SAME_SCRIPT.get(first, first)


def _codes(script: str, texts: Sequence[str]) -> dict[str, float]:
    """Codes of the languages of texts of one script, each with its share."""
    usual = _SHARED.get(script)
    if usual is None:
        return {_LANGUAGE_OF.get(script, script.lower()): 1.0}
    step = max(1, len(texts) // _TOLD_APART)
    some = list(dict.fromkeys(texts[::step]))
    parts = [" ".join(some[start : start + _TOGETHER]) for start in range(0, len(some), _TOGETHER)]
    if len(parts) > 1 and len(some) % _TOGETHER:
        last = parts.pop()
        parts[-1] += f" {last}"
    counts = Counter(_language(part, usual) for part in parts)
    return {code: count / len(parts) for code, count in counts.items()}


def _language(text: str, usual: str) -> str:
    """The language of a text in a script whose usual language is `usual`."""
    words = text.lower().split()
    if usual == "en" and 10 * sum(word in _TOLD_BY_WORDS for word in words) >= len(words):
        return usual  # so that the detector is not even loaded for most English captions
    if sum(sum(map(str.isalpha, word)) for word in set(words)) < _FEWEST_LETTERS:
        return usual
    probabilities: dict[str, float] = dict(_detector().rank(text))
    if probabilities.get(usual, 0.0) >= _HARDLY:
        return usual
    found = max(probabilities, key=probabilities.__getitem__)
    return usual if found == _NO_LANGUAGE else found


@cache
def _detector() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
