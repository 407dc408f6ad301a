from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import captious

METRICS = "bleu1,rouge_l,cider"


def _common(files):
    return ["--candidates", files["good"], files["poor"], "--references", files["references"]]


def test_json_holds_raw_values_and_signatures(run, files) -> None:
    found = run("score", *_common(files), "--metrics", METRICS, "--format", "json")
    assert found.code == 0
    good = found.json["systems"]["good"]
    assert 0 < good["cider"]["low"] <= good["cider"]["score"] <= good["cider"]["high"]
    assert good["cider"]["signature"].startswith("cider|refs:2|tok:ptb|df:corpus:3|")
    assert good["bleu1"]["n"] == 3


def test_a_table_shows_scores_as_papers_do(run, files) -> None:
    found = run("score", *_common(files), "--metrics", METRICS)
    raw = run("score", *_common(files), "--metrics", METRICS, "--format", "json").json
    shown = f"{raw['systems']['good']['rouge_l']['score'] * 100:.1f}"
    line = next(line for line in found.out.splitlines() if "good" in line)
    assert shown in line
    assert "rouge_l|refs:2|tok:ptb" in found.out


def test_one_system_gets_a_row_for_each_metric(run, files) -> None:
    found = run(
        "score", "--candidates", files["good"], "--references", files["references"], "--metrics", METRICS
    )
    assert [word for word in ("bleu1", "rouge_l", "cider") if f" {word} " in found.out]
    assert "low 95%" in found.out


@pytest.mark.parametrize("form", ["csv", "latex", "markdown"])
def test_other_formats_hold_every_system(run, files, form) -> None:
    found = run("score", *_common(files), "--metrics", METRICS, "--format", form)
    assert found.code == 0
    assert "good" in found.out and "poor" in found.out
    mark = {"csv": "system,metric,score,low,high,n,signature", "latex": r"\toprule", "markdown": "|---|---:|"}
    assert mark[form] in found.out


def test_csv_holds_unrounded_numbers(run, files) -> None:
    raw = run("score", *_common(files), "--metrics", "cider", "--format", "json").json
    rows = run("score", *_common(files), "--metrics", "cider", "--format", "csv").out.splitlines()
    assert float(rows[1].split(",")[2]) == raw["systems"]["good"]["cider"]["score"]


def test_names_replace_stems(run, files) -> None:
    found = run("score", *_common(files), "--name", "A", "B", "--metrics", "bleu1", "-f", "json")
    assert list(found.json["systems"]) == ["A", "B"]


def test_no_resamples_no_intervals(run, files) -> None:
    found = run("score", *_common(files), "--metrics", "bleu1", "--resamples", 0, "-f", "json")
    assert set(found.json["systems"]["good"]["bleu1"]) == {"score", "n", "signature"}


def test_a_second_process_changes_nothing(run, files) -> None:
    one = run("score", *_common(files), "--metrics", METRICS, "-f", "json").json
    two = run("score", *_common(files), "--metrics", METRICS, "-f", "json", "--jobs", 2).json
    for metric in one["systems"]["good"]:
        assert one["systems"]["good"][metric]["score"] == pytest.approx(
            two["systems"]["good"][metric]["score"], abs=1e-12
        )


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_items_are_written_for_every_example(run, files, tmp_path: Path, suffix) -> None:
    out = tmp_path / f"items.{suffix}"
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    found = run("score", *_common(files), "--metrics", METRICS, "--items", out)
    assert found.code == 0, found.err
    if suffix == "csv":
        rows = list(csv.DictReader(out.open()))
    elif suffix == "jsonl":
        rows = [json.loads(line) for line in out.read_text().splitlines()]
    else:
        from pyarrow import parquet

        rows = parquet.read_table(out).to_pylist()
    assert len(rows) == 6
    assert list(rows[0]) == ["system", "image_id", "caption", "bleu1", "rouge_l", "cider"]
    assert rows[0]["system"] == "good" and rows[0]["image_id"] == "1"


