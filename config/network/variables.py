"""Environment variables of the network: how a value is read, and which could not be."""

import string
from collections.abc import Mapping
from dataclasses import dataclass

# What no value begins or ends with: white space, and invisible characters of pages and files
BLANKS = f"{string.whitespace}\x85\xa0\u200b\u200c\u200d\u2028\u2029\u2060\u3000\ufeff"
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "<": ">"}


@dataclass(frozen=True)
class UnreadVariable:
    """A variable that is skipped, and why."""

    name: str
    reason: str


def read_variable(environ: Mapping[str, str], name: str) -> str:
    """Return the value without blanks and the quotation marks of an env file; often empty."""
    return clean_value(environ.get(name, ""))


def clean_value(value: str) -> str:
    """Return what people mean by a pasted value: without blanks and marks around it."""
    value = value.strip(BLANKS)
    while len(value) > 1 and _QUOTES.get(value[0]) == value[-1]:
        value = value[1:-1].strip(BLANKS)
    return value
