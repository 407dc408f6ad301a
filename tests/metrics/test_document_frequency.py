from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.errors import InputError
from captious.metrics import document_frequency
from captious.metrics.document_frequency import DocumentFrequencies, merge_tables
from captious.text.ngrams import MAX_ORDER

Lists = list[list[str]]
WORDS = st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join)
LISTS = st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=1, max_size=6)


def counted(lists: Lists) -> Counter[tuple[str, ...]]:
    counts: Counter[tuple[str, ...]] = Counter()
    for texts in lists:
        counts.update(
            {
                tuple(words[i : i + n])
                for words in (text.split() for text in texts)
                for n in range(1, MAX_ORDER + 1)
                for i in range(len(words) - n + 1)
            }
        )
    return counts


def contents(table: DocumentFrequencies) -> dict[tuple[str, ...], int]:
    return {table.index.ngram(number): count for number, count in enumerate(table.counts.tolist()) if count}


def build(lists: Lists) -> DocumentFrequencies:
    return DocumentFrequencies.build(lists, tokeniser="space")


@given(LISTS)
def test_every_document_counts_an_n_gram_once(lists: Lists) -> None:
    table = build(lists)
    assert contents(table) == counted(lists)
    assert table.documents == len(lists)
    assert table.n_grams == len(counted(lists))


@given(st.lists(LISTS, min_size=1, max_size=4))
def test_merging_parts_is_counting_the_whole(parts: list[Lists]) -> None:
    merged = merge_tables([build(part) for part in parts])
    whole = [texts for part in parts for texts in part]
    assert contents(merged) == counted(whole)
    assert merged.documents == len(whole)


def test_work_in_small_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = [["a b c", "b c d"], ["a b"], ["c d a b", "a"], ["d"]]
    monkeypatch.setattr(document_frequency, "_CHUNK", 5)
    assert contents(build(lists)) == counted(lists)


@given(LISTS)
def test_a_saved_table_is_the_same_table(tmp_path_factory: pytest.TempPathFactory, lists: Lists) -> None:
    path = tmp_path_factory.mktemp("df") / "table.npz"
    build(lists).save(path)
    table = DocumentFrequencies.load(path)
    assert contents(table) == counted(lists)
    assert (table.documents, table.tokeniser, table.order) == (len(lists), "space", MAX_ORDER)


def test_the_label_depends_on_content_and_not_on_order(tmp_path: Path) -> None:
    lists = [["a dog runs", "the dog"], ["a cat"], ["zebras"]]
    labels = []
    for number, given_lists in enumerate((lists, lists[::-1], [*lists, ["a cat"]])):
        path = tmp_path / f"{number}.npz"
        build(given_lists).save(path)
        labels.append(DocumentFrequencies.load(path).label)
    assert labels[0] == labels[1]
    assert labels[0].split(":")[1] != labels[2].split(":")[1]
    assert (labels[0].split(":")[2], labels[2].split(":")[2]) == ("3", "4")


def test_inverse_frequencies_of_unseen_n_grams_are_the_highest() -> None:
    table = build([["a b"], ["a c"], ["a"]])
    other = build([["a b", "x"]])
    weights = dict(zip(contents(other), table.inverse(other.index).tolist(), strict=True))
    assert weights == pytest.approx(
        {("a",): 0.0, ("b",): np.log(3), ("x",): np.log(3), ("a", "b"): np.log(3)}
    )


def test_a_pickle_is_refused_and_never_loaded(tmp_path: Path) -> None:
    path = tmp_path / "coco-val-df.p"
    trap = tmp_path / "ran"

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (trap,))  # type: ignore[return-value]

    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(InputError, match=r"Pickled tables such as coco-val-df\.p are not supported"):
        DocumentFrequencies.load(path)
    hidden = tmp_path / "hidden.npz"
    np.savez(hidden, counts=np.array([Trap()], dtype=object))
    with pytest.raises(InputError, match=r"hidden\.npz: is damaged"):
        DocumentFrequencies.load(hidden)
    assert not trap.exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("counts", np.array([1, 9, 1, 1, 1], dtype=np.int32)),  # more documents than there are
        ("counts", np.array([1], dtype=np.int32)),
        ("keys2", np.array([70, 80])),  # points to words that are not there
        ("keys2", np.array([5, 1])),
        ("vocabulary", np.array([0xFF], dtype=np.uint8)),
        ("format", np.frombuffer(b"something-else", dtype=np.uint8)),
        ("documents", None),
    ],
)
def test_a_damaged_table_is_one_clear_line(tmp_path: Path, name: str, value: np.ndarray | None) -> None:
    path = tmp_path / "table.npz"
    build([["a b"], ["c a"]]).save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    if value is None:
        del arrays[name]
    else:
        arrays[name] = value
    np.savez(path, **arrays)
    with pytest.raises(InputError, match="is not a complete table of document frequencies"):
        DocumentFrequencies.load(path)


def test_a_cut_file_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    build([["a b"], ["c a"]]).save(path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match="is not a table of document frequencies"):
        DocumentFrequencies.load(path)


def test_a_table_that_was_written_again_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    build([["a"], ["b"]]).save(path)
    assert document_frequency.load_table(str(path)).documents == 2
    build([["a"], ["b"], ["c d e"]]).save(path)
    assert document_frequency.load_table(str(path)).documents == 3
