"""TODO: what this is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.trust.resolved_imports import MAX_NAMES, find_imports


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("@AGENTS.md", ["AGENTS.md"]),
        ("See @docs/a.md, and (@b.md).", ["docs/a.md", "b.md"]),
        ("- @./x/../a.md\n- @a.md", ["a.md"]),
        ("mail me@host.de, @@twice, @ alone", []),
        ("@/etc/passwd @~/.ssh/id @../out @a/../../out @.. @. @a\0b", []),
        ("`@a` and ``@b ` @c`` and @d", ["d"]),
        ("an open ` and @a", ["a"]),
        ("a `span\nover @a lines` @b", ["b"]),
        ("an open `\n\nand @a` later", ["a"]),
        ("```sh\n@a\n```\n@b", ["b"]),
        ("~~~~\n@a\n~~~\n@b\n~~~~~\n@c", ["c"]),
        ("```\n@a", []),
        ("```not a `fence`\n@a", ["a"]),
        ("`open\n```\n@a`\n```\n@b", ["b"]),
        ("看@甲.md 和 @乙.md。", ["乙.md"]),
    ],
)
def test_at_sign_name_in_prose_is_an_import(text, result):
    assert find_imports(text, "AGENTS.md") == result


def test_import_is_relative_to_file_and_inside_root():
    assert find_imports("@b.md @../c.md @../../d.md", "docs/a.md") == ["docs/b.md", "c.md"]


def test_number_of_imports_per_file_is_limited():
    text = " ".join(f"@{number}.md" for number in range(2 * MAX_NAMES))
    assert len(find_imports(text, "AGENTS.md")) == MAX_NAMES


@given(st.text(alphabet="`~@a/.\n -", max_size=80))
def test_whatever_a_text_is_no_import_leads_out(text):
    for name in find_imports(text, "docs/AGENTS.md"):
        assert not name.startswith(("/", "~")) and ".." not in name.split("/")


@given(st.text(alphabet="~@a/. -", min_size=1), st.sampled_from(["`", "``", "\n```\n"]))
def test_nothing_in_code_is_an_import(code, fence):
    assert find_imports(f"{fence}{code}{fence}", "AGENTS.md") == []
