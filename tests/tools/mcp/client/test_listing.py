"""Lists that are wrong in part or without an end: their server is used all the same."""

from pathlib import Path
from typing import Any

import pytest
from sloppy import GOOD, SCHEMA, connect

from maxagent.tools.mcp.client import listing

ALL = {"capabilities": {"tools": {}, "prompts": {}, "resources": {}}}
LISTS: dict[str, tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]] = {
    "prompts have none": ({"prompts/list": {"result": {}}}, (), ()),
    "prompts null": ({"prompts/list": {"result": {"prompts": None}}}, (), ()),
    "one prompt bad": (
        {"prompts/list": {"result": {"prompts": [{"name": "p"}, {"name": None}, 5]}}},
        ("p",),
        ("prompts: None (it cannot be read)",),
    ),
    "arguments wrong": (
        {"prompts/list": {"result": {"prompts": [{"name": "p", "arguments": {}}]}}},
        ("p",),
        (),
    ),
    "a resource without address": (
        {"resources/list": {"result": {"resources": [{"uri": "x://1"}, {"name": "n"}]}}},
        ("x://1",),
        ("resources: n (it cannot be read)",),
    ),
    "prompts never come": (
        {"prompts/list": None},
        (),
        ("prompts (it did not answer within 0.2 s)",),
    ),
    "tools missing": (
        {"tools/list": {"result": {"odd": 1}}},
        (),
        ("tools (its answer cannot be read)",),
    ),
}


@pytest.mark.parametrize("oddity", LISTS)
async def test_odd_list_does_not_end_its_server(
    oddity: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "LIST_SECONDS", 0.2)
    methods, names, left_out = LISTS[oddity]
    connection = connect(tmp_path, [GOOD], first=ALL, methods=methods)
    try:
        offered = await connection.list_definitions()
    finally:
        await connection.close()
    assert [tool.name for tool in offered.tools] == ([] if "tools" in oddity else ["good"])
    assert [each.name for each in (*offered.prompts, *offered.resources)] == [*names]
    assert offered.left_out == left_out


OTHER = {"name": "good", "description": "another", "inputSchema": SCHEMA}
PAGES: dict[str, tuple[list[dict[str, Any]], tuple[str, ...]]] = {
    "the same again": ([{"tools": [GOOD, GOOD]}], ()),
    "a name twice": ([{"tools": [GOOD, OTHER]}], ("good (another tool has its name)",)),
    "one cursor for ever": ([{"tools": [GOOD], "nextCursor": "a"}] * 3, ()),
    "an empty cursor": ([{"tools": [GOOD], "nextCursor": ""}], ()),
    "without an end": (
        [{"tools": [GOOD], "nextCursor": f"{number}"} for number in range(9)],
        ("all after the first 1: the list has no end",),
    ),
}


@pytest.mark.parametrize("oddity", PAGES)
async def test_pages_are_read_to_their_end(
    oddity: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MAX_PAGES", 5)
    pages, left_out = PAGES[oddity]
    connection = connect(tmp_path, [], pages=[{"result": page} for page in pages])
    try:
        offered = await connection.list_definitions()
    finally:
        await connection.close()
    assert [tool.name for tool in offered.tools] == ["good"]
    assert offered.left_out == left_out
