"""Write the JSON schemas of what `--output` prints and `--input stream-json` reads, from the code.

`docs/events.schema.json` and `docs/input.schema.json`; `make docs` runs it.
"""

import ast
import inspect
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from maxagent.cli.execution.stream_json import LINE
from maxagent.sdk.events import KINDS, Event

SCHEMA = {"$schema": "https://json-schema.org/draft/2020-12/schema"}


def events() -> dict[str, Any]:
    """The schema of one line of `--output stream-json`; `json` prints one that ends a stream."""
    kinds = {name: _kind(kind) for name, kind in KINDS.items()}
    return {
        **SCHEMA,
        "title": "An event of MaxAgent",
        "description": "Names and fields stay; new ones may be added.",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in kinds],
        "$defs": kinds,
    }


def lines() -> dict[str, Any]:
    """The schema of one line that `--input stream-json` reads."""
    return {**SCHEMA, "title": "A line for MaxAgent", **LINE.json_schema()}


def pages() -> dict[Path, str]:
    """The files as they should be."""
    found = {"events": events(), "input": lines()}
    return {
        Path(__file__).with_name(f"{name}.schema.json"): json.dumps(schema, indent=2) + "\n"
        for name, schema in found.items()
    }


def _kind(kind: type[Event]) -> dict[str, Any]:
    """One event: all its fields are always there."""
    found = TypeAdapter(kind).json_schema(mode="serialization")
    fields, words = found.get("properties", {}), _words(kind)
    # `from` is a word of Python's: its field is `from_`
    told = {
        name.removesuffix("_"): {**_plain(fields[name]), **words.get(name, {})} for name in fields
    }
    return {
        "description": inspect.getdoc(kind),
        "type": "object",
        "properties": {"type": {"const": kind.type}, **told},
        "required": ["type", *told],
    }


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """Without what says nothing: a title made of the name, and what a constructor assumes."""
    return {name: value for name, value in field.items() if name not in ("title", "default")}


def _words(kind: type[Event]) -> dict[str, dict[str, str]]:
    """What the code says under a field."""
    body = ast.parse(inspect.getsource(kind)).body[0].body
    return {
        field.target.id: {"description": inspect.cleandoc(text.value.value)}
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        print(f"written: {path}")