def test_document_frequencies_are_built_once_and_used_for_one_image(run, files, tmp_path: Path) -> None:
    table = tmp_path / "all.npz"
    assert run("data", "df", "--references", files["references"], "--out", table).code == 0
    chinese = tmp_path / "zh.json"
    chinese.write_text('{"1": ["一只棕色的狗在草地上跑。"], "2": ["两个人骑着自行车。"]}', encoding="utf-8")
    refused = run("data", "df", "--references", chinese, "--out", tmp_path / "zh.npz")
    assert refused.code == 2 and "references are Chinese, which is written without spaces" in refused.err
    trained = run("train", "lm", "--captions", chinese, "--out", tmp_path / "zh.npz")
    assert trained.code == 2 and "zh.json: captions are Chinese" in trained.err
    whole = run(
        "score",
        "--candidates",
        files["good"],
        "--references",
        files["references"],
        "--metrics",
        "cider",
        "--df",
        table,
        "--items",
        tmp_path / "all.csv",
    )
    assert whole.code == 0, whole.err
    one = tmp_path / "one.json"
    one.write_text('{"1": "A man riding a horse."}')
    found = run(
        "score",
        "--candidates",
        one,
        "--references",
        files["references"],
        "--metrics",
        "cider",
        "--df",
        table,
        "--format",
        "json",
    )
    first = next(csv.DictReader((tmp_path / "all.csv").open()))
    assert found.json["systems"]["one"]["cider"]["score"] == pytest.approx(float(first["cider"]))
    assert "df:file:" in found.json["systems"]["one"]["cider"]["signature"]


def test_one_image_without_a_table_is_refused_not_zero(run, files, tmp_path: Path) -> None:
    one = tmp_path / "one.json"
    one.write_text('{"1": "A man riding a horse."}')
    found = run("score", "--candidates", one, "--references", files["references"], "--metrics", "cider")
    assert found.code == 2
    assert "the references cover 1 image" in found.err and "--df FILE" in found.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--metrics", "cidr"], 'error: unknown metric "cidr". Did you mean "cider"?'),
        (["--metrics", ","], "error: no metric was named."),
        (["--items", "scores.xls"], 'cannot tell the format from ".xls"'),
        (["--items", f"{__file__}/scores.csv"], "is a file. Give a folder to write to."),
        (["--df", "nowhere.npz", "--metrics", "cider"], "nowhere.npz"),
        (["--metrics", "cider[sigma=4"], '"cider[sigma=4": a bracket is not closed or not opened.'),
        (["--metrics", "rouge_l[beta=inf]"], "it must be above 0 and finite"),
        (["--resamples", 10**9], "give at most 100000"),
        (["--jobs", 10**6], "give at most 256"),
        (["--name", ""], "error: --name: the value is empty. Give one, or leave it out."),
        (["--items", " "], "error: --items: the value is empty."),
        (["--metrics="], "error: --metrics: the value is empty."),
        (["--token-file", "token"], "error: --token-file only works with --server. Add --server URL, or"),
        (["--address", "auto"], "error: --address only works with --engine ray. Leave it out."),
        (["--block", "7"], "error: --block only works with --out. Leave it out."),
    ],
)
def test_wrong_options_are_one_line(run, files, arguments, said) -> None:
    found = run("score", *_common(files), *arguments)
    assert found.code == 2
    assert said in found.err
    assert "Traceback" not in found.err and len(found.err.strip().splitlines()) == 1


def test_a_table_of_frequencies_that_no_metric_uses_is_noted(run, files) -> None:
    found = run("score", *_common(files), "--metrics", "bleu1", "--df", "nowhere.npz")
    assert found.code == 0
    assert found.err.startswith("note: --df nowhere.npz is not used")
    assert len(found.err.strip().splitlines()) == 1


def test_csv_is_exact_unless_it_is_for_a_spreadsheet(run, files, tmp_path: Path) -> None:
    texts = {"1": '=HYPERLINK("x")', "2": "-2 dogs.", "3": "A plate = pasta."}
    (tmp_path / "odd.json").write_text(json.dumps(texts))
    asked = [
        "score",
        "--candidates",
        tmp_path / "odd.json",
        "--references",
        files["references"],
        "--metrics",
        "bleu1",
        "--resamples",
        0,
        "--items",
        tmp_path / "items.CSV",
    ]

    def captions() -> list[str]:
        with (tmp_path / "items.CSV").open(newline="") as file:
            return [row["caption"] for row in csv.DictReader(file)]

    assert run(*asked).code == 0
    assert captions() == list(texts.values())
    assert run(*asked, "--csv-safe").code == 0
    assert captions() == ["'" + texts["1"], "'" + texts["2"], texts["3"]]
    named = run(*asked, "--csv-safe", "--name", "=odd", "--format", "csv")
    assert named.out.splitlines()[1].startswith("'=odd,")


