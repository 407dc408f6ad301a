"""What a request may ask for."""

from __future__ import annotations

import pytest

from captious.errors import InputError
from captious.web.service.requests import Offer, read_request


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        ("cider[df=/etc/passwd]", "no tables of document frequencies"),
        ("sentsim[encoder=/tmp/x]", 'the option "encoder" can be set only on the server'),
        ("lm[model=./own.npz]", 'the option "model" can be set only on the server'),
        ("./trained", "is not a metric name"),
        ("meteor", '"meteor" is not offered here. Offered: cider, lm, sentsim.'),
        ("sentsim[agg=median]", "unknown agg of sentsim"),
    ],
)
def test_a_request_names_no_file_of_the_server(metric: str, says: str) -> None:
    with pytest.raises(InputError, match=says.replace("[", r"\[").replace(".", r"\.")):
        Offer("cider,sentsim,lm").metric(metric)


def test_a_group_of_which_nothing_can_be_computed_is_refused_with_the_reasons() -> None:
    asked = read_request(b'{"metrics": ["free"], "examples": [{"caption": "a dog"}]}')
    with pytest.raises(
        InputError, match=r"none can be computed\. .*vifidel is left out: no objects were given"
    ):
        Offer("bleu4,vifidel").settled(asked)
