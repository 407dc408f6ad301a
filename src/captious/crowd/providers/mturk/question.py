"""The XML that Mechanical Turk speaks: our page as a question, and a worker's answers.

Schemas `ExternalQuestion` of 2006-07-14 and `QuestionFormAnswers` of 2005-10-01.
"""

from __future__ import annotations

from xml.etree import ElementTree
from xml.sax.saxutils import escape

_SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
QUESTION = f"{_SCHEMAS}/2006-07-14/ExternalQuestion.xsd"
ANSWERS = f"{_SCHEMAS}/2005-10-01/QuestionFormAnswers.xsd"
LARGEST = 65_535


def external_question(address: str, *, height: int = 0) -> str:
    """Our page in a frame; a height of 0 fills the window.

    >>> external_question("https://rate.example.org/hit?a=1&b=2")
    '<ExternalQuestion xmlns="...ExternalQuestion.xsd"><ExternalURL>https://rate.example.org/hit?a=1&amp;b=2...'
    """
    return (
        f'<ExternalQuestion xmlns="{QUESTION}"><ExternalURL>{escape(address)}</ExternalURL>'
        f"<FrameHeight>{height}</FrameHeight></ExternalQuestion>"
    )


def answers_of(document: str) -> dict[str, str]:
    """The fields that a worker's form sent, from a `QuestionFormAnswers` document.

    What is not such a document, or is too large to be one, has no fields: it was written by a stranger.
    """
    # No document type: entities are the one thing that makes this parser slow or curious.
    if len(document) > LARGEST or "<!" in document.replace("<![CDATA[", ""):
        return {}
    try:
        root = ElementTree.fromstring(document)
    except ElementTree.ParseError:
        return {}
    space = {"a": ANSWERS}
    found = {}
    for one in root.findall("a:Answer", space):
        name = one.findtext("a:QuestionIdentifier", "", space)
        if name:
            found[name] = one.findtext("a:FreeText", "", space)
    return found
