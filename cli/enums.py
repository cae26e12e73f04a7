"""Choices that several commands offer."""

from enum import StrEnum


class OutputFormat(StrEnum):
    """What stdout carries."""

    text = "text"
    json = "json"
    stream_json = "stream-json"


class InputFormat(StrEnum):
    """What stdin carries."""

    text = "text"
    stream_json = "stream-json"


class AnswerStyle(StrEnum):
    """How a conversation's answer reaches a terminal; a program is given it as it is."""

    streamed = "streamed"
    whole = "whole"
    plain = "plain"


class Language(StrEnum):
    """What the interface speaks, as `config/settings/language.py` has it."""

    en = "en"
    zh = "zh"


class Mode(StrEnum):
    """The approval modes, as `config/settings/schema.py` has them."""

    ask = "ask"
    edits = "edits"
    auto = "auto"
    read_only = "read-only"
