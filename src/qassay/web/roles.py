"""What someone may be to a server."""

from enum import StrEnum


class Role(StrEnum):
    """What someone is to a server."""

    OWNER = "owner"
    ADJUDICATOR = "adjudicator"
    ANNOTATOR = "annotator"
    PROGRAM = "program"
