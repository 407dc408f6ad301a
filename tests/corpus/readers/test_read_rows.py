"""The same two captions in every format that captious reads."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from captious.corpus.load import load_corpus, read_captions
from captious.corpus.readers import read_rows

CAPTIONS = {"7": "A dog, running.", "391895": 'A "café" 🐕.'}
FORMATS = {
    "coco-results": """[{"image_id": 7, "caption": "A dog, running."},
        {"image_id": 391895, "caption": "A \\"caf\\u00e9\\" 🐕."}]""",
    "captions-by-id": '{"7": "A dog, running.", "391895": "A \\"café\\" 🐕."}',
    "references-by-id": '{"7": ["A dog, running."], "391895": [{"caption": "A \\"café\\" 🐕."}]}',
    "one-key-objects": '[{"7": "A dog, running."}, {"391895": "A \\"café\\" 🐕."}]',
    "json-rows": """[{"imgid": 7, "mt": "A dog, running."},
        {"imgid": 391895.0, "mt": "A \\"café\\" 🐕."}]""",
    "jsonl": '{"img": "7", "hyp": "A dog, running."}\n\n{"img": 391895, "hyp": "A \\"café\\" 🐕."}\n',
    "csv": 'image,caption\n7,"A dog, running."\r\n391895,"A ""café"" 🐕."\n',
    "tsv": 'image\tcaption\n7\tA dog, running.\n391895\tA "café" 🐕.\n',
    "coco-annotations": """{"info": {}, "images": [{"id": 7, "file_name": "seven.jpg"}],
        "annotations": [{"id": 1, "image_id": 7, "caption": "A dog, running."},
                        {"id": 2, "image_id": 391895, "caption": "A \\"café\\" 🐕."}]}""",
    "karpathy": """{"dataset": "coco", "images": [
        {"cocoid": 7, "filename": "seven.jpg", "sentences": [{"raw": "A dog, running."}]},
        {"cocoid": 391895, "sentences": [{"tokens": [], "raw": "A \\"café\\" 🐕."}]}]}""",
    "flickr8k-tokens": '7#0\tA dog, running.\n391895#0\tA "café" 🐕.\n',
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gzip"])
@pytest.mark.parametrize("name", FORMATS)
def test_format_is_told_by_content(name: str, encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "no-suffix"
    text = FORMATS[name]
    file.write_bytes(gzip.compress(text.encode()) if encoding == "gzip" else text.encode(encoding))
    assert read_rows(file).format == name
    assert dict(read_captions(file)) == CAPTIONS


def test_semicolons(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("caption;system;image_id\nA dog, running.;m2;7\n")
    corpus = load_corpus(tmp_path / "c")
    assert (corpus.systems, corpus.captions) == (["m2"], ["A dog, running."])


def test_parquet(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table(
        {
            "image_id": [7, 391895],
            "caption": list(CAPTIONS.values()),
            "references": [["A dog."], ["A café.", "Coffee."]],
            "width": [1, 2],
        }
    )
    parquet.write_table(table, tmp_path / "mine.parquet")
    corpus = load_corpus(tmp_path / "mine.parquet")
    assert corpus.image_ids == list(CAPTIONS)
    assert corpus.captions == list(CAPTIONS.values())
    assert corpus.example(1).references == ["A café.", "Coffee."]
    assert corpus.systems == ["mine"]


def test_plain_lines_meet_by_number(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("A dog, running.\r\n\nA cat\u2028asleep.\n")
    (tmp_path / "r.txt").write_text("A dog.\nA cow.\nA cat.\n")
    corpus = load_corpus(tmp_path / "c.txt", tmp_path / "r.txt")
    assert corpus.captions == ["A dog, running.", "", "A cat\u2028asleep."]
    assert corpus.image_ids == ["1", "2", "3"]
    assert corpus.example(2).references == ["A cat."]


def test_numbered_reference_columns(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(
        "image,caption,reference_1,reference_2\n1,A dog.,Dog.,The dog.\n2,A cat.,Cat.,\n"
    )
    corpus = load_corpus(tmp_path / "c.csv")
    assert [corpus.example(i).references for i in (0, 1)] == [["Dog.", "The dog."], ["Cat."]]


def test_json_list_in_a_cell(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text('image,caption,refs\n1,A dog.,"[""Dog."", ""The dog.""]"\n')
    assert load_corpus(tmp_path / "c.csv").example(0).references == ["Dog.", "The dog."]


def test_an_object_broken_over_lines_is_not_taken_for_json_lines(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text('{"annotations": [\n{"image_id": 1, "caption": "A dog."}\n]}')
    assert list(read_captions(tmp_path / "r.json")) == [("1", "A dog.")]


def test_captions_with_commas_are_not_taken_for_a_header(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("A sign with a picture, text\nA dog, a cat\n")
    assert read_rows(tmp_path / "c.txt").format == "lines"


def test_one_row_of_json_lines_is_not_taken_for_a_map(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"image_id": 1, "caption": "A dog."}')
    assert list(read_captions(tmp_path / "c.jsonl")) == [("1", "A dog.")]


def test_tabs_with_quotes_as_csv_has_them(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text('image\tcaption\n1\t"A ""stop"" sign."\n')
    assert list(read_captions(tmp_path / "c.tsv")) == [("1", 'A "stop" sign.')]


def test_the_real_files(data: Path) -> None:
    # Formats and counts as data/README.md states them.
    expected = {
        "coco_karpathy/m2_transformer.json": ("captions-by-id", 5_000),
        "coco_karpathy/reference_captions.json": ("references-by-id", 25_000),
        "thumb/mscoco_THumB-1.0.jsonl": ("jsonl", 2_500),
        "thumb/mscoco_references.jsonl": ("jsonl", 500),
        "flickr8k/Flickr8k.token.txt": ("flickr8k-tokens", 40_460),
        "flickr8k/ExpertAnnotations.txt": ("flickr8k-expert", 5_822),
        "formats/CrowdFlowerAnnotations.head.txt": ("flickr8k-crowdflower", 200),
        "formats/composite.head.jsonl": ("jsonl", 60),
        "nebula/nebula_test.json": ("json-rows", 3_298),
        "capeval1k/capeval1k.jsonl": ("jsonl", 1_000),
        "vicr_sample/VICR_Sample250.csv": ("csv", 249),
        "coco_mini/annotations/captions_val2017.json": ("coco-annotations", 395),
    }
    found = {name: read_rows(data / name) for name in expected}
    assert {name: (rows.format, len(rows)) for name, rows in found.items()} == expected


def test_a_single_row_is_a_row_where_the_name_says_so(tmp_path: Path) -> None:
    row = '{"image": "1", "caption": "A dog."}'
    (tmp_path / "one.jsonl").write_text(row)
    (tmp_path / "map.json").write_text('{"1": "A dog."}')
    assert read_rows(tmp_path / "one.jsonl").format == "jsonl"
    assert read_rows(tmp_path / "map.json").format != "jsonl"


def test_lists_that_outgrew_their_dictionary_are_read(tmp_path: Path) -> None:
    # Over a megabyte of distinct texts in a row group: Parquet's writer gives its dictionary up midway.
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as arrow

    texts = [f"a caption of some length that nobody else has, number {i}" for i in range(30_000)]
    table = arrow.table({"image_id": list(range(30_000)), "references": [[text] for text in texts]})
    parquet.write_table(table, tmp_path / "refs.parquet")
    assert read_rows(tmp_path / "refs.parquet").columns["references"][-1] == [texts[-1]]
