"""Names of encodings that a file may have."""

import codecs
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

_PROBE = "a\n"


def validate_encoding(name: str) -> str:
    """Return Python's name of an encoding; refuse one that it does not know, or not for files."""
    try:
        encoding = codecs.lookup(name).name
        # a file in UTF-16 is known by its byte-order mark
        is_usable = _PROBE.encode(encoding) == _PROBE.encode()
    except (LookupError, ValueError, TypeError):
        is_usable, encoding = False, ""
    if not is_usable:
        raise PydanticCustomError(
            "encoding", "Input should be an encoding of text that contains ASCII, such as cp1251"
        )
    return encoding


EncodingName = Annotated[str, AfterValidator(validate_encoding)]
