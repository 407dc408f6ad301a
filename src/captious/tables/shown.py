"""`Shown`: a result that shows itself on a terminal, in a notebook and in a paper."""

from __future__ import annotations

from abc import ABC, abstractmethod

from captious.tables.table import Table


class Shown(ABC):
    """A result made of tables, the most telling one first.

    A prompt and `print(result)` show it as a command would, a notebook as HTML. A dataclass that is `Shown`
    says `repr=False`.

    >>> class Mine(Shown):
    ...     def tables(self):
    ...         return [Table("", ["system", "mean"], [["m2", 0.5]])]
    >>> print(Mine().to_markdown(), end="")
    | system | mean |
    |---|---:|
    | m2 | 0.500 |
    """

    @abstractmethod
    def tables(self) -> list[Table]:
        """Everything that the result says, as tables."""

    def table(self) -> Table:
        """The first table."""
        return self.tables()[0]

    def to_markdown(self) -> str:
        """The tables in Markdown; the best value of a column is bold."""
        return "\n".join(table.to_markdown() for table in self.tables())

    def to_latex(self) -> str:
        """The tables in LaTeX (`booktabs`), names as papers print them."""
        return "\n".join(table.to_latex() for table in self.tables())

    def __str__(self) -> str:
        return "\n".join(str(table) for table in self.tables())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return "\n".join(table._repr_html_() for table in self.tables())
