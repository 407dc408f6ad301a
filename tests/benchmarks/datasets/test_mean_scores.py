from __future__ import annotations

import json

import pytest

from captious.benchmarks.datasets.mean_scores import load_capeval1k, load_nebula
from captious.errors import InputError


def test_nebula(data) -> None:
    found = load_nebula(data)
    assert len(found.corpus) == 3298
    examples, values = found.rows("overall")
    assert len(examples) == 3298 and values.min() >= 0 and values.max() == 1.0
    assert found.corpus.example(0).references[0] == "a bunch of people are walking around outside"


def test_capeval1k_gets_coco_references_by_number(data) -> None:
    found = load_capeval1k(data)
    assert len(found.corpus) == 1000
    assert len(found.corpus.image_ids) == 250
    karpathy = json.loads((data / "coco_karpathy" / "reference_captions.json").read_text())
    assert found.corpus.example(0).image_id == "60623"
    assert found.corpus.example(0).references == karpathy["60623"]
    assert found.ids[:2] == ["0", "1"]


def test_a_score_outside_0_to_1_is_refused(tmp_path) -> None:
    (tmp_path / "nebula").mkdir()
    rows = [{"imgid": "1", "mt": "a dog", "refs": ["a dog"], "score": 4}]
    (tmp_path / "nebula" / "nebula_test.json").write_text(json.dumps(rows))
    with pytest.raises(InputError, match="the human score is 4, not a number from 0 to 1"):
        load_nebula(tmp_path)


def test_rows_without_references_are_refused(tmp_path) -> None:
    (tmp_path / "nebula").mkdir()
    rows = [{"imgid": "1", "mt": "a dog", "score": 0.4}]
    (tmp_path / "nebula" / "nebula_test.json").write_text(json.dumps(rows))
    with pytest.raises(InputError, match="its rows have no references"):
        load_nebula(tmp_path)
