"""JSON schemas of answers: validation of schema and answer, JSON in prose."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ..config.errors import UsageError
from ..config.security.control_characters import CONTROL_CHARACTERS
from ..config.security.redaction import redact_json
from ..config.text import text

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Schema = Mapping[str, Any]
MAX_FAULTS = 5
MAX_FAULT_LENGTH = 300
NO_JSON = "it is not valid JSON"
NAMES = {"$schema", "$id"}
_UNSEEN = re.compile(f"[{CONTROL_CHARACTERS}]")


@dataclass(frozen=True)
class FitResult:
    """The answer's JSON on one line, or its errors."""

    json: str = ""
    faults: tuple[str, ...] = ()


def fit_answer(answer: str, schema: Schema) -> FitResult:
    """Find the first value in the answer that fits the schema; secrets are redacted."""
    faults: tuple[str, ...] = ()
    for raw_value in find_json_values(answer):
        value = redact_json(raw_value)
        wrong = find_faults(value, schema)
        if not wrong:
            return FitResult(json=to_json_line(value))
        faults = faults or wrong
    return FitResult(faults=faults or (NO_JSON,))


def find_faults(value: Any, schema: Schema) -> tuple[str, ...]:
    """Return the first few errors, each with its place in the value."""
    try:
        errors = sorted(
            _build_validator(schema).iter_errors(value), key=lambda error: error.json_path
        )
    except RecursionError:
        return ("it is nested too deep",)
    return tuple(
        text(
            "{place}: {problem}",
            place=f"`{error.json_path}`",
            problem=error.message[:MAX_FAULT_LENGTH],
        )
        for error in errors[:MAX_FAULTS]
    )


def to_json_line(value: object) -> str:
    """Return the value as JSON on one line; invisible characters are escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(value) if _UNSEEN.search(text) else text


def validate_schema(schema: object, named: str) -> Schema:
    """Return the schema; raises UsageError for an invalid one, or one with external references."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    if not isinstance(schema, dict):
        raise UsageError(
            text("{schema} is not a JSON schema", schema=named),
            hint="a schema must be a JSON object",
        )
    checked = cast("dict[str, Any]", schema)
    try:
        Draft202012Validator.check_schema({name: checked[name] for name in NAMES & checked.keys()})
        _find_validator_class(checked).check_schema(checked)
        _look_up_all(checked)
    except SchemaError as error:
        raise UsageError(
            text(
                "{schema} is not a JSON schema: `{json_path}`: {message}",
                schema=named,
                json_path=error.json_path,
                message=error.message[:MAX_FAULT_LENGTH],
            ),
            hint="see https://json-schema.org for the format",
        ) from None
    except Unresolvable as error:
        raise UsageError(
            text(
                "{schema} refers to `{reference}`, which is not in it",
                schema=named,
                reference=error.ref,
            ),
            hint="put it under `$defs`; references are not downloaded",
        ) from None
    except RecursionError:
        raise UsageError(
            text("{schema} is nested too deep", schema=named), hint="use a simpler schema"
        ) from None
    return checked


def _find_validator_class(schema: Schema) -> "type[Validator]":
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    return validator_for(schema, default=Draft202012Validator)


def _build_validator(schema: Schema) -> "Validator":
    from referencing import Registry

    kind = _find_validator_class(schema)
    # without its own registry it would download the schema's references
    return kind(schema, registry=Registry(), format_checker=kind.FORMAT_CHECKER)


def _look_up_all(schema: Schema) -> None:
    """Look up all references; raises Unresolvable for the first that does not exist."""
    from referencing import Registry, Resource
    from referencing.jsonschema import DRAFT202012

    whole: Resource[Any] = Resource.from_contents(schema, default_specification=DRAFT202012)
    nothing_else: Registry[Any] = Registry()
    name = whole.id() or ""
    parts = [(whole, nothing_else.with_resource(name, whole).resolver(name))]
    while parts:
        part, resolver = parts.pop()
        words = cast("object", part.contents)
        for word in ("$ref", "$dynamicRef"):
            if isinstance(words, dict) and word in words:
                resolver.lookup(str(cast("Schema", words)[word]))
        parts += [(below, resolver.in_subresource(below)) for below in part.subresources()]


_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(.*?)(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)


_BRACKETED = re.compile(r"[\[{].*[\]}]", re.DOTALL)


# First and last character of a text meant as JSON
MEANT_AS_JSON = ("{}", "[]")


# Characters; the time of a repair can grow faster than the text
MAX_REPAIR_LENGTH = 100_000


def find_json_values(text: str) -> Iterator[object]:
    """Yield the values that the answer may mean, the likeliest first.

    The whole text, a fenced block (the last one first), the text between the first and the last
    bracket; then the whole text and the blocks with their syntax repaired.
    """
    wrapped = [text, *(match[2] for match in reversed(list(_FENCED.finditer(text))))]
    wrapped = [candidate.strip("\ufeff \t\r\n") for candidate in wrapped]
    between = _BRACKETED.search(text)
    for candidate in (*wrapped, *([between[0]] if between else ())):
        yield from _parse_strictly(candidate)
    for candidate in wrapped:
        if candidate[:1] + candidate[-1:] in MEANT_AS_JSON and len(candidate) <= MAX_REPAIR_LENGTH:
            yield from _parse_repaired(candidate)


def _parse_strictly(text: str) -> Iterator[object]:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return
    if _is_json(value):
        yield value


def _parse_repaired(text: str) -> Iterator[object]:
    import json_repair  # loaded only when needed

    try:
        value: object = json_repair.loads(text)
    except (ValueError, RecursionError):
        return
    if value and _is_json(value):
        yield value


def _is_json(value: object) -> bool:
    """Python also reads and writes `NaN` and `Infinity`."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return True
