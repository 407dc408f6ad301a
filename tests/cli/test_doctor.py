from __future__ import annotations


def test_doctor_knows_every_metric_and_what_it_needs(run) -> None:
    found = run("doctor", "--format", "json").json["metrics"]
    assert {"bleu4", "rouge_l", "cider", "meteor"} <= set(found)
    for name, metric in found.items():
        assert metric["ready"] == (metric["missing"] == ""), name
        assert metric["summary"] and metric["citation"], name


def test_spice_and_its_tagger_are_ready_wherever_captious_is(run) -> None:
    found = run("doctor", "--format", "json").json
    assert found["metrics"]["spice"]["ready"]
    assert found["taggers"]["caption"] == ""
    assert found["taggers"]["spacy"] in ("", 'pip install "captious[parse]"')
    assert "tagger of captious stats" in run("doctor").out
