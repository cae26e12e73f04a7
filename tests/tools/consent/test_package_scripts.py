"""An "always" for a script covers it in each package of a workspace, whoever runs it."""

from pathlib import Path

import pytest

from maxagent.config.security.provenance import Provenance
from maxagent.tools.permissions.call import RequestedCall
from maxagent.tools.workspace import Workspace

FILES = {
    "package.json": '{"scripts": {"build": "a"}, "workspaces": ["web", "libs/*"]}',
    "web/package.json": '{"name": "web", "scripts": {"build": "b"}}',
    "libs/app/package.json": '{"scripts": {"build": "b"}}',
}


def read_consent(root: Path, command: str) -> list[Provenance]:
    call = RequestedCall("run_command", "execute", {"command": command}, (), Workspace(root))
    return [item.provenance for item in call.origins]


def write(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("node --run build", "package.json"),
        ("deno task build", "package.json"),
        ("corepack yarn build", "package.json"),
        ("yarnpkg build", "package.json"),
        ("run-s build", "package.json"),
        ("npx npm-run-all build", "package.json"),
        ("concurrently npm:build", "package.json"),
        ("npm run build --workspaces", "web/package.json"),
        ("npm run build -w web", "web/package.json"),
        ("npm run build --workspace=app", "libs/app/package.json"),
        ("pnpm -r build", "web/package.json"),
        ("pnpm --filter app build", "libs/app/package.json"),
        ("yarn workspaces foreach run build", "libs/app/package.json"),
        ("lerna run build", "web/package.json"),
        ("turbo build", "web/package.json"),
        ("nx run web:build", "web/package.json"),
    ],
)
def test_scripts_of_packages_are_covered(tmp_path: Path, command: str, name: str) -> None:
    project = write(tmp_path, FILES)
    before = read_consent(project, command)
    text = (project / name).read_text()
    (project / name).write_text(text.replace('"build": "', '"build": "evil '))
    assert before and before != read_consent(project, command)


@pytest.mark.parametrize(
    ("workspaces", "name"),
    [
        ({"pnpm-workspace.yaml": "packages:\n  - 'apps/*'\n  - '!x'\n"}, "apps/a"),
        ({"lerna.json": '{"packages": ["apps/*"]}'}, "apps/a"),
        ({"package.json": '{"workspaces": {"packages": ["apps/a"]}}'}, "apps/a"),
        ({"package.json": '{"workspaces": ["apps/**"]}'}, "apps/deep/a"),
    ],
)
def test_workspace_of_each_form_is_found(
    tmp_path: Path, workspaces: dict[str, str], name: str
) -> None:
    files = {"package.json": "{}", **workspaces, f"{name}/package.json": '{"scripts": {"x": "1"}}'}
    write(tmp_path, files)
    sources = [item.source for item in read_consent(tmp_path, "pnpm -r run x")]
    assert f"{name}/package.json" in sources


@pytest.mark.parametrize(
    "workspace",
    [
        "packages: &a [*a]\n",
        "a: &a [x, x]\n" + "".join(f"a{n}: [*a, *a]\n" for n in range(4_000)),
        "packages: [a\n",
        "- apps/*\n",
        "packages: !own [apps/*]\n",
    ],
)
@pytest.mark.parametrize("command", ["pnpm -r run x", "pnpm --filter a x"])
def test_workspace_that_is_not_read_is_unknown(
    tmp_path: Path, workspace: str, command: str
) -> None:
    write(tmp_path, {"package.json": "{}", "pnpm-workspace.yaml": workspace})
    call = RequestedCall("run_command", "execute", {"command": command}, (), Workspace(tmp_path))
    assert any(not origin.provenance.digest for origin in call.origins)
