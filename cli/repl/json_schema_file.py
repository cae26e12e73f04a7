"""The file of `--json-schema`: read and checked before anything runs."""

import json
from pathlib import Path
from typing import Any

from ...config.errors import UsageError

HINT = "give a file with a JSON schema"


def read_schema(file: Path) -> dict[str, Any]:
    """The schema in a file; raises UsageError where it cannot be read or used."""
    from ...models.structured_output import validate_schema

    try:
        value: object = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"`{file}` cannot be read: {error.strerror}", hint=HINT) from None
    except json.JSONDecodeError as error:
        place = f"`{file}`, line {error.lineno}, column {error.colno}"
        raise UsageError(f"{place}: {error.msg}", hint=HINT) from None
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise UsageError(f"`{file}` is not valid JSON", hint=HINT) from None
    return dict(validate_schema(value, f"`{file}`"))