def test_a_closed_output_is_no_crash(files) -> None:
    code = "import sys; from captious.cli.main import main; main(sys.argv[1:])"
    command = [
        sys.executable,
        "-c",
        code,
        "score",
        "-c",
        files["good"],
        "-r",
        files["references"],
        "-m",
        "bleu1",
        "--resamples",
        "0",
    ]
    found = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *map(str, command)], stderr=subprocess.PIPE, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")


def test_help_explains_itself_with_an_example(run) -> None:
    for command in ("score", "compare", "data check", "demo", "doctor"):
        found = run(*command.split(), "--help")
        assert found.code == 0 and f"captious {command}" in found.out, command


def test_import_is_light() -> None:
    code = "import sys, captious, captious.cli.main; print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for heavy in ("numpy", "scipy", "pandas", "pyarrow", "torch", "altair", "orjson"):
        assert f"'{heavy}'" not in loaded, heavy


def test_a_command_line_is_parsed_without_numpy() -> None:
    """What --help and completion by Tab import: every command's module, and none of the heavy ones."""
    code = "import sys; from captious.cli.main import application; application(); print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "'captious.cli.score'" in loaded and "'captious.cli.crowd.humanr'" in loaded
    for heavy in ("numpy", "sqlalchemy", "captious.corpus", "captious.metrics", "captious.campaigns"):
        assert f"'{heavy}'" not in loaded, heavy


def test_completing_a_metric_imports_none() -> None:
    code = "import sys; from captious.cli.options import complete_metrics; print(complete_metrics('cid')); "
    code += "print([one for one in ('numpy', 'captious.corpus', 'captious.metrics') if one in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['cider', 'cider_original']", "[]"]


def test_data_are_loaded_without_scipy() -> None:
    code = "import sys, captious.corpus, captious.stats; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_version(run) -> None:
    assert run("--version").out.startswith("captious 0.")


@pytest.mark.long
def test_meteor_without_a_cache_says_why_it_takes_long(files, tmp_path) -> None:
    pytest.importorskip("pycocoevalcap", reason="pycocoevalcap is not installed")
    blocked = tmp_path / "taken"
    blocked.write_text("a file, not a folder")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from captious.cli.main import main; main()",
            "score",
            "--candidates",
            files["good"],
            "--references",
            files["references"],
            "--metrics",
            "meteor",
            "--format",
            "json",
            "--jobs",
            "2",
        ],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "CAPTIOUS_CACHE": blocked},
    )
    assert done.stderr == (
        f"note: METEOR's tables cannot be cached in {blocked} (File exists) and are compiled again "
        "each time, which takes a while. Set CAPTIOUS_CACHE to a folder that can be written.\n"
    )
    assert 0.3 < json.loads(done.stdout)["systems"]["good"]["meteor"]["score"] < 0.6


def test_candidates_come_from_standard_input(tmp_path: Path) -> None:
    references = tmp_path / "r.json"
    references.write_text('{"1": ["a red bus"], "2": ["a dog"]}')
    command = [sys.executable, "-m", "captious", "score", "-c", "-", "-r", str(references), "-m", "bleu1"]
    given = subprocess.run(
        [*command, "--format", "json"],
        input='{"1": "a red bus", "2": "a dog"}',
        capture_output=True,
        text=True,
        check=False,
    )
    assert given.returncode == 0, given.stderr
    assert json.loads(given.stdout)["systems"]["stdin"]["bleu1"]["score"] == pytest.approx(1.0)
    nothing = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    assert nothing.returncode == 2
    assert nothing.stderr.startswith("error: standard input: is empty.")


def test_a_folder_that_is_missing_is_made(run, files, tmp_path: Path) -> None:
    wanted = tmp_path / "new" / "deep" / "scores.csv"
    assert run("score", *_common(files), "--metrics", "bleu1", "--items", wanted).code == 0
    assert wanted.read_text().startswith("system,image_id,caption,bleu1")


