"""The file to test is looked at before a thread exists."""

import json
import os
from pathlib import Path

import pytest

from maxagent import Runner, UsageError, trust
from maxagent.nodes.options import Options
from maxagent.sdk.tested_file import validate_tested_file


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "cart.py").write_text("def total(prices):\n    return sum(prices)\n")
    (root / "tests" / "test_cart.py").touch()
    (root / "logo.png").write_bytes(b"\x89PNG\0")
    os.mkfifo(root / "pipe.py")
    return root


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("missing.py", "there is no file `missing.py`"),
        ("pipe.py", "there is no file `pipe.py`"),
        ("logo.png", "`logo.png` is a binary file"),
        ("tests/test_cart.py", "`tests/test_cart.py` belongs to the tests itself"),
    ],
)
def test_other_files_are_refused(file: str, reason: str, project: Path) -> None:
    with pytest.raises(UsageError, match=reason):
        validate_tested_file(project, file)


def test_a_file_of_code_passes(project: Path) -> None:
    validate_tested_file(project, "cart.py")


@pytest.mark.parametrize(
    ("file", "tests", "reason"),
    [
        ("cart.py", "", "no tests were found"),
        ("cart.js", "tests/test_cart.py", "no tests of JavaScript were found"),
        ("cart.md", "tests/test_cart.py", "no test framework of the project can test `cart.md`"),
    ],
)
async def test_a_project_without_its_framework_is_refused(
    file: str, tests: str, reason: str, project: Path, tmp_path: Path
) -> None:
    (project / "cart.js").touch()
    (project / "cart.md").touch()
    if not tests:
        (project / "tests" / "test_cart.py").unlink()
    trust(project, tmp_path / "home")
    assert reason in await refusal(file, project)


async def test_an_untrusted_folder_is_refused(project: Path) -> None:
    assert "the folder is not trusted" in await refusal("cart.py", project)


async def refusal(file: str, project: Path) -> str:
    """Why no thread begins."""
    script = project.with_name("script.json")
    script.write_text(json.dumps([]))
    options: Options = {"model": f"scripted/{script}"}
    async with Runner(home=project.with_name("home")) as runner:
        with pytest.raises(UsageError) as raised:
            async for _ in runner.generate_tests(file, folder=project, options=options):
                pass
        assert runner.threads.list() == []
    return str(raised.value)
