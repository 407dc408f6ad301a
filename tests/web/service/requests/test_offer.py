"""What a request may ask for."""

from __future__ import annotations

import pytest

from captious.errors import InputError
from captious.web.service.requests.offer import Offer


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        ("cider[df=/etc/passwd]", "no tables of document frequencies"),
        ("sentsim[encoder=/tmp/x]", 'only the server sets "encoder"'),
        ("lm[model=./own.npz]", 'only the server sets "model"'),
        ("./trained", "is not a metric name"),
        ("meteor", '"meteor" is not offered here. Offered: cider, lm, sentsim.'),
        ("sentsim[agg=median]", "unknown agg of sentsim"),
    ],
)
def test_a_request_names_no_file_of_the_server(metric: str, says: str) -> None:
    with pytest.raises(InputError, match=says.replace("[", r"\[").replace(".", r"\.")):
        Offer("cider,sentsim,lm").metric(metric)
