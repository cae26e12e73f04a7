"""Choices that several commands offer."""

from enum import StrEnum


class OutputFormat(StrEnum):
    """What stdout carries."""

    text = "text"
    json = "json"
    stream_json = "stream-json"


class Mode(StrEnum):
    """The approval modes, as `config/settings.py` has them."""

    ask = "ask"
    edits = "edits"
    auto = "auto"
    read_only = "read-only"
