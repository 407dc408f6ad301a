from __future__ import annotations

import json
from pathlib import Path

import pytest

from captious.corpus import Corpus
from captious.corpus.load import load_corpus, load_references, load_with_notes
from captious.errors import InputError

REFERENCES = {"7": ["A dog runs.", "The dog."], "8": ["A cat."], "9": ["A cow.", "Cows."]}


def write(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(content))
    return path


@pytest.fixture
def references(tmp_path: Path) -> Path:
    return write(tmp_path, "refs.json", REFERENCES)


def test_several_systems(tmp_path: Path, references: Path) -> None:
    a = write(tmp_path, "a.json", [{"image_id": 9, "caption": "C"}, {"image_id": 7, "caption": "D"}])
    b = write(tmp_path, "b.json", {"7": "d", "9": "c"})
    corpus, notes = load_with_notes([a, b], references)
    assert corpus.systems == ["a", "b"]
    assert [corpus.example(i)[:4] for i in range(4)] == [
        ("9", "C", "a", ["A cow.", "Cows."]),
        ("7", "D", "a", ["A dog runs.", "The dog."]),
        ("7", "d", "b", ["A dog runs.", "The dog."]),
        ("9", "c", "b", ["A cow.", "Cows."]),
    ]
    assert list(notes) == ["2 of 3 images that have references have candidates."]
    assert (notes.scored, notes.with_references) == (2, 3)


def test_a_file_of_captions_and_references_given_as_references(tmp_path: Path) -> None:
    rows = [
        {"image_id": image, "system": system, "caption": "mine", "references": [f"theirs {image}", "too"]}
        for system in ("a", "b")
        for image in (7, 8)
    ]
    both = write(tmp_path, "both.json", rows)
    corpus = load_corpus(both, both)
    assert [corpus.example(at).references for at in (0, 1)] == [["theirs 7", "too"], ["theirs 8", "too"]]
    assert load_corpus({"7": "x"}, both).example(0).references == ["theirs 7", "too"]


def test_captions_that_are_their_own_references_are_noted() -> None:
    captions = {str(n): f"a dog and {n} cats" for n in range(6)}
    _, notes = load_with_notes({"mine": captions}, {image: ["x", text] for image, text in captions.items()})
    assert list(notes) == ["mine: every caption is also one of its references. Is it the right file?"]
    others = {image: [text] for image, text in captions.items()} | {"5": ["a dog"]}
    assert list(load_with_notes({"mine": captions}, others)[1]) == []


def test_names(tmp_path: Path, references: Path) -> None:
    a = write(tmp_path, "a.json", {"7": "d"})
    assert load_corpus(a, references, names=["mine"]).systems == ["mine"]


def test_system_column(tmp_path: Path, references: Path) -> None:
    rows = [{"image": i, "caption": f"{s}{i}", "system": s} for i in (7, 8) for s in ("x", "y")]
    corpus = load_corpus(write(tmp_path, "all.json", rows), references)
    assert corpus.systems == ["x", "y"]
    assert corpus.captions == ["x7", "x8", "y7", "y8"]


def test_common_keeps_what_all_describe(tmp_path: Path, references: Path) -> None:
    a = write(tmp_path, "a.json", {"7": "d", "8": "c"})
    b = write(tmp_path, "b.json", {"8": "k", "9": "m"})
    corpus, notes = load_with_notes([a, b], references, common=True)
    assert (corpus.image_ids, corpus.captions) == (["8"], ["c", "k"])
    assert notes.dropped == 2


@pytest.mark.parametrize(("duplicates", "kept"), [("first", ["d", "c"]), ("all", ["d", "D", "c"])])
def test_duplicates(duplicates: str, kept: list[str], tmp_path: Path, references: Path) -> None:
    rows = [(7, "d"), (7, "D"), (8, "c")]
    a = write(tmp_path, "a.json", [{"image_id": i, "caption": c} for i, c in rows])
    corpus = load_corpus(a, references, duplicates=duplicates)  # type: ignore[arg-type]
    assert corpus.captions == kept
    assert corpus.example(1).references == REFERENCES["7" if duplicates == "all" else "8"]


def test_file_names_meet_numbers(tmp_path: Path, references: Path) -> None:
    names = ["val2014/COCO_val2014_000000000007.jpg", "000000000008.jpg", "9.0"]
    a = write(tmp_path, "a.json", dict.fromkeys(names, "A dog."))
    corpus, notes = load_with_notes(a, references)
    assert corpus.image_ids == ["7", "8", "9"]
    assert notes.met_loosely == 3
    assert list(notes) == ["3 image ids were matched by file name or number."]


def test_ids_that_meet_as_they_are_are_left_alone(tmp_path: Path) -> None:
    # "007" and "7" are two images here, because the references know both.
    references = write(tmp_path, "refs.json", {"7": ["seven"], "007": ["spy"]})
    a = write(tmp_path, "a.json", {"007": "a", "7": "b"})
    corpus, notes = load_with_notes(a, references)
    assert [corpus.example(i).references for i in (0, 1)] == [["spy"], ["seven"]]
    assert notes.met_loosely == 0


