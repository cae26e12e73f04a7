"""Which command lines may write the programs of a project: those that only install packages."""

from pathlib import Path

import pytest

from maxagent.tools.shell.effects.package_installs import is_package_install
from maxagent.tools.workspace import Workspace

INSTALLS = """
pip install x
pip3.11 install -r requirements.txt
pip --no-cache-dir install x
pip install -e .[dev]
pip install 'x>=1' 2>&1 | tail -5
python -m pip install x
.venv/bin/python -m pip install -e .
/usr/bin/python3 -m venv .venv
python3 -m venv .venv && .venv/bin/pip install x
source .venv/bin/activate && pip install x
. ./.venv/bin/activate; pip uninstall -y x
virtualenv .venv
uv sync
uv --directory web add x
uv pip install x
uv venv
poetry install
pdm add x
npm ci
npm i x
npm --prefix web install
pnpm add x
yarn
yarn install
bun install
cd web && npm ci
ls && pip install x # the last one
""".strip().splitlines()
OTHERS = """
cp evil .venv/bin/python # pip install
echo tox
echo pip install x
npm test
npm run install
npm --loglevel install test
npm exec install
npx install x
uv run pip install x
uv tool install x
uv pip list
pip list
pip
python -m pip list
python pip install x
python -m tox install
python3 -c 'pip install x'
./pip install x
web/pip install x
/tmp/pip install x
cd web && .venv/bin/pip install x
cp evil .venv/bin/git; pip install x
pip install x && python evil.py
pip install x && npm test
pip install x | sh
pip install x > .venv/bin/git
pip install $(cp evil .venv/bin/git)
pip install x & cp evil .venv/bin/git
PATH=.:$PATH pip install x
PYTHONPATH=. pip install x
pip() { cp evil .venv/bin/git; }; pip install x
alias pip='cp evil'; pip install x
bash -c 'pip install x; cp evil .venv/bin/git'
source evil && pip install x
. web/.venv/bin/activate && pip install x
git commit -m 'pip install'
pip install 'x
""".strip().splitlines()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "web").mkdir()
    return Workspace(tmp_path.resolve())


@pytest.mark.parametrize("command", INSTALLS)
def test_line_of_installs_is_one(command: str, workspace: Workspace) -> None:
    assert is_package_install(command, ".", workspace)


@pytest.mark.parametrize("command", OTHERS)
def test_line_with_another_effect_is_none(command: str, workspace: Workspace) -> None:
    assert not is_package_install(command, ".", workspace)


@pytest.mark.parametrize("module", ["pip.py", "pip/__init__.py"])
def test_module_of_the_project_is_no_installer(module: str, workspace: Workspace) -> None:
    (workspace.root / "pip").mkdir()
    (workspace.root / module).touch()
    assert not is_package_install("python -m pip install x", ".", workspace)
    assert is_package_install("pip install x", ".", workspace)
