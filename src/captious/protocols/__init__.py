"""Human protocols as pure rules: what is shown, what is a valid answer, how answers become data."""

from captious.protocols.assign import Progress, choose, eligible
from captious.protocols.base import Caption, Guide, HumanProtocol, Item, Response
from captious.protocols.form import Answer, Answers, Field, Form, Option, Problem, When
from captious.protocols.generic_file import parse_protocol, read_protocol
from captious.protocols.registry import PROTOCOLS, protocol
from captious.tables import Table

__all__ = [
    "PROTOCOLS",
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
    "Table",
    "When",
    "choose",
    "eligible",
    "parse_protocol",
    "protocol",
    "read_protocol",
]
