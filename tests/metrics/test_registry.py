from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pytest

from captious.errors import InputError, UnknownNameError
from captious.metric_names import metric_homes
from captious.metrics import Metric, known_metrics, register, resolve, resolve_all, split_list


def test_options_are_read_as_the_type_of_their_default() -> None:
    metric = resolve("cider[n=3, sigma=4]")
    assert (metric.n, metric.sigma) == (3, 4.0)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("cidre", 'unknown metric "cidre". Did you mean "cider"?'),
        ("cider[sgima=4]", 'unknown option of cider "sgima". Did you mean "sigma"?'),
        ("cider[sigma]", 'cider: option "sigma" has no value. Write sigma=value.'),
        ("cider[n=four]", 'cider: option "n" must be a whole number; found "four".'),
        ("cider[sigma=six]", 'cider: option "sigma" must be a number; found "six".'),
        ("cider[df=]", 'cider: option "df" has no value. Write df=value.'),
        ("cider]", '"cider]": a bracket is not closed or not opened. Write name[option=value].'),
        ("cider[n=4", '"cider[n=4": a bracket is not closed or not opened. Write name[option=value].'),
        ("cider n=4", '"cider n=4" is not a metric name. Write a name, or name[option=value,option=value].'),
    ],
)
def test_a_wrong_name_or_option_is_one_clear_line(asked: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(asked)
    assert str(caught.value) == said


def test_commas_inside_brackets_do_not_separate_metrics() -> None:
    assert split_list("a, b[x=1,y=2],,c") == ["a", "b[x=1,y=2]", "c"]
    assert split_list("a[x=1,y=2],b[z=3],c[w=4") == ["a[x=1,y=2]", "b[z=3]", "c[w=4"]


def test_asking_twice_for_a_metric_is_asking_once() -> None:
    assert list(resolve_all(["bleu1", " bleu1", "bleu2"])) == ["bleu1", "bleu2"]


def test_asking_for_nothing_is_an_error() -> None:
    with pytest.raises(InputError, match="no metric was named"):
        resolve_all([])


def test_two_packages_cannot_register_one_name() -> None:
    with pytest.raises(InputError, match='metric "cider" is registered twice'):

        @register("cider")
        @dataclass(frozen=True)
        class Impostor(Metric):
            pass


def test_a_name_far_from_all_lists_what_there_is() -> None:
    with pytest.raises(UnknownNameError, match=r"Known: .*bleu4.*rouge_l"):
        resolve("zzz")


def test_the_sources_tell_where_each_metric_of_ours_is() -> None:
    told = metric_homes()
    found = {name: kind.__module__ for name, kind in known_metrics().items()}
    ours = {name: module for name, module in found.items() if module.startswith("captious.")}
    assert told == ours


def test_only_the_metric_that_is_asked_for_is_imported() -> None:
    code = (
        "import sys; from captious.metrics import resolve; resolve('rouge_l'); "
        "print(*sorted(m for m in sys.modules if m.startswith('captious.metrics.')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    others = {"cider", "bleu", "meteor", "spice", "wmd", "bertscore", "lm", "vifidel"}
    names = {module.split(".")[2] for module in loaded.split()}
    assert "rouge_l" in names and not names & others
