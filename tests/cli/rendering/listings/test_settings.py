from pathlib import Path

import pytest

from maxagent.cli.rendering.listings.settings import as_text, as_yaml
from maxagent.config.settings.keys import iter_leaves, join_key
from maxagent.config.settings.schema import Settings
from maxagent.config.yaml.reader import parse_document

TREE = {
    "a": {"text": "", "null": None, "odd": "x # y\nz", "list": ["b c", "d"], "none": [], "map": {}},
    "glm-4.6": {"true": "true", "deep": {"er": {"est": 1.5}}},
    "on": True,
}


def test_the_yaml_says_the_same_as_the_settings() -> None:
    for tree in (TREE, Settings().model_dump()):
        assert parse_document(Path("f"), as_yaml(tree)).values == tree


def test_origins_are_comments_behind_every_value() -> None:
    origins = {join_key(path): f"from {join_key(path)}" for path, _ in iter_leaves(TREE)}
    yaml = as_yaml(TREE, origins)
    assert parse_document(Path("f"), yaml).values == TREE
    lines = [line for line in yaml.splitlines() if "# from" in line]
    assert [line.partition("# from ")[2] for line in lines] == list(origins)


@pytest.mark.parametrize(
    "value, text",
    [
        ("plain # text", "plain # text"),
        (True, "true"),
        (None, "null"),
        (120.0, "120.0"),
        ([], "[]"),
        ({}, "{}"),
        (["a", "b c"], '- a\n- "b c"'),
        ({"a": {"b": 1}}, "a:\n  b: 1"),
    ],
)
def test_a_value_is_text_for_a_script(value: object, text: str) -> None:
    assert as_text(value) == text
