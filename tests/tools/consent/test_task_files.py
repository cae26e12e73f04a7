"""What an "always" covers of the files that task runners read by a name of their own."""

import os
from pathlib import Path

import pytest

from maxagent.config.security.provenance import Provenance
from maxagent.tools.permissions.call import RequestedCall
from maxagent.tools.workspace import Workspace

FILES = {
    "package.json": '{"scripts": {"build": "a"}, "workspaces": ["web", "libs/*"]}',
    "web/package.json": '{"name": "web", "scripts": {"build": "b"}}',
    "justfile": "import 'ci.just'\nmod tools\nbuild:\n  true\n",
    "Taskfile.yml": "version: 3\nincludes:\n  sub: ./sub\n  web:\n    taskfile: web/tasks.yml\n",
    "build.ninja": "subninja rules.ninja\n",
    "compose.yaml": "include:\n  - db.yaml\nservices:\n  web:\n    build: ./web\n",
    "Makefile": "all:\n\ttrue\n",
}


def read_consent(root: Path, command: str) -> list[Provenance]:
    call = RequestedCall("run_command", "execute", {"command": command}, (), Workspace(root))
    return [item.provenance for item in call.origins]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("just build", "ci.just"),
        ("just build", "tools.just"),
        ("just build", "tools/mod.just"),
        ("task build", "sub/Taskfile.yml"),
        ("task build", "web/tasks.yml"),
        ("task build", "Taskfile.dist.yml"),
        ("ninja", "rules.ninja"),
        ("docker compose up", "db.yaml"),
        ("docker compose up", "web/Dockerfile"),
        ("docker compose up", "compose.override.yaml"),
        ("docker buildx bake", "docker-bake.hcl"),
        ("hatch run x", "hatch.toml"),
        ("poe x", "poe_tasks.toml"),
        ("uv run x", "uv.toml"),
        ("inv build", "tasks/__init__.py"),
        ("lefthook run pre-commit", "lefthook-local.yml"),
        ("mise run x", ".mise/config.toml"),
        ("direnv exec . true", ".envrc"),
        ("nix-shell --run true", "shell.nix"),
        ("bundle exec rspec", "Gemfile"),
        ("./gradlew build", "gradle/wrapper/gradle-wrapper.jar"),
        ("bazel build x", "tools/bazel"),
        ("python -m nox -s x", "noxfile.py"),
        ("python3 -m tox", "tox.ini"),
        ("python -m pip install -e .", "setup.py"),
        ("pdm run nox", "noxfile.py"),
        ("direnv exec . make all", "Makefile"),
        ("nix-shell --run 'make all'", "Makefile"),
        ("yarn exec make all", "Makefile"),
        ("devbox run make all", "Makefile"),
    ],
)
def test_file_of_runner_is_covered_by_content(project: Path, command: str, name: str) -> None:
    missing = None if (project / name).exists() else read_consent(project, command)
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text("1: 1\n")
    before = read_consent(project, command)
    (project / name).write_text("2: 2\n")
    assert missing != before != read_consent(project, command)


@pytest.mark.parametrize(
    "name", ["lerna.json", "pnpm-workspace.yaml", "libs/app/package.json", ".npmrc", "justfile"]
)
def test_pipe_in_place_of_file_is_not_read(project: Path, name: str) -> None:
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).unlink(missing_ok=True)
    os.mkfifo(project / name)
    assert read_consent(project, "pnpm -r build")
    assert read_consent(project, "just build") is not None


@pytest.mark.parametrize("command", ["git commit -m 'make build'", "rm noxfile.py", "echo make"])
def test_word_of_data_program_starts_nothing(project: Path, command: str) -> None:
    assert not [item for item in read_consent(project, command) if item.source == "Makefile"]


INCLUDES = [
    ("make x", "Makefile", "include $(CURDIR)/rules.mk\n", "rules.mk"),
    ("make x", "Makefile", "include a.mk ${CURDIR}/rules.mk # both\n", "rules.mk"),
    ("make x", "Makefile", "-include $(wildcard mk/*.mk)\n", "mk/rules.mk"),
    ("make x", "Makefile", "include a.mk \\\n  rules.mk\n", "rules.mk"),
    ("make x", "Makefile", "sinclude $(RULES)\n", ""),
    ("make x", "Makefile", "include $(dir $(lastword $(MAKEFILE_LIST)))rules.mk\n", ""),
    ("ninja", "build.ninja", "include $\n  rules.ninja\n", "rules.ninja"),
    ("ninja", "build.ninja", "subninja $dir/rules.ninja\n", ""),
    ("task x", "Taskfile.yml", "includes:\n  ci: ./ci.yml # the ci\n", "ci.yml"),
    ("task x", "Taskfile.yml", "includes: {ci: ./ci.yml}\n", "ci.yml"),
    ("task x", "Taskfile.yml", "includes:\n  ci: https://example.com/t.yml\n", ""),
    ("task x", "Taskfile.yml", "includes:\n  ci: ./{{.NAME}}.yml\n", ""),
    ("task x", "Taskfile.yml", "includes: [\n", ""),
    ("docker compose up", "compose.yaml", "include:\n- db.yaml\n", "db.yaml"),
    ("docker compose up", "compose.yaml", "include: [db.yaml]\n", "db.yaml"),
    ("docker compose up", "compose.yaml", "include:\n- path: [db.yaml]\n", "db.yaml"),
    ("docker compose up", "compose.yaml", "include: ['${DB}.yaml']\n", ""),
    (
        "docker compose up",
        "compose.yaml",
        "services: {w: {extends: {file: base, service: b}}}\n",
        "base",
    ),
    (
        "docker compose build",
        "compose.yaml",
        "services: {w: {build: {context: ./app, dockerfile: D.dev}}}\n",
        "app/D.dev",
    ),
    (
        "docker compose build",
        "compose.yaml",
        "services:\n  w:\n    build:\n      dockerfile: Dockerfile.dev\n",
        "Dockerfile.dev",
    ),
    ("just x", "justfile", "import 'my rules.just'\n", "my rules.just"),
    ("just x", "justfile", 'import? "it\'s.just"\n', "it's.just"),
    ("just x", "justfile", "mod tools # ours\n", "tools.just"),
]


@pytest.mark.parametrize(("command", "file", "content", "name"), INCLUDES)
def test_an_included_file_is_covered_or_unknown(
    tmp_path: Path, command: str, file: str, content: str, name: str
) -> None:
    """`name`: the file that is included; empty: which it is only the program knows."""
    (tmp_path / file).write_text(content)
    if name:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("# one\n")
    before = read_consent(tmp_path, command)
    assert all(item.digest for item in before) == bool(name)
    if name:
        (tmp_path / name).write_text("# two\n")
        assert read_consent(tmp_path, command) != before


def test_values_that_name_no_file_ask_nothing(tmp_path: Path) -> None:
    service = "{image: 'a:${TAG}', command: echo $X, ports: ['1:1'], volumes: ['./a:/b']}"
    (tmp_path / "compose.yaml").write_text(f"services: {{w: {service}}}\n")
    (tmp_path / "Taskfile.yml").write_text("tasks: {x: {cmds: ['echo {{.X}} ./a']}}\n")
    for command in ("docker compose up", "task x"):
        assert all(item.digest for item in read_consent(tmp_path, command))
