from __future__ import annotations

import numpy as np
import pytest

from captious.benchmarks.datasets.vicr import load_vicr
from captious.errors import InputError


def test_the_sample(data) -> None:
    found = load_vicr(data)
    assert len(found.corpus) == 249
    assert len(found.judgments) == 1118
    # The first row of the sample: 4, 3, 4, 3.
    examples, values = found.rows("overall")
    assert values[examples == 0].tolist() == [4.0, 3.0, 4.0, 3.0]
    assert found.corpus.reference_counts.max() == 0
    assert np.isnan(found.judgments.matrix("overall")).any()


@pytest.mark.parametrize("cell", ["6", "good", "nan", "0"])
def test_ratings_out_of_range(tmp_path, cell) -> None:
    (tmp_path / "vicr").mkdir()
    text = f"image,caption,ratings,rating_2\na.jpg,A dog.,4,{cell}\n"
    (tmp_path / "vicr" / "VICR.csv").write_text(text)
    with pytest.raises(InputError, match=f'the rating "{cell}" is not a number from 1 to 5'):
        load_vicr(tmp_path)
