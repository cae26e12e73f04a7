import os
import sys
from pathlib import Path

import pytest

from maxagent.tools.testing.command import TestCommand
from maxagent.tools.testing.execution import run_tests
from maxagent.tools.testing.project_files import list_project_files
from maxagent.tools.testing.python import detect_python_tests, find_python


def write(folder: Path, name: str, text: str = "") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


async def detect(folder: Path) -> TestCommand | None:
    commands = await detect_python_tests(list_project_files(folder))
    return commands[0] if commands else None


def fake_python(path: Path, *, has_pytest: bool) -> Path:
    """A Python that runs ours, or one that has no pytest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'#!/bin/sh\nexec {sys.executable} "$@"\n' if has_pytest else "#!/bin/sh\nexit 1\n"
    )
    path.chmod(0o755)
    return path


def with_pytest(python: Path) -> Path:
    """The same with pytest in its environment."""
    write(python.parent.parent, "lib/python3.11/site-packages/pytest/__init__.py")
    return python


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", ""),
        ("conftest.py", ""),
        ("pyproject.toml", "[tool.pytest.ini_options]\n"),
        ("setup.cfg", "[tool:pytest]\n"),
        ("tox.ini", "[pytest]\n"),
        ("test_a.py", ""),
        ("a_test.py", ""),
        ("tests/check.py", ""),
        ("src/package/tests/test_a.py", ""),
    ],
)
async def test_a_pytest_project_is_known_by_its_files(name: str, text: str, tmp_path: Path) -> None:
    write(tmp_path, name, text)
    command = await detect(tmp_path)
    assert command and (command.framework, command.found_by) == ("pytest", name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[tool.ruff]\n"),
        ("setup.cfg", "[metadata]\n"),
        ("tests/a.test.js", ""),
        ("contest.py", ""),
        ("node_modules/x/test_a.py", ""),
        (".venv/lib/test_a.py", ""),
    ],
)
async def test_other_projects_have_no_pytest(name: str, text: str, tmp_path: Path) -> None:
    write(tmp_path, name, text)
    assert await detect(tmp_path) is None


async def test_pipe_as_configuration_file_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pyproject.toml")
    assert await detect(tmp_path) is None


async def test_the_projects_own_python_is_used(tmp_path: Path) -> None:
    write(tmp_path, "test_a.py")
    own = with_pytest(fake_python(tmp_path / ".venv" / "bin" / "python", has_pytest=True))
    command = await detect(tmp_path)
    assert command
    assert command.argv == (str(own), "-m", "pytest")
    assert (command.shown, command.problem) == (".venv/bin/python -m pytest", "")


async def test_project_python_without_pytest_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, "test_a.py")
    own = fake_python(tmp_path / "venv" / "bin" / "python", has_pytest=False)
    command = await detect(tmp_path)
    assert command and command.problem == f"pytest is not installed for `{own}`"


@pytest.mark.parametrize("text", [".venv", "venv", "env", "links"])
async def test_python_in_project_is_not_run_for_detection(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    write(folder, "test_a.py")
    own = fake_python(folder / text / "bin" / "python", has_pytest=True)
    own.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    active = own.parent.parent
    if text == "links":
        active = tmp_path / "active"
        (active / "bin").mkdir(parents=True)
        (active / "bin/python").symlink_to(own)
    monkeypatch.setenv("VIRTUAL_ENV", str(active))
    await detect(folder)
    assert not (tmp_path / "sprung").exists()
    with_pytest(active / "bin/python")
    assert await find_python(folder, os.environ) == (active / "bin/python", True)
    assert not (tmp_path / "sprung").exists()


async def test_environment_with_system_packages_may_have_pytest(
    tmp_path: Path,
) -> None:
    own = fake_python(tmp_path / ".venv" / "bin" / "python", has_pytest=False)
    write(tmp_path, ".venv/pyvenv.cfg", "include-system-site-packages = true\n")
    assert await find_python(tmp_path, {}) == (own, True)


async def test_first_python_with_pytest_is_used(tmp_path: Path) -> None:
    folder, path = tmp_path / "project", tmp_path / "bin"
    active = fake_python(tmp_path / "active" / "bin" / "python", has_pytest=True)
    fake_python(path / "python3", has_pytest=False)
    on_path = fake_python(path / "python", has_pytest=True)
    environ = {"PATH": str(path), "VIRTUAL_ENV": str(active.parent.parent)}
    assert await find_python(folder, environ) == (active, True)
    fake_python(active, has_pytest=False)
    assert await find_python(folder, environ) == (on_path, True)
    assert await find_python(folder, {"PATH": ""}) == (Path(sys.executable), True)


@pytest.mark.parametrize(
    ("below", "is_run"),
    [
        (["lib/python3.11/site-packages/pytest/__init__.py"], False),
        (["lib/python3.11/site-packages/pytest/__init__.py", "lib/python3.12/os.py"], True),
        (["lib/python3.11/site-packages/pip/__init__.py"], True),
    ],
    ids=["its own", "of which version", "none"],
)
async def test_installed_pytest_is_found_without_a_start(
    below: list[str], is_run: bool, tmp_path: Path
) -> None:
    python = write(tmp_path / "own", "bin/python3", f"#!/bin/sh\ntouch {tmp_path}/started\n")
    python.chmod(0o755)
    for name in below:
        write(tmp_path / "own", name)
    link = tmp_path / "bin" / "python3"
    link.parent.mkdir()
    link.symlink_to(python)
    assert await find_python(tmp_path / "project", {"PATH": str(link.parent)}) == (link, True)
    assert (tmp_path / "started").exists() == is_run


async def test_without_any_pytest_that_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = fake_python(tmp_path / "bin" / "python3", has_pytest=False)
    monkeypatch.setattr(sys, "executable", str(python))
    assert await find_python(tmp_path, {"PATH": str(python.parent)}) == (python, False)


async def test_module_in_project_is_not_mistaken_for_pytest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "pytest.py")
    monkeypatch.chdir(tmp_path)
    bare = write(tmp_path, "bare", f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bare))
    assert await find_python(tmp_path, {"PATH": os.devnull}) == (bare, False)


SOURCES = {"src/cart/__init__.py": "", "tests/test_cart.py": "import cart\n"}


@pytest.mark.parametrize(
    ("changes", "has_path"),
    [
        ({}, True),
        ({"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n'}, False),
        ({"pytest.ini": "[pytest]\npythonpath = src\n"}, False),
        ({"setup.cfg": "[tool:pytest]\npython_paths = src\n"}, False),
        ({"conftest.py": "import sys\nsys.path.insert(0, 'src')\n"}, False),
        ({"src/__init__.py": ""}, False),
        ({"tests/test_cart.py": "from src.cart import x\n"}, False),
        ({"tests/test_cart.py": "def test_a():\n    from cart.a import b\n"}, True),
        ({".venv/lib/python3.11/site-packages/cart/__init__.py": ""}, False),
        ({".venv/lib/python3.11/site-packages/__editable__.cart.pth": "{root}/src"}, False),
        ({".venv/lib/python3.11/site-packages/other.pth": "/elsewhere"}, True),
    ],
)
async def test_packages_in_src_become_importable(
    changes: dict[str, str], has_path: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    with_pytest(fake_python(tmp_path / ".venv/bin/python", has_pytest=True))
    for name, text in {**SOURCES, **changes}.items():
        write(tmp_path, name, text.replace("{root}", str(tmp_path)))
    command = await detect(tmp_path)
    assert command
    assert command.shown == f"{'PYTHONPATH=src ' * has_path}.venv/bin/python -m pytest"
    assert command.environment == ({"PYTHONPATH": "src"} if has_path else {})


@pytest.mark.parametrize("imports", ["import pytest\n", "import unittest\n"])
async def test_tests_of_a_src_layout_pass(imports: str, tmp_path: Path) -> None:
    write(tmp_path, "src/cart_of_test/__init__.py", "RATE = 1\n")
    write(
        tmp_path,
        "tests/test_rate.py",
        f"{imports}from cart_of_test import RATE\nfrom unittest import TestCase\n"
        "class TestRate(TestCase):\n    def test_rate(self):\n        assert RATE == 1\n",
    )
    command = await detect(tmp_path)
    assert command
    run = await run_tests(command, tmp_path, 60, lambda output: None)
    assert (run.passed, run.exit_code) == (1, 0)