def test_references_of_several_files_add_up(tmp_path: Path, references: Path) -> None:
    more = write(tmp_path, "more.json", {"8": ["One more."], "7": ["Dog."]})
    sets = load_references([references, more])
    expected = [["A dog runs.", "The dog.", "Dog."], ["A cat.", "One more."], ["A cow.", "Cows."]]
    assert list(sets) == expected


def test_scattered_annotations_are_gathered_in_order(tmp_path: Path) -> None:
    rows = [(5, "a"), (3, "b"), (5, "c"), (3, "d")]
    file = {"annotations": [{"image_id": i, "caption": c} for i, c in rows]}
    assert list(load_references(write(tmp_path, "r.json", file))) == [["a", "c"], ["b", "d"]]


def test_without_references(tmp_path: Path) -> None:
    corpus = load_corpus(write(tmp_path, "a.json", {"7": "d"}))
    assert corpus.references_of.tolist() == [-1]
    assert corpus.example(0).references == []


def test_rows_bring_references_paths_and_objects(tmp_path: Path) -> None:
    row = {
        "image": "7",
        "caption": "d",
        "references": ["D."],
        "image_path": "x/7.jpg",
        "objects": ["dog", "dog"],
    }
    example = load_corpus(write(tmp_path, "a.json", [row])).example(0)
    assert example == ("7", "d", "a", ["D."], "x/7.jpg", ["dog", "dog"], "")


def test_empty_captions_load(tmp_path: Path, references: Path) -> None:
    # A system that says nothing is scored for it; `check` reports it.
    assert load_corpus(write(tmp_path, "a.json", {"7": ""}), references).captions == [""]


def test_karpathy(data: Path) -> None:
    folder = data / "coco_karpathy"
    corpus = load_corpus(folder / "m2_transformer.json", folder / "reference_captions.json")
    assert (len(corpus), set(corpus.reference_counts.tolist())) == (5_000, {5})
    example = corpus.example(0)
    assert example.image_id == "391895"
    assert example.caption == "a man riding a motorcycle down a dirt road"
    assert example.references[2] == "A man riding on the back of a motorcycle."


def test_objects_and_images_of_coco(data: Path, tmp_path: Path) -> None:
    folder = data / "coco_mini"
    annotations = folder / "annotations" / "captions_val2017.json"
    document = json.loads(annotations.read_text())
    first = {a["image_id"]: a["caption"] for a in reversed(document["annotations"])}
    rows = [{"image_id": image, "caption": caption} for image, caption in first.items()]
    corpus = load_corpus(
        write(tmp_path, "a.json", rows),
        annotations,
        images=folder / "val2017",
        objects=folder / "annotations" / "instances_val2017.json",
    )
    instances = json.loads((folder / "annotations" / "instances_val2017.json").read_text())
    names = {c["id"]: c["name"] for c in instances["categories"]}
    row = corpus.image_ids.index("397133")
    expected = [names[a["category_id"]] for a in instances["annotations"] if a["image_id"] == 397133]
    assert corpus.objects is not None and corpus.image_paths is not None
    assert sorted(corpus.objects[row]) == sorted(expected)
    found = corpus.image_paths[row]
    assert found is not None and Path(found).name == "000000397133.jpg"


@pytest.mark.parametrize(
    ("captions", "said"),
    [
        ([""] * 6, "a: all 6 captions are empty. Is it the right file?"),
        (
            ["A dog.", "", "A cat.", "A hat.", "A mat.", " "],
            "a: 2 of 6 captions are empty and count in the mean.",
        ),
        (["A man."] * 4 + ["A cat.", "A dog."], 'a: 4 of 6 captions are the same ("A man.").'),
        (["A dog.", "A cat.", "A hat.", "A mat.", "A bat.", "A rat."], None),
    ],
)
def test_what_looks_like_a_slip_is_noted(tmp_path: Path, captions: list[str], said: str | None) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps({str(n): caption for n, caption in enumerate(captions)}))
    assert list(load_with_notes(file).notes) == ([said] if said else [])


def test_the_same_captions_under_two_names_are_noted(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps({str(n): f"A dog {n}." for n in range(6)}))
    notes = load_with_notes([tmp_path / "a.json", tmp_path / "b.json"]).notes
    assert list(notes) == ["a and b: all captions are identical. Was one file given twice?"]


def test_a_table_with_references_and_no_captions_is_one_line() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"image_id": ["1", "2"], "references": [["a dog"], ["a cat"]]})
    with pytest.raises(InputError, match=r"no captions to score\. Name the caption column") as caught:
        Corpus.from_pandas(frame)
    assert caught.value.typed.endswith('Name the caption column "caption".')
    with pytest.raises(InputError, match="has references but no captions"):
        load_corpus(frame)
