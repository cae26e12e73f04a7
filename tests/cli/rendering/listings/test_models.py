"""Numbers of models as people read them."""

import pytest

from maxagent.cli.rendering.listings.models import (
    build_headers,
    build_object,
    build_row,
    format_flag,
    format_price,
    format_tokens,
)
from maxagent.config.settings.schema import Settings
from maxagent.models.listing import list_models

LISTING = list_models(Settings(), {"OPENAI_API_KEY": "k"}, "openai")[0]


@pytest.mark.parametrize(
    ("count", "text"),
    [(512, "512"), (8192, "8k"), (128_000, "128k"), (1_047_576, "1M"), (1_500_000, "1.5M")],
)
def test_tokens_are_rounded(count: int, text: str) -> None:
    assert format_tokens(count) == text


def test_price_and_flags_may_be_unknown() -> None:
    assert format_price({"input": 0.6, "output": 2.0, "cached": None}) == "$0.6 / $2"
    assert [format_price(None), format_flag(None)] == ["?", "?"]
    assert [format_flag(True), format_flag(False)] == ["yes", "no"]


def test_row_has_a_cell_for_each_header() -> None:
    cells = ["*", "openai/gpt-4o", "128k", "$2.5 / $10", "yes", "no", "yes"]
    assert build_row(LISTING) == cells
    assert len(build_headers()) == len(cells)


def test_object_has_plain_numbers() -> None:
    entries = build_object(LISTING)
    assert entries["price"] == {"input": 2.5, "output": 10, "cached": 1.25}
    assert (entries["name"], entries["key"], entries["in_use"]) == ("openai/gpt-4o", True, True)
