import pytest

from captious.errors import InputError
from captious.learn.models import parse_learner


@pytest.mark.parametrize(
    ("specification", "said"),
    [
        ("gbr[trees=0]", "gbr: trees is 0; it must be from 1 to 100,000."),
        ("gbr[depth=0]", "gbr: depth is 0"),
        ("gbr[rate=nan]", "gbr: rate is nan; it must be from 1e-06 to 10."),
        ("gbr[subsample=2]", "gbr: subsample is 2.0; it must be from 0.01 to 1."),
        ("gbr[leaf=0]", "gbr: leaf is 0"),
        ("hist[trees=0]", "hist: trees is 0"),
        ("hist[leaves=1]", "hist: leaves is 1; it must be from 2 to"),
        ("hist[penalty=-1]", "hist: penalty is -1.0; it must be from 0 to"),
        ("ridge[penalty=-1]", "ridge: penalty is -1.0; it must be from 0 to"),
        ("ridge[penalty=nan]", "ridge: penalty is nan"),
        ("mlp[rate=0]", "mlp: rate is 0.0"),
        ("mlp[decay=nan]", "mlp: decay is nan"),
        ("mlp[epochs=0]", "mlp: epochs is 0; it must be from 1 to 1,000,000."),
    ],
)
def test_an_option_out_of_range_is_refused_before_anything_is_fitted(specification: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_learner(specification)
    assert str(refused.value).startswith(said)
