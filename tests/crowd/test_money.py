import pytest

from captious.crowd import money
from captious.errors import InputError


def test_amounts_are_exact_where_floats_are_not() -> None:
    # 0.1 + 0.2 is 0.30000000000000004 in floating point.
    assert money.minor(0.1, "USD") + money.minor(0.2, "USD") == money.minor("0.3", "USD")


@pytest.mark.parametrize("amount", ["", "1,50", "-1", "nan", "1e30", "0.005"])
def test_what_is_no_amount_is_refused_in_one_line(amount: str) -> None:
    with pytest.raises(InputError, match=r"^reward: ") as error:
        money.minor(amount, "USD", "reward")
    assert "\n" not in str(error.value)


def test_fees_are_never_rounded_in_our_favour() -> None:
    # Mechanical Turk: 20% with at least a cent for each assignment; 20% of 3 cents is 0.6.
    assert money.share(3, "0.20", least=1) == 1
    assert money.share(1, "0.20", least=1) == 1
    # 33.3% of $1.50 is 49.95 cents.
    assert money.share(150, "0.333") == 50
