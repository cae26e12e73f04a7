import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.yaml.editor_yaml_list import with_item
from maxagent.config.yaml.reader import parse

PATH = ("permissions", "allow")
ITEM = "run_command(npm test:*)"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", 'permissions:\n  allow: ["run_command(npm test:*)"]\n'),
        (
            "# mine\npermissions:\n  allow:  # tools\n    - edit  # all\n\n  # more\n  deny: []\n",
            "# mine\npermissions:\n  allow:  # tools\n    - edit  # all\n"
            '    - "run_command(npm test:*)"\n\n  # more\n  deny: []\n',
        ),
        (
            "permissions:\n  allow:\n  - edit",
            'permissions:\n  allow:\n  - edit\n  - "run_command(npm test:*)"',
        ),
        (
            "permissions:\n  allow:\n  - rule: edit(a)\n    match: [a]\n# end\n",
            "permissions:\n  allow:\n  - rule: edit(a)\n    match: [a]\n"
            '  - "run_command(npm test:*)"\n# end\n',
        ),
        (
            "permissions: {allow: [edit], deny: []}\n",
            'permissions: {allow: [edit, "run_command(npm test:*)"], deny: []}\n',
        ),
        ("permissions:\n  allow: []\n", 'permissions:\n  allow: ["run_command(npm test:*)"]\n'),
        ("permissions:\n  allow:\n", 'permissions:\n  allow: ["run_command(npm test:*)"]\n'),
        (
            "permissions:\r\n  allow:\r\n  - edit\r\n",
            'permissions:\r\n  allow:\r\n  - edit\r\n  - "run_command(npm test:*)"\r\n',
        ),
    ],
)
def test_an_item_stands_at_the_end_and_all_else_stays(text: str, wanted: str, tmp_path) -> None:
    values = parse(tmp_path, text).values.get("permissions") or {}
    assert with_item(text, PATH, values.get("allow") or [], ITEM) == wanted


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn", "Co"]), max_size=20), max_size=4
    )
)
def test_whatever_the_items_are_they_are_read_back(items: list[str]) -> None:
    text = ""
    for at, item in enumerate(items):
        text = with_item(text, PATH, items[:at], item)
    said = parse(None, text).values if items else {"permissions": {"allow": []}}
    assert said["permissions"]["allow"] == items
