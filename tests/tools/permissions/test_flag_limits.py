from pathlib import Path

import pytest
from rule_texts import project

from maxagent.tools.permissions.flag_limits import find_excess


@pytest.mark.parametrize(
    ("line", "text", "part"),
    [
        ("pytest -p evil", "pytest", "pytest -p"),
        ("pytest -p evil", "pytest -p", ""),
        (".venv/bin/pytest -xp evil", ".venv/bin/pytest", "pytest -p"),
        ("python -m pytest -p evil", "python -m pytest", "pytest -p"),
        ("python -m pytest -p evil", "python", ""),
        ("git -c core.pager=x diff", "git", "git -c"),
        ("git --no-pager diff", "git", ""),
        ("git switch -c new", "git switch", ""),
        ("git clone -c x=y url", "git clone", "git -c"),
        ("pytest --cov=html:../x", "pytest", "outside the project"),
        ("sort -o b a", "sort", "sort -o"),
        ("./sort -o b a", "./sort", ""),
        ("make --eval=x ../y", "make", ""),
    ],
)
def test_what_goes_beyond_a_rule_is_named(line: str, text: str, part: str, tmp_path: Path) -> None:
    workspace = project(tmp_path)
    reason = find_excess(line.split(), text.split(), workspace.root, workspace)
    assert part in reason and bool(part) == bool(reason)


def test_an_unknown_folder_makes_relative_paths_lead_out(tmp_path: Path) -> None:
    workspace = project(tmp_path)
    for line in ("pytest ../x", "cat a"):
        parts = line.split()
        assert find_excess(parts, parts[:1], None, workspace)
    assert not find_excess(["pytest", "a"], ["pytest"], None, workspace)
