"""Our PTB tokens against those of the Stanford tokeniser that coco-caption calls."""

from __future__ import annotations

import csv
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.text.ptb import tokenise as ptb
from captious.text.ptb.lexer import lex
from captious.text.ptb.tokenise import PUNCTUATION, tokenise, tokenise_many

HERE = Path(__file__).parent
NASTY = json.loads((HERE / "data" / "ptb_nasty.json").read_text())


@pytest.fixture(scope="module")
def jar(java: str) -> ModuleType:
    """The script that asks the reference tokeniser."""
    spec = importlib.util.spec_from_file_location("make_ptb_nasty", HERE / "make_ptb_nasty.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def captions(data: Path) -> list[str]:
    """Every distinct caption of the benchmark data, as coco-caption would write it to a file."""
    return list(dict.fromkeys(text.replace("\n", " ") for text in _all_captions(data)))


def _json_lines(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _strings(value: object, keys: frozenset[str]) -> Iterator[str]:
    """Strings below the given keys, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, keys)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in keys or isinstance(item, (dict, list)):
                yield from _strings(item, keys)


def _all_captions(data: Path) -> Iterator[str]:
    keys = frozenset({"hyp", "refs", "mt", "caption", "captions", "references", "candidate"})
    keys |= {"caption_wordpiece_detok"}
    for name in (
        "thumb/mscoco_THumB-1.0.jsonl",
        "thumb/mscoco_references.jsonl",
        "capeval1k/capeval1k.jsonl",
        "formats/composite.head.jsonl",
    ):
        for row in _json_lines(data / name):
            yield from _strings(row, keys)
    for name in ("pascal50s/pascal_50s.json", "nebula/nebula_test.json"):
        yield from _strings(json.loads((data / name).read_text(encoding="utf-8")), keys)
    systems = json.loads((data / "coco_karpathy/m2_transformer.json").read_text())
    yield from systems.values()
    references = json.loads((data / "coco_karpathy/reference_captions.json").read_text())
    yield from _strings(references, keys)
    for path in sorted((data / "coco_mini/annotations").glob("captions_*.json")):
        for annotation in json.loads(path.read_text())["annotations"]:
            yield annotation["caption"]
    for line in (data / "flickr8k/Flickr8k.token.txt").read_text(encoding="utf-8").splitlines():
        yield line.split("\t", 1)[1]
    with (data / "vicr_sample/VICR_Sample250.csv").open(encoding="utf-8-sig", newline="") as rows:
        yield from (row["caption"] for row in csv.DictReader(rows))
    yield from _matlab_strings(data / "pascal50s/pascal50S.mat")


def _matlab_strings(path: Path) -> Iterator[str]:
    from scipy.io import loadmat

    def walk(value: object) -> Iterator[str]:
        if isinstance(value, str):
            yield str(value)
        elif getattr(value, "dtype", None) is not None:
            names = value.dtype.names  # type: ignore[attr-defined]
            for item in [value[name] for name in names] if names else value.ravel():  # type: ignore
                if names or value.dtype.kind in "OU":  # type: ignore[attr-defined]
                    yield from walk(item)

    for key, value in loadmat(path, squeeze_me=True).items():
        if not key.startswith("__"):
            yield from walk(value)


def test_nasty_strings_give_what_the_reference_printed() -> None:
    assert len(NASTY) > 2000
    texts = [entry["text"] for entry in NASTY]
    kept = tokenise_many(texts, keep_punctuation=True, lower_case=False)
    wrong = [
        (entry["text"], entry["tokens"], ours)
        for entry, ours in zip(NASTY, kept, strict=True)
        if entry["tokens"] != ours
    ]
    wrong += [
        (entry["text"], entry["coco"], ours)
        for entry, ours in zip(NASTY, tokenise_many(texts), strict=True)
        if entry["coco"] != ours
    ]
    assert wrong == []


def test_stored_answers_are_the_reference_s(jar: ModuleType) -> None:
    assert jar.answers([entry["text"] for entry in NASTY], PUNCTUATION) == NASTY


def test_every_benchmark_caption_alone(captions: list[str], jar: ModuleType) -> None:
    assert len(captions) > 120_000
    lines = jar.jar_alone(captions, lower_case=False)
    ours = tokenise_many(captions, keep_punctuation=True, lower_case=False)
    wrong = [
        (text, line, tokens)
        for text, line, tokens in zip(captions, lines, ours, strict=True)
        if line.split() != tokens
    ]
    assert wrong == []


def test_every_benchmark_caption_in_one_file(captions: list[str], jar: ModuleType) -> None:
    lines = jar.jar_lines("\n".join(captions), lower_case=True)
    ours = tokenise_many(captions, as_one_file=True)
    wrong = [
        (text, line, tokens)
        for text, line, tokens in zip(captions, lines, ours, strict=True)
        if jar.as_coco_caption(line, PUNCTUATION) != tokens
    ]
    assert wrong == []


def test_punctuation_is_coco_captions_list(java: str) -> None:
    reference = pytest.importorskip("pycocoevalcap.tokenizer.ptbtokenizer")
    assert frozenset(reference.PUNCTUATIONS) == PUNCTUATION


@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n", "\x0b", "\x0c", "\u2028", "\u2029", "\n\n"])
def test_a_line_break_is_a_blank(line_break: str) -> None:
    assert tokenise(f"A dog{line_break}runs.{line_break}") == ["a", "dog", "runs"]


@pytest.mark.parametrize("blank", ["", " ", "\n", "\t \r\n", "\u3000", "\x00", "\ufeff", "\ud800"])
def test_nothing_to_tokenise(blank: str) -> None:
    assert tokenise(blank) == []


def test_half_a_surrogate_pair_separates_words() -> None:
    assert tokenise("dog\ud83dcat \udc00") == ["dog", "cat"]


def test_the_next_caption_decides_only_in_one_file() -> None:
    texts = ["Plan B.", "", "The end, etc.", "a dog."]
    alone = tokenise_many(texts, keep_punctuation=True)
    together = tokenise_many(texts, keep_punctuation=True, as_one_file=True)
    assert alone[0] == ["plan", "b."]
    assert together[0] == ["plan", "b", "."]
    assert alone[2] == ["the", "end", ",", "etc.", "."]
    assert together[2] == ["the", "end", ",", "etc."]
    assert alone[3] == together[3] == ["a", "dog", "."]


@pytest.mark.parametrize(
    "unit, tokens_of_one",
    [
        ("a,", 2),  # no address, no compound: every look ahead must stop at once
        ("a+", 2),
        ("a ,<", 3),
        ("<!x ", 3),
        ("C. <!x ", 4),
        ("a@ ", 2),
        ("1:a;", 4),
        ("www.1+", 3),
        ("x%..com ", 5),
        ("😀a ", 1),
        ("the U.S. ", 2),
        ("555 - ", 2),
    ],
)
def test_long_texts_take_linear_time(unit: str, tokens_of_one: int) -> None:
    # A quadratic lexer would need minutes for these.
    times = 10_000
    assert len(tokenise(unit * times, keep_punctuation=True)) == times * tokens_of_one


@pytest.mark.parametrize("unit", ["a", "é", "a.", "a-", "1.", "#", "!"])
def test_a_token_may_be_megabytes_long(unit: str) -> None:
    text = "b" + unit * 2_000_000
    assert sum(map(len, tokenise(text, keep_punctuation=True))) == len(text)


def test_a_caption_of_ten_megabytes() -> None:
    assert len(tokenise("A dog, two cats. " * 600_000)) == 4 * 600_000


PIECES = st.sampled_from(sorted({piece for entry in NASTY[:1200] for piece in entry["text"].split()}))
MIXED = st.lists(st.one_of(PIECES, st.sampled_from(" \t\n.'\"<>@&-"), st.text(max_size=3)))
TEXTS = st.one_of(st.text(), MIXED.map("".join), MIXED.map(" ".join))
OPTIONS = st.fixed_dictionaries({"keep_punctuation": st.booleans(), "lower_case": st.booleans()})


@settings(deadline=None, max_examples=300)
@given(st.lists(TEXTS, max_size=4), OPTIONS)
def test_any_text_gives_tokens_without_white_space(texts: list[str], options: dict[str, bool]) -> None:
    rows = tokenise_many(texts, **options)
    assert rows == [tokenise(text, **options) for text in texts]
    for row in rows:
        assert all(token and token.split() == [token] for token in row)


@settings(deadline=None, max_examples=500)
@given(TEXTS)
def test_pieces_give_what_the_whole_text_gives(text: str) -> None:
    whole = [part for token in lex(text) for part in token.split()]
    assert tokenise(text, keep_punctuation=True, lower_case=False) == whole


@settings(deadline=None, max_examples=200)
@given(TEXTS)
def test_options_only_drop_and_lower(text: str) -> None:
    kept = tokenise(text, keep_punctuation=True)
    assert [token for token in kept if token not in PUNCTUATION] == [
        token for token in tokenise(text) if token not in PUNCTUATION
    ]


WORDS = sorted({*ptb._NOT_PLAIN, "dunkin", "ol", "cap", "let", "dog", "not", "lrb", "non", "us"})
CASED = st.sampled_from(WORDS).flatmap(lambda w: st.sampled_from([w, w.upper(), w.capitalize()]))
COMPOUNDS = st.builds(
    lambda words, possessive, mark: "-".join(words) + possessive + mark,
    st.lists(CASED, min_size=1, max_size=3),
    st.sampled_from(["", "'s"]),
    st.sampled_from(["", ".", ","]),
)
NEIGHBOURS = st.sampled_from(["", "The", "dog", "Dog", "5", '"', "'s", "<b>", "X.", "A", "- a"])


@settings(deadline=None, max_examples=400)
@given(COMPOUNDS, NEIGHBOURS)
def test_words_compounds_and_possessives_are_what_the_lexer_makes_of_them(piece: str, after: str) -> None:
    whole = [part for token in lex(f"{piece} {after}") for part in token.split()]
    assert tokenise(f"{piece} {after}", keep_punctuation=True, lower_case=False) == whole
