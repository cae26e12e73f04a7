from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.config.plan_files import MAX_PLAN_BYTES, PLANS, find_plan, list_plans, read_plan_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    plans = tmp_path / PLANS
    plans.mkdir(parents=True)
    (plans / "20261122-090807-split-parser.md").write_text("\n# Split the parser\n\nSteps.\n")
    (plans / "20261123-101010-cache.md").write_text("Cache it")
    (plans / "notes.txt").write_text("no plan")
    return tmp_path


def test_plans_are_listed_newest_first(folder: Path) -> None:
    plans = [(plan.name, plan.title) for plan in list_plans(folder)]
    assert plans == [
        ("20261123-101010-cache", "Cache it"),
        ("20261122-090807-split-parser", "Split the parser"),
    ]


def test_links_are_no_plans(folder: Path) -> None:
    (folder / "secret").write_text("x")
    (folder / PLANS / "20261124-000000-link.md").symlink_to(folder / "secret")
    assert len(list_plans(folder)) == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("", "20261123-101010-cache.md"),
        ("split", "20261122-090807-split-parser.md"),
        ("20261123-101010-cache", "20261123-101010-cache.md"),
        (f"{PLANS}/20261122-090807-split-parser.md", "20261122-090807-split-parser.md"),
    ],
)
def test_a_plan_is_found_by_name(folder: Path, name: str, text: str) -> None:
    assert find_plan(folder, name).name == text


@pytest.mark.parametrize(("name", "reason"), [("2026", "several"), ("none", "no plan `none`")])
def test_a_wrong_name_is_an_error(folder: Path, name: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        find_plan(folder, name)


def test_a_project_without_plans_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no plans"):
        find_plan(tmp_path)


@pytest.mark.parametrize("data", [b"", b" \n", b"\xff\xfe", b"x" * (MAX_PLAN_BYTES + 1)])
def test_what_is_no_plan_is_an_error(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "p.md"
    file.write_bytes(data)
    with pytest.raises(UsageError, match="plan `p.md`"):
        read_plan_file(file)


def test_a_plan_is_read_without_blank_ends(folder: Path) -> None:
    assert read_plan_file(find_plan(folder, "split")) == "# Split the parser\n\nSteps."
