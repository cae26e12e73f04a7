from datetime import datetime
from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError
from maxagent.nodes.plan_file import new_plan_file, read_plan, write_plan

NOW = datetime(2026, 11, 22, 9, 8, 7)


@pytest.mark.parametrize(
    ("request_", "slug"),
    [
        ("Split the parser in two!", "split-the-parser-in-two"),
        ("../../etc/passwd", "etc-passwd"),
        ("重构 解析器", "重构-解析器"),
        ("?!", "plan"),
        ("a\nb", "a"),
        ("x" * 100, "x" * 40),
    ],
)
def test_a_plan_is_named_by_its_moment_and_what_was_asked(request_: str, slug: str) -> None:
    assert new_plan_file(request_, NOW) == f".llc/plans/20261122-090807-{slug}.md"


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_plan(str(tmp_path), ".llc/plans/p.md", "\n# Plan\n")
    assert (tmp_path / ".llc/plans/p.md").read_text() == "# Plan\n"
    assert read_plan(str(tmp_path), ".llc/plans/p.md") == "# Plan"


def test_there_is_no_plan_where_there_is_none(tmp_path: Path) -> None:
    assert read_plan(str(tmp_path), ".llc/plans/p.md") == ""


@pytest.mark.parametrize("linked", [".llc", ".llc/plans"])
def test_a_folder_of_plans_that_is_a_link_is_not_used(tmp_path: Path, linked: str) -> None:
    elsewhere, project = tmp_path / "elsewhere", tmp_path / "project"
    (elsewhere / "plans").mkdir(parents=True)
    (elsewhere / "p.md").write_text("other")
    (project / linked).parent.mkdir(parents=True)
    (project / linked).symlink_to(elsewhere)
    with pytest.raises(MaxAgentError, match="leads elsewhere"):
        write_plan(str(project), ".llc/plans/p.md", "mine")
    assert read_plan(str(project), ".llc/plans/p.md") == ""
    assert (elsewhere / "p.md").read_text() == "other" and not list(elsewhere.glob("plans/*"))


def test_a_plan_that_is_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    plans = tmp_path / ".llc" / "plans"
    plans.mkdir(parents=True)
    (tmp_path / "source.py").write_text("code")
    (plans / "p.md").symlink_to(tmp_path / "source.py")
    assert read_plan(str(tmp_path), ".llc/plans/p.md") == ""
    write_plan(str(tmp_path), ".llc/plans/p.md", "mine")
    assert (tmp_path / "source.py").read_text() == "code"
