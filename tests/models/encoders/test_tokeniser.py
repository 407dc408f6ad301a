"""CLIP's tokens, with the table that open_clip_torch carries and with a model's own files."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from captious.errors import InputError, MissingDependencyError
from captious.models.encoders.tokeniser import Tokeniser, packaged_tokeniser, read_tokeniser

BEGIN, END = 49406, 49407


@pytest.fixture(scope="module")
def clip() -> Tokeniser:
    pytest.importorskip("tokenizers")
    try:
        return packaged_tokeniser()
    except MissingDependencyError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What people show of clip.tokenize.
        ("a painting of a cat", [320, 3086, 539, 320, 2368]),
        ("a photo of a cat", [320, 1125, 539, 320, 2368]),
        ("bozuman", [647, 4091, 786]),
    ],
)
def test_openais_numbers(clip: Tokeniser, text: str, expected: list[int]) -> None:
    assert clip.encode([text]) == [[BEGIN, *expected, END]]


def test_case_space_and_entities_do_not_matter(clip: Tokeniser) -> None:
    plain, shouted, escaped, twice = clip.encode(
        ["a dog & a cat", "  A DOG  &\n a Cat ", "a dog &amp; a cat", "a dog &amp;amp; a cat"]
    )
    assert plain == shouted == escaped == twice


def test_a_caption_that_spells_a_special_token_gets_none(clip: Tokeniser) -> None:
    (row,) = clip.encode(["a dog <|endoftext|> a cat <|startoftext|>"])
    assert row.count(BEGIN) == row.count(END) == 1
    assert (row[0], row[-1]) == (BEGIN, END)


def test_nothing_is_cut(clip: Tokeniser) -> None:
    assert len(clip.encode(["dog " * 300])[0]) == 302


def test_a_models_own_files_are_read_as_transformers_reads_them(tiny: ModuleType, tmp_path: Path) -> None:
    from transformers import CLIPTokenizer

    tiny.write_clip_tokeniser(tmp_path)
    texts = ["a dog on a mat", "The CAT's, toy 42!", "naïve café – 狗", ""]
    own = read_tokeniser(tmp_path)
    assert own is not None
    assert own.ends == (1, 1)
    assert own.encode(texts) == CLIPTokenizer.from_pretrained(str(tmp_path))(texts)["input_ids"]


def test_damaged_files_are_named(tiny: ModuleType, tmp_path: Path) -> None:
    tiny.write_clip_tokeniser(tmp_path)
    (tmp_path / "merges.txt").write_text("#version: 0.2\nd o\nbroken\n")
    with pytest.raises(InputError, match=r"merges.txt: line 3: is not a pair"):
        read_tokeniser(tmp_path)
    (tmp_path / "merges.txt").write_text("")
    (tmp_path / "vocab.json").write_text(json.dumps({"a": 0}))
    with pytest.raises(InputError, match=r'the vocabulary has no "<\|startoftext\|>"'):
        read_tokeniser(tmp_path)
    (tmp_path / "vocab.json").write_text('{"a": 0')
    with pytest.raises(InputError, match=r"vocab.json: is not complete JSON"):
        read_tokeniser(tmp_path)
