"""`captious campaign mix` on the demo sample."""

from __future__ import annotations

import json

from captious.data import demo_files


def test_a_file_for_each_source(run, tmp_path) -> None:
    demo = demo_files()
    heron, _, _, dodo = demo.systems
    found = run(
        "campaign",
        "mix",
        *("-c", str(heron), "-c", str(dodo), "-r", str(demo.references)),
        *("--shares", "human=1,heron=1,dodo=1,mismatched=1", "-o", str(tmp_path / "mixed")),
    )
    assert found.code == 0, found.err
    files = sorted((tmp_path / "mixed").glob("*.json"))
    assert [file.stem for file in files] == ["dodo", "heron", "human", "mismatched"]
    rows = {file.stem: json.loads(file.read_text()) for file in files}
    # 24 images in four equal shares.
    assert [len(own) for own in rows.values()] == [6, 6, 6, 6]
    references = json.loads(demo.references.read_text())["annotations"]
    own = {(str(one["image_id"]), one["caption"]) for one in references}
    assert all((row["image_id"], row["caption"]) in own for row in rows["human"])
    assert not any((row["image_id"], row["caption"]) in own for row in rows["mismatched"])


def test_a_wrong_share_is_told_in_one_line(run, tmp_path) -> None:
    demo = demo_files()
    found = run(
        "campaign",
        "mix",
        *("-c", str(demo.systems[0]), "-r", str(demo.references)),
        *("--shares", "human=half", "-o", str(tmp_path / "mixed")),
    )
    assert found.code == 2
    assert "write source=share" in found.err
