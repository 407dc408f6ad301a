"""Money as whole minor units (cents), so that sums are exact; fees are rounded against us."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal, InvalidOperation

from captious.errors import InputError, one_line

# ISO 4217: currencies without a minor unit, and with three decimals; all others have two.
_DIGITS = {"JPY": 0, "KRW": 0, "CLP": 0, "ISK": 0, "VND": 0, "KWD": 3, "BHD": 3, "TND": 3}
_SIGNS = {"USD": "$", "GBP": "£", "EUR": "€"}
MOST = 10**12


def digits(currency: str) -> int:
    """How many decimals a currency has.

    >>> digits("USD"), digits("JPY")
    (2, 0)
    """
    return _DIGITS.get(currency.upper(), 2)


def checked_currency(currency: str) -> str:
    """The code of a currency in capitals.

    >>> checked_currency("gbp")
    'GBP'
    """
    code = currency.upper()
    if len(code) != 3 or not code.isascii() or not code.isalpha():
        raise InputError(f'currency "{one_line(currency, 20)}": give a three-letter code such as USD.')
    return code


def minor(amount: str | float | Decimal, currency: str, what: str = "amount") -> int:
    """An amount as people write it, in minor units; a fraction of a cent is refused.

    >>> minor("1.50", "USD"), minor(0.1, "USD"), minor("300", "JPY")
    (150, 10, 300)
    """
    try:
        exact = Decimal(str(amount)).scaleb(digits(currency))
    except InvalidOperation:
        raise InputError(
            f'{what}: "{one_line(str(amount), 20)}" is not an amount of money. Write it as 1.50.'
        ) from None
    if not exact.is_finite() or exact < 0 or exact > MOST:
        raise InputError(
            f"{what}: {one_line(str(amount), 20)} is negative or too large. Write an amount such as 1.50."
        )
    if exact != exact.to_integral_value():
        raise InputError(f"{what}: {amount} is a fraction of the smallest unit of {currency}. Round it.")
    return int(exact)


def major(units: int, currency: str) -> Decimal:
    """Minor units as a decimal number of the currency, as providers' requests want it.

    >>> major(150, "USD"), str(major(5, "USD"))
    (Decimal('1.50'), '0.05')
    """
    places = digits(currency)
    return Decimal(units).scaleb(-places).quantize(Decimal(1).scaleb(-places))


def shown(units: int, currency: str) -> str:
    """An amount for people.

    >>> shown(123456, "USD"), shown(-5, "GBP"), shown(300, "JPY")
    ('$1,234.56', '-£0.05', '300 JPY')
    """
    number = f"{abs(major(units, currency)):,}"
    sign = "-" if units < 0 else ""
    code = currency.upper()
    return f"{sign}{_SIGNS[code]}{number}" if code in _SIGNS else f"{sign}{number} {code}"


def share(units: int, rate: str | Decimal, *, least: int = 0) -> int:
    """A fee of `rate` on an amount, rounded up to a whole unit, and `least` at the least.

    >>> share(150, "0.20"), share(3, "0.20"), share(10, "0.333")
    (30, 1, 4)
    """
    exact = Decimal(units) * Decimal(rate)
    return max(least, int(exact.to_integral_value(ROUND_CEILING)))


def nearest(units: Decimal | float) -> int:
    """A computed amount to the nearest whole unit, halves up.

    >>> nearest(2.5), nearest(Decimal("2.4"))
    (3, 2)
    """
    return int(Decimal(str(units)).to_integral_value(ROUND_HALF_UP))
