"""Data frames, where pandas is installed: it is no part of the smallest installation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from captious.errors import MissingDependencyError

if TYPE_CHECKING:
    import pandas as pd


def data_frame(
    values: Mapping[str, Any] | Sequence[Any], columns: Sequence[str] | None = None
) -> pd.DataFrame:
    """A data frame of columns or of rows; without pandas, the command that installs it.

    >>> data_frame([["cider", 1.5]], columns=["metric", "score"]).shape
    (1, 2)
    """
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise MissingDependencyError("data frames need pandas", "tables") from None
    return pd.DataFrame(values, columns=None if columns is None else list(columns))
