"""The file of `--json-schema`: read and checked before anything runs."""

import json
from pathlib import Path
from typing import Any

from ...config.errors import UsageError
from ...config.text import text

HINT = "give a file with a JSON schema"


def read_schema(file: Path) -> dict[str, Any]:
    """The schema in a file; raises UsageError where it cannot be read or used."""
    from ...models.structured_output import validate_schema

    try:
        value: object = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(
            text("`{file}` cannot be read: {strerror}", file=file, strerror=error.strerror),
            hint=HINT,
        ) from None
    except json.JSONDecodeError as error:
        place = text(
            "`{file}`, line {lineno}, column {colno}",
            file=file,
            lineno=error.lineno,
            colno=error.colno,
        )
        raise UsageError(text("{first}: {rest}", first=place, rest=error.msg), hint=HINT) from None
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise UsageError(text("`{file}` is not valid JSON", file=file), hint=HINT) from None
    return dict(validate_schema(value, f"`{file}`"))
