"""Human protocols as pure rules: what is shown, what is a valid answer, how answers become data."""

from captious.protocols.assign import Progress, choose, eligible
from captious.protocols.base import Caption, Guide, HumanProtocol, Item, Response, Row, Table, option, row_of
from captious.protocols.item import Answer, Answers, Field, Form, Option, Problem, When
from captious.protocols.registry import described_by, kind_of, known_protocols, protocol, register, rules_of

__all__ = [
    "Answer",
    "Answers",
    "Caption",
    "Field",
    "Form",
    "Guide",
    "HumanProtocol",
    "Item",
    "Option",
    "Problem",
    "Progress",
    "Response",
    "Row",
    "Table",
    "When",
    "choose",
    "described_by",
    "eligible",
    "kind_of",
    "known_protocols",
    "option",
    "protocol",
    "register",
    "row_of",
    "rules_of",
]
