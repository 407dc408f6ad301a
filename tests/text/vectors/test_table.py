from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError, MissingDependencyError
from captious.text.vectors.read import glove_package_folder
from captious.text.vectors.table import load_vectors

WORDS = {
    "dog": [1.0, 0.5, -2.0],
    "dining": [0.0, 1.0, 0.0],
    "table": [0.0, 0.0, 1.0],
    "hot_dog": [3.0, 0.0, 0.25],
    "London": [0.5, 0.5, 0.5],
    "teddybear": [9.0, 9.0, 9.0],
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("CAPTIOUS_CACHE", str(folder))
    return folder


def lines(header: bool) -> str:
    rows = [" ".join([word, *map(str, vector)]) for word, vector in WORDS.items()]
    return "\n".join([f"{len(WORDS)} 3"] * header + rows) + "\n"


def binary(line_ends: bool) -> bytes:
    end = b"\n" if line_ends else b""
    rows = [w.encode() + b" " + np.array(v, "<f4").tobytes() + end for w, v in WORDS.items()]
    return f"{len(WORDS)} 3\n".encode() + b"".join(rows)


@pytest.mark.parametrize(
    "content",
    [
        lines(False).encode(),
        lines(True).encode(),
        binary(True),
        binary(False),
        gzip.compress(lines(False).encode()),
        gzip.compress(binary(True)),
    ],
    ids=["glove", "word2vec-text", "word2vec-binary", "no-line-ends", "glove-gz", "binary-gz"],
)
def test_formats_are_told_by_content(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "any.vectors"
    file.write_bytes(content)
    vectors = load_vectors(file)
    assert (len(vectors), vectors.dimension) == (6, 3)
    found, known = vectors.resolve(["dog", "table", "fork"])
    assert found.tolist() == [WORDS["dog"], WORDS["table"], [0.0, 0.0, 0.0]]
    assert known.tolist() == [True, True, False]


@pytest.mark.parametrize("as_binary", [True, False])
def test_files_that_gensim_writes(tmp_path: Path, as_binary: bool) -> None:
    keyed = pytest.importorskip("gensim.models").KeyedVectors(vector_size=3)
    keyed.add_vectors(list(WORDS), np.array(list(WORDS.values()), dtype=np.float32))
    file = tmp_path / "gensim"
    keyed.save_word2vec_format(str(file), binary=as_binary)
    found, known = load_vectors(file).resolve(list(WORDS))
    assert known.all()
    np.testing.assert_array_equal(found, list(WORDS.values()))


def test_spacy_vectors(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    for word, vector in WORDS.items():
        pipeline.vocab.set_vector(word, np.array(vector, dtype=np.float32))
    pipeline.to_disk(tmp_path / "pipeline")
    vectors = load_vectors(f"spacy:{tmp_path / 'pipeline'}")
    assert vectors.resolve(["table", "dog"])[0].tolist() == [WORDS["table"], WORDS["dog"]]


def test_words_and_labels_are_resolved_by_the_documented_rules(tmp_path: Path) -> None:
    file = tmp_path / "glove.txt"
    file.write_text(lines(False))
    asked = [
        "london",
        "hot dog",
        "hot-dog",
        "dining table",
        "dining_table",
        "kitchen table",
        "teddy bear",
        "kitchen sink",
        "",
    ]
    found, known = load_vectors(file).resolve(asked)
    expected = [
        WORDS["London"],  # with a capital
        WORDS["hot_dog"],  # joined, for which "dog" alone is known too
        WORDS["hot_dog"],
        [0.0, 0.5, 0.5],  # the mean of both parts
        [0.0, 0.5, 0.5],
        WORDS["table"],  # the mean of the one part that is known
        WORDS["teddybear"],  # no part is known
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
    ]
    assert found.tolist() == expected
    assert known.tolist() == [True] * 7 + [False] * 2


def test_a_word_may_hold_spaces_and_the_first_of_two_counts(tmp_path: Path) -> None:
    file = tmp_path / "glove.840B.txt"
    file.write_text(". . . 1 2\ndog 3 4\ndog 5 6\n")
    with pytest.raises(InputError):
        load_vectors(file)  # the first line alone does not tell how many numbers there are
    file.write_text("the 0 0\n. . . 1 2\ndog 3 4\ndog 5 6\n")
    found, _ = load_vectors(file).resolve([". . .", "dog"])
    assert found.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "contains no word vectors"),
        (b'{"dog": [1, 2]}', "contains no word vectors"),
        (b"dog 1 2\ncat 3\n", "line 2: 1 numbers after the word; expected 2"),
        (b"dog 1 2\ncat 3 x\n", "lines 1 to 2: could not convert string"),
        (binary(True)[:-9], "ends at word 6 of 6. The file is cut short"),
        (b"\x00\xff\xfe\x01" * 50, "contains no word vectors"),
    ],
)
def test_a_broken_file_is_one_line(content: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.txt"
    file.write_bytes(content)
    with pytest.raises(InputError) as error:
        load_vectors(file)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_says_what_may_be_named() -> None:
    with pytest.raises(InputError, match=r"not a file and not the name of known vectors.*glove-6b-50d"):
        load_vectors("nowhere.bin")


def test_they_are_compiled_once_and_again_when_the_file_changes(tmp_path: Path, cache: Path) -> None:
    file = tmp_path / "glove.txt"
    file.write_text("dog 1 2\n")
    first = load_vectors(file)
    assert load_vectors(file) is first
    assert len(list((cache / "vectors").iterdir())) == 1
    file.write_text("dog 1 3.5\n")
    second = load_vectors(file)
    assert second.resolve(["dog"])[0].tolist() == [[1.0, 3.5]]
    assert second.label != first.label
    assert len(list((cache / "vectors").iterdir())) == 2


def test_a_torn_cache_is_made_again(tmp_path: Path, cache: Path) -> None:
    from captious.text.vectors import table as module

    file = tmp_path / "glove.txt"
    file.write_text("dog 1 2\ncat 3 4\n")
    load_vectors(file)
    module._load.cache_clear()
    stored = next((cache / "vectors").iterdir()) / "vectors.f32"
    stored.write_bytes(stored.read_bytes()[:-4])
    assert load_vectors(file).resolve(["cat"])[0].tolist() == [[3.0, 4.0]]
    assert stored.stat().st_size == 16


def test_a_cache_that_cannot_be_written_costs_time_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "a file" / "cache"))
    file = tmp_path / "glove.txt"
    file.write_text("dog 1 2\n")
    assert load_vectors(file).resolve(["dog"])[1].tolist() == [True]


def test_the_signature_names_a_file_by_its_content(tmp_path: Path) -> None:
    labels = set()
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("dog 1 2\n")
        labels.add(load_vectors(tmp_path / name).label)
    assert len(labels) == 1
    assert labels.pop().startswith("file:")


def test_glove_is_what_the_package_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CAPTIOUS_CACHE")
    try:
        vectors = load_vectors()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    assert (len(vectors), vectors.dimension, vectors.label) == (400_000, 50, "glove-6b-50d")
    found, known = vectors.resolve(["dog", "cat", "puppy", "bus", "zzxqv"])
    assert known.tolist() == [True] * 4 + [False]
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = glove_package_folder()
    words = parquet.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
    published = np.load(folder / "glove_6B_50d_emb.npy")
    rows = [words.index(word) for word in ("dog", "cat", "puppy", "bus")]
    np.testing.assert_array_equal(found[:4].astype(np.float32), published[rows])