def test_a_disk_that_is_full_names_the_file_and_leaves_the_table(tmp_path: Path) -> None:
    captions = tmp_path / "c.json"
    captions.write_text(json.dumps({str(n): "a red bus" for n in range(2000)}))
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); "
    limited += "from captious.cli.main import main; main(sys.argv[1:])"
    files = ["-c", str(captions), "-r", str(captions), "--metrics", "bleu1", "--resamples", "0"]
    found = subprocess.run(
        [sys.executable, "-c", limited, "score", *files, "--items", str(tmp_path / "items.csv")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 2
    assert "100.0" in found.stdout
    assert f"error: {tmp_path / 'items.csv'}: cannot be written: File too large." in found.stderr
    assert not (tmp_path / "items.csv").exists()


def test_captions_that_the_metrics_do_not_fit_are_refused(run, tmp_path) -> None:
    (tmp_path / "zh.json").write_text('{"1": "一只狗在跑。", "2": "两个人。"}', encoding="utf-8")
    (tmp_path / "refs.json").write_text('{"1": ["一只狗。"], "2": ["两个人站着。"]}', encoding="utf-8")
    asked = ["score", "-c", tmp_path / "zh.json", "-r", tmp_path / "refs.json", "--metrics"]
    found = run(*asked, "bleu4,meteor")
    assert found.code == 2
    assert "bleu4: captions are Chinese, which is written without spaces" in found.err
    assert "Use NAME[tokeniser=zh] or zh-jieba or char." in found.err
    assert "meteor: captions are Chinese, but it works only for English" in found.err
    assert "with --any-language, which the signature tells." in found.err
    assert "Chinese" not in run(*asked, "bleu4[tokeniser=zh],rouge_l[tokeniser=char]").err
    found = run(*asked, "bleu4,bleu4[tokeniser=zh]", "--any-language", "--format", "json")
    wanted = found.json["systems"]["zh"]
    assert "|captions:zh|" in wanted["bleu4"]["signature"]
    (right,) = (own["signature"] for name, own in wanted.items() if "zh" in name)
    assert "captions" not in right


def test_weaker_scores_get_a_note(run, tmp_path) -> None:
    (tmp_path / "de.json").write_text('{"1": "Ein Hund rennt über die Wiese."}', encoding="utf-8")
    (tmp_path / "refs.json").write_text('{"1": ["Der Hund läuft im Gras."]}', encoding="utf-8")
    found = run("score", "-c", tmp_path / "de.json", "-r", tmp_path / "refs.json", "-m", "bleu1,spice")
    assert found.code == 0
    assert "note: spice: captions are German, but it is made for English" in found.err


def test_a_group_says_what_it_leaves_out(run, files) -> None:
    found = run("score", *_common(files), "--metrics", "offline", "--resamples", "0", "--format", "json")
    assert found.code == 0
    assert {"bleu1", "cider", "spice", "spider"} <= set(found.json["systems"]["good"])
    (line,) = [line for line in found.err.splitlines() if line.endswith("left out: no objects were given.")]
    assert "vifidel" in line


def test_alt_texts_without_references_get_every_metric_that_can_run(run, tmp_path: Path) -> None:
    (tmp_path / "alt.csv").write_text(
        "url,alt\nhttps://x.org/1.jpg,A dog runs.\nhttps://x.org/2.jpg,Two cats sit.\n"
    )
    (tmp_path / "objects.json").write_text('{"https://x.org/1.jpg": ["dog"], "https://x.org/2.jpg": ["cat"]}')
    bare = run("score", "-c", tmp_path / "alt.csv", "--resamples", "0", "--format", "json")
    assert bare.code == 0, bare.err
    assert {"lm", "rulegrammar"} <= set(bare.json["systems"]["alt"])
    assert "bleu1" not in bare.json["systems"]["alt"]
    said = {line.partition("left out: ")[2]: line for line in bare.err.splitlines() if "left out: " in line}
    assert "clipscore" in said["no images were given."]
    assert "vifidel" in said["no objects were given."]
    more = run(
        *("score", "-c", tmp_path / "alt.csv", "--objects", tmp_path / "objects.json"),
        *("--resamples", "0", "--format", "json"),
    )
    assert "vifidel" in more.json["systems"]["alt"]
    assert "vifidel" not in more.err


def test_alternative_texts_are_scored_after_a_plain_installation(run, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "alt.csv").write_text("url,alt\n1.jpg,A dog runs.\n")
    for package in ("harper", "pocketsphinx", "torch"):  # as after `pip install captious` alone
        monkeypatch.setitem(sys.modules, package, None)
    found = run("score", "-c", tmp_path / "alt.csv", "-f", "json")
    assert found.code == 0 and list(found.json["systems"]["alt"]) == ["alttext"]
    assert "rulegrammar is left out: rulegrammar needs the package harper-py." in found.err


def test_a_folder_of_other_files_is_answered_by_their_names(run, files, tmp_path: Path) -> None:
    (tmp_path / "systems").mkdir()
    found = run("score", "-c", tmp_path / "systems", "-r", files["references"])
    assert found.code == 2
    assert f"name other files themselves, such as {tmp_path / 'systems' / '*.json'}" in found.err


def test_the_folder_of_an_export_is_answered_by_the_file_in_it(run, tmp_path: Path) -> None:
    for command in (("meta",), ("train", "mine", "--features", "cider", "--judgments")):
        found = run(*command, tmp_path)
        assert (found.code, found.err.count("\n")) == (2, 1)
        said = f"{tmp_path}: is a folder. Give a file in it: an export has {tmp_path / 'final.jsonl'}."
        assert said in found.err


def test_a_metric_that_needs_references_says_what_to_type(run, tmp_path: Path) -> None:
    (tmp_path / "alt.csv").write_text("url,alt\n1.jpg,A dog runs.\n")
    found = run("score", "-c", tmp_path / "alt.csv", "--metrics", "cider")
    assert found.code == 2
    assert found.err == (
        "error: cider needs references, but there are none. "
        "Give --references FILE, or --metrics free for those that need none.\n"
    )


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_findings_are_written_as_rows(run, tmp_path, suffix: str) -> None:
    pytest.importorskip("harper")
    captions = tmp_path / "m2.json"
    captions.write_text(json.dumps([{"image_id": 42, "caption": "This is 😀 a apple."}]))
    target = tmp_path / f"found{suffix}"
    found = run("score", "--candidates", captions, "--metrics", "rulegrammar", "--findings", target)
    assert found.code == 0 and "wrote 1 findings" in found.err
    (row,) = captious.read_findings(target).rows()
    assert (row.image, row.system, row.start, row.end, row.text) == ("42", "m2", 10, 11, "a")
    assert (row.kind, row.source, row.evidence) == ("grammar", "rulegrammar", "an")


def test_findings_that_nobody_gives_are_refused(run, files, tmp_path) -> None:
    target = tmp_path / "found.jsonl"
    found = run("score", *_common(files), "--metrics", "bleu1", "--findings", target)
    assert found.code == 2 and "none of these metrics gives findings" in found.err and not target.exists()


def test_the_table_of_a_paper_in_every_form(run, files) -> None:
    arguments = ["score", *_common(files), "--metrics", "bleu4,cider", "--baseline", "poor", "--cite"]
    for form, mark in {
        "table": "bootstrap over images, 1,000 resamples",
        "latex": r"system & BLEU-4 & CIDEr \\",
        "markdown": "| system | bleu4 | cider |",
        "html": '<th scope="row">good</th>',
        "csv": "system,metric,score,low,high,n,signature,p",
    }.items():
        found = run(*arguments, "--format", form)
        assert found.code == 0 and mark in found.out
        assert "@inproceedings{vedantam2015cider," in (found.err if form == "csv" else found.out)
    found = run(*arguments, "--format", "json").json
    assert found["baseline"] == "poor" and 0 < found["systems"]["good"]["cider"]["p"] <= 1
    assert "vedantam2015cider" in found["bibtex"]


def test_a_baseline_that_is_no_system_and_a_single_system_are_told(run, files) -> None:
    found = run("score", *_common(files), "--metrics", "bleu1", "--baseline", "pour")
    assert (found.code, found.err) == (2, 'error: unknown system "pour". Did you mean "poor"?\n')
    alone = run("score", "-c", files["good"], "-r", files["references"], "-m", "bleu1", "--baseline", "good")
    assert alone.code == 2 and "Give at least two files to --candidates." in alone.err


def test_a_quoted_pattern_of_files_is_those_files(run, files) -> None:
    given = ["-r", files["references"], "-m", "bleu1", "--resamples", 0, "--format", "json"]
    pattern = files["good"].parent / "[gp]*o*.json"  # good.json and poor.json; a shell would expand it
    assert run("score", "-c", pattern, *given) == run("score", "-c", files["good"], files["poor"], *given)


def test_images_are_asked_for_before_weights(run, files, monkeypatch, tmp_path) -> None:
    for name in ("HF_HUB_CACHE", "CAPTIOUS_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / "nothing"))
    found = run("score", "-c", files["good"], "-r", files["references"], "-m", "clipscore")
    said = "error: clipscore needs images, but there are none. Give --images DIR. Then: the weights ViT-B-32/"
    assert (found.code, found.err.startswith(said), found.err.count("\n")) == (2, True, 1), found.err
