"""Names that are drawn many at a time are drawn once each."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from captious.web.random_names import AT_ONCE, random_id, random_name


def test_no_name_comes_twice_whoever_draws() -> None:
    with ThreadPoolExecutor(4) as threads:
        drawn = [*threads.map(lambda _: (random_name(), random_id()), range(5 * AT_ONCE))]
    names, ids = ({pair[at] for pair in drawn} for at in (0, 1))
    assert len(names) == len(ids) == 5 * AT_ONCE
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22}", name) for name in names)
    assert all(re.fullmatch(r"[0-9a-f]{16}", id_) for id_ in ids)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_draws_its_own() -> None:
    random_name()
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(into, random_name().encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(out, 22).decode() not in {random_name() for _ in range(2 * AT_ONCE)}
    os.close(out)
    os.close(into)
