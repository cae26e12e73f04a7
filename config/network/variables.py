"""Environment variables of the network: how a value is read, and which could not be."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class UnreadVariable:
    """A variable that is skipped, and why."""

    name: str
    reason: str


def read_variable(environ: Mapping[str, str], name: str) -> str:
    """Return the value without blanks and the quotation marks of an env file; often empty."""
    value = environ.get(name, "").strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1].strip()
    return value
