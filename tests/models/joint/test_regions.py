from __future__ import annotations

import pickle
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.joint.regions import open_regions


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        import os

        return os.system, ("touch evil-was-here",)


@pytest.mark.parametrize("kind", ["folder", "lmdb", "h5"])
def test_all_kinds_of_files_hold_the_same_regions(tiny_joint: ModuleType, tmp_path: Path, kind: str) -> None:
    if kind != "folder":
        pytest.importorskip("lmdb" if kind == "lmdb" else "h5py")
    images = {"17": tiny_joint.regions(1, 3), "COCO_val2014_000000000042": tiny_joint.regions(2, 5)}
    write = {"folder": tiny_joint.write_region_folder, "lmdb": tiny_joint.write_region_lmdb}
    path = write.get(kind, tiny_joint.write_region_h5)(tmp_path / f"features.{kind}", images)
    store = open_regions(str(path))
    for asked, name in (("17", "17"), ("000000000017.jpg", "17"), (list(images)[1], list(images)[1])):
        found = store.get(asked)
        np.testing.assert_array_equal(found.features, images[name]["features"])
        np.testing.assert_array_equal(found.boxes, images[name]["bbox"])
        assert (found.width, found.height) == (640, 480)
    with pytest.raises(InputError, match=r'image "99": .*has no region features for it'):
        store.get("99")


def test_arrays_without_pickles(tiny_joint: ModuleType, tmp_path: Path) -> None:
    one = tiny_joint.regions(1, 3)
    np.savez(tmp_path / "5.npz", features=one["features"], boxes=one["bbox"], image_w=640, image_h=480)
    np.testing.assert_array_equal(open_regions(str(tmp_path)).get("5").features, one["features"])


def test_a_pickle_that_would_run_something_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save(tmp_path / "1.npy", {"features": Evil()})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"1\.npy: is a pickle that asks for (posix|nt)\.system"):
        open_regions(str(tmp_path)).get("1")
    assert not (tmp_path / "evil-was-here").exists()


def test_an_lmdb_that_would_run_something_is_refused(tmp_path: Path, monkeypatch) -> None:
    lmdb = pytest.importorskip("lmdb")
    monkeypatch.chdir(tmp_path)
    store = lmdb.open(str(tmp_path / "f.lmdb"), map_size=1 << 20)
    with store.begin(write=True) as writing:
        writing.put(b"1", pickle.dumps(Evil()))
    store.close()
    with pytest.raises(InputError, match="asks for"):
        open_regions(str(tmp_path / "f.lmdb")).get("1")
    assert not (tmp_path / "evil-was-here").exists()


def test_damaged_files_are_named(tiny_joint: ModuleType, tmp_path: Path) -> None:
    folder = tiny_joint.write_region_folder(tmp_path / "f", {"1": tiny_joint.regions(1, 3)})
    whole = (folder / "1.npy").read_bytes()
    (folder / "1.npy").write_bytes(whole[: len(whole) - 40])
    with pytest.raises(InputError, match=r"1\.npy: is a damaged pickle"):
        open_regions(str(folder)).get("1")
    (folder / "1.npy").write_bytes(b"no array")
    with pytest.raises(InputError, match=r"1\.npy: is not a complete \.npy file"):
        open_regions(str(folder)).get("1")
    np.save(folder / "1.npy", np.ones((3, 10)))
    with pytest.raises(InputError, match=r"1\.npy: contains no boxes for the features"):
        open_regions(str(folder)).get("1")
    (folder / "1.npy").unlink()
    (folder / "1.npz").write_bytes(b"PK no zip")
    with pytest.raises(InputError, match=r"1\.npz: is not a complete \.npz file"):
        open_regions(str(folder)).get("1")
    (tmp_path / "x.h5").write_bytes(b"no hdf5")
    pytest.importorskip("h5py")
    with pytest.raises(InputError, match=r"x\.h5: is not a complete HDF5 file"):
        open_regions(str(tmp_path / "x.h5"))
    pytest.importorskip("lmdb")
    (tmp_path / "x.lmdb").write_bytes(b"no lmdb")
    with pytest.raises(InputError, match=r"x\.lmdb: is not a readable LMDB"):
        open_regions(str(tmp_path / "x.lmdb"))


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("bbox", np.ones((2, 4)), "do not fit together"),
        ("features", np.full((3, 10), np.nan), "do not fit together"),
        ("image_width", 0, "do not fit together"),
        ("image_width", "wide", "are damaged"),
        ("bbox", None, 'have no "boxes"'),
    ],
)
def test_regions_that_do_not_fit(
    tiny_joint: ModuleType, tmp_path: Path, name: str, value: object, reason: str
) -> None:
    one = tiny_joint.regions(1, 3)
    del one["num_boxes"], one[name]
    if value is not None:
        one[name] = value
    folder = tiny_joint.write_region_folder(tmp_path / "f", {"1": one})
    with pytest.raises(InputError, match=reason):
        open_regions(str(folder)).get("1")


def test_paths_that_hold_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no region features"):
        open_regions(str(tmp_path / "nowhere.lmdb"))
    with pytest.raises(InputError, match=r"contains no \.npy or \.npz files"):
        open_regions(str(tmp_path))
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(InputError, match="does not contain region features"):
        open_regions(str(tmp_path / "notes.txt"))


@pytest.mark.parametrize(("suffix", "package"), [("lmdb", "lmdb"), ("h5", "h5py")])
def test_a_missing_package_is_named(tmp_path: Path, monkeypatch, suffix: str, package: str) -> None:
    from captious.errors import MissingDependencyError
    from captious.models.joint import regions

    path = tmp_path / f"features.{suffix}"
    path.write_bytes(b"")
    monkeypatch.setattr(regions, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=rf"needs the package {package}.*captious\[regions\]"):
        open_regions(str(path))


@pytest.mark.parametrize("kind", ["folder", "h5"])
def test_the_label_tells_other_features(tiny_joint: ModuleType, tmp_path: Path, kind: str) -> None:
    if kind == "h5":
        pytest.importorskip("h5py")
    write = tiny_joint.write_region_folder if kind == "folder" else tiny_joint.write_region_h5
    labels = []
    for number, seed in enumerate((1, 1, 2)):
        (tmp_path / str(number)).mkdir()
        path = write(tmp_path / str(number) / f"f.{kind}", {"17": tiny_joint.regions(seed, 3)})
        labels.append(open_regions(str(path)).label)
    assert labels[0] == labels[1]
    assert labels[0] != labels[2]
    assert labels[0].startswith(f"f.{kind}@")
