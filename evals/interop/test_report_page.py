"""A part of the report is replaced, and the others stay."""

from pathlib import Path

import pytest
from report_page import replace_part

PAGE = (
    "# Head\n\nwords\n\n## One\n\none\n\n## Two\n\ntwo\n\n### Below\n\nmore\n\n## Three\n\nthree\n"
)


@pytest.mark.parametrize(
    ("title", "replaced"),
    [
        ("## One\n", PAGE.replace("one\n", "new\n")),
        ("## Two\n", PAGE.replace("two\n\n### Below\n\nmore\n", "new\n")),
        ("## Three\n", PAGE.replace("three\n", "new\n")),
        ("## Four\n", f"{PAGE}\n## Four\n\nnew\n"),
        ("## Below\n", f"{PAGE}\n## Below\n\nnew\n"),
        ("## Tw\n", f"{PAGE}\n## Tw\n\nnew\n"),
    ],
)
def test_other_parts_stay(title: str, replaced: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    for _ in range(2):
        replace_part(page, title, f"{title}\nnew\n")
        assert page.read_text() == replaced
