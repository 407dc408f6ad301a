"""Files that are small on disk and huge in memory are refused while they unpack."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest

from captious.corpus.load import load_corpus
from captious.errors import InputError
from captious.files import MEGABYTE, check_directory, gunzip


def gzip_of_spaces(megabytes: int) -> bytes:
    """One flushed block of a megabyte, repeated: what packing all of them would give, without the work."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(b" " * MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + block * megabytes


def test_a_gzip_of_nothing_but_spaces_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    bomb = tmp_path / "captions.json.gz"
    bomb.write_bytes(gzip_of_spaces(1500))
    assert bomb.stat().st_size < 2 * MEGABYTE
    tracemalloc.start()
    with pytest.raises(InputError, match=r"captions.json.gz: unpacks to over 64 MB, more than 100 times"):
        load_corpus([bomb])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # It stops at a hundred times 1.5 MB; the whole would be 1,500 MB, and once more to join it.
    assert peak < 400 * MEGABYTE


def test_members_and_padding_are_read_as_gzip_does() -> None:
    data = gzip.compress(b"a" * 3_000_000) + gzip.compress(b"b") + b"\0" * 40
    assert gunzip(data, "a.gz") == gzip.decompress(data) == b"a" * 3_000_000 + b"b"


@pytest.mark.parametrize("cut", [1, 8, 15, -1, -5])
def test_a_gzip_that_is_cut_or_broken_is_refused(cut: int) -> None:
    data = gzip.compress(bytes(range(256)) * 20)[:cut]
    with pytest.raises(InputError, match="damaged or cut short"):
        gunzip(data, "a.gz")
    with pytest.raises(InputError, match="damaged or cut short"):
        gunzip(gzip.compress(b"whole") + b"no gzip at all", "a.gz")


def test_a_callers_own_limit_holds() -> None:
    with pytest.raises(InputError, match=r"unpacks to over 3 MB\. Split it"):
        gunzip(gzip.compress(bytes(4 * MEGABYTE)), "a.gz", 3 * MEGABYTE)


def parquet(tmp_path: Path, **columns: object) -> Path:
    arrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    from pyarrow import parquet as writer

    path = tmp_path / "captions.parquet"
    writer.write_table(arrow.table(columns), path, compression="zstd")
    return path


def test_a_small_parquet_file_of_very_many_rows_is_refused(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    rows = 80_000_000
    path = parquet(tmp_path, caption=arrow.nulls(rows, arrow.string()))
    assert path.stat().st_size < 200_000
    with pytest.raises(InputError, match=r"takes over 2048 MB of memory"):
        load_corpus([path])


@pytest.mark.parametrize("listed", [False, True])
def test_a_small_parquet_file_of_one_long_text_many_times_is_refused(tmp_path: Path, listed: bool) -> None:
    arrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    text, rows = "x" * MEGABYTE, 10_000
    repeated = arrow.DictionaryArray.from_arrays(arrow.array([0] * rows, arrow.int32()), arrow.array([text]))
    images = arrow.array(range(rows))
    if listed:
        offsets = arrow.array(range(rows + 1), arrow.int32())
        column = arrow.ListArray.from_arrays(offsets, repeated)
        path = parquet(tmp_path, image=images, references=column)
    else:
        path = parquet(tmp_path, image=images, caption=repeated)
    assert path.stat().st_size < 200_000
    with pytest.raises(InputError, match=r"takes over 2048 MB of memory"):
        load_corpus([path])


def test_a_zip_of_very_many_names_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        for at in range(1000):
            archive.writestr(f"{at:0200d}.png", b"")
    # 1,000 entries of 46 bytes and a name of 204 each.
    with pytest.raises(InputError, match=r"lists too many files \(250,000 bytes of names\)"):
        check_directory(kept, "a.zip", 249_999)
    check_directory(kept, "a.zip", 250_000)
    assert kept.tell() == 0


def test_the_list_of_a_large_zip_file_is_measured_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)  # from three files on, zipfile writes zip64
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        for at in range(3):
            archive.writestr(f"{at}.png", b"")
    assert b"PK\x06\x06" in kept.getvalue()
    with pytest.raises(InputError, match=r"\(153 bytes of names\)"):  # 3 * (46 + 5)
        check_directory(kept, "a.zip", 152)
