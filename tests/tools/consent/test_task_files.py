"""What an "always" covers of the files that task runners read by a name of their own."""

import os
from pathlib import Path

import pytest

from maxagent.config.security.provenance import Provenance, find_provenance_changes
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


@pytest.mark.parametrize("line", ["include sub", "load sub", "x: ; ./sub", "x: ; sh sub", "x: ; ."])
def test_folder_in_place_of_file_is_not_read(project: Path, line: str) -> None:
    (project / "sub").mkdir()
    (project / "Makefile").write_text(f"{line}\n")
    assert [item.source for item in read_consent(project, "make x")] == ["Makefile"]


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


COMPOSE = "docker compose up"
# Command, file of tasks, its content, the file that it reads or starts
RUN_FILES = [
    ("make x", "Makefile", "$(eval -include b.mk)\nx:\n\ttrue\n", "b.mk"),
    ("make x", "Makefile", "x := -include b.mk\n$(x)\n", "b.mk"),
    ("make x", "Makefile", "define X\n $(if 1,-include b.mk)\nendef\n$(eval $(X))\n", "b.mk"),
    ("make x", "Makefile", "x = -include a.mk b.mk\n$x\n", "b.mk"),
    ("make x", "Makefile", "load m.so\n", "m.so"),
    ("make x", "Makefile", "-load m.so(setup)\n", "m.so"),
    ("make x", "Makefile", "\t-include b.mk\nx:\n\ttrue\n", "b.mk"),
    ("make x", "Makefile", "x:\n\t$(MAKE) -C sub\n", "sub/Makefile"),
    ("make x", "Makefile", "x:\n\t@${MAKE} --directory=sub y\n", "sub/GNUmakefile"),
    ("make x", "Makefile", "x:\n\tcd sub && $(MAKE)\n", "sub/Makefile"),
    ("make x", "Makefile", "x:\n\t+$(MAKE) -f other.mk y\n", "other.mk"),
    ("make x", "Makefile", "x:\n\t$(MAKE) -C sub -f o.mk\n", "sub/o.mk"),
    ("make x", "Makefile", "MAKEFLAGS += -I mk\n-include b.mk\n", "mk/b.mk"),
    ("make x", "Makefile", "MAKEFLAGS += --include-dir=mk\n-include b.mk\n", "mk/b.mk"),
    ("make x", "Makefile", "export MAKEFILES = b.mk\n", "b.mk"),
    ("make x", "Makefile", "x:\n\t./run.sh\n", "run.sh"),
    ("make x", "Makefile", "x:\n\t@cd . && A=1 ./run fast\n", "run"),
    ("make x", "Makefile", "x: ; $(CURDIR)/run.sh\n", "run.sh"),
    ("make x", "Makefile", "x:\n\tbash -e run\n", "run"),
    ("make x", "Makefile", "V := $(shell ./version.sh)\n", "version.sh"),
    (COMPOSE, "compose.yaml", "services: {w: {env_file: web.env}}\n", "web.env"),
    (COMPOSE, "compose.yaml", "services: {w: {env_file: [a, web.env]}}\n", "web.env"),
    (COMPOSE, "compose.yaml", "services:\n w:\n  env_file:\n  - path: web.env\n", "web.env"),
    (COMPOSE, "compose.yaml", "services: {w: {image: 'a:${TAG}'}}\n", ".env"),
    ("docker-compose up", "docker-compose.yml", "services: {}\n", ".env"),
    ("just x", "justfile", "set dotenv-load\nx:\n  true\n", ".env"),
    ("just x", "justfile", "set dotenv-load := true\n", ".env"),
    ("just x", "justfile", "set dotenv-filename := 'my.env'\n", "my.env"),
    ("just x", "justfile", 'set dotenv-path := "a/my.env"\n', "a/my.env"),
    ("just x", "justfile", "x:\n  @./run.sh\n", "run.sh"),
    ("task x", "Taskfile.yml", "dotenv: ['a.env', '.env']\n", "a.env"),
    ("task x", "Taskfile.yml", "dotenv:\n- .env\n", ".env"),
    ("task x", "Taskfile.yml", "tasks: {x: {dotenv: [x.env]}}\n", "x.env"),
    ("task x", "Taskfile.yml", "tasks:\n  x:\n    cmds:\n    - ./run.sh\n", "run.sh"),
    ("mise run x", "mise.toml", "", ".mise/tasks/x"),
    ("mise run x", "mise.toml", "", "mise-tasks/x"),
    ("mise run x", "mise.toml", "", ".config/mise/tasks/a/x"),
    ("mise run x", "mise.toml", "[tasks.x]\nfile = 'x.sh'\n", "x.sh"),
    ("mise run x", "mise.toml", "[env]\n_.source = './env.sh'\n", "env.sh"),
    ("npm run x", "package.json", '{"scripts": {"x": "./build.sh"}}', "build.sh"),
    ("npm run x", "package.json", '{"scripts": {"x": "sh ./build"}}', "build"),
    ("npm run x", "package.json", '{"scripts": {"x": "a && bash b.sh"}}', "b.sh"),
    ("npm test", "package.json", '{"scripts": {"pretest": ". ./env.sh", "test": "a"}}', "env.sh"),
    ("npm ci", "package.json", '{"scripts": {"postinstall": "tools/post"}}', "tools/post"),
]


@pytest.mark.parametrize(("command", "file", "content", "name"), RUN_FILES)
def test_file_that_becomes_code_is_asked_again(
    tmp_path: Path, command: str, file: str, content: str, name: str
) -> None:
    (tmp_path / file).write_text(content)
    states = [read_consent(tmp_path, command)]
    for text in ("one\n", "two\n"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        states.append(read_consent(tmp_path, command))
    missing, before, after = states
    assert find_provenance_changes(missing, before) and find_provenance_changes(before, after)
    assert all(item.digest for state in states for item in state)


COMPUTED = [
    "$(eval -include $(RULES))\n",
    "x := include $(y)\n$(x)\n",
    "$(eval $(shell cat b.mk))\n",
    "$(eval $(call rule,$(file <b.mk)))\n",
    "x := $(shell cat b.mk)\n$(eval $(x))\n",
    "x = $(file <b.mk)\n$(x)\n",
    "x != cat b.mk\n$(x)\n",
    "x:\n\t$(MAKE) -C $(DIR)\n",
    "x:\n\tfor d in $(DIRS); do $(MAKE) -C $$d; done\n",
    "x:\n\tcd $(DIR) && $(MAKE)\n",
    "x:\n\t$(MAKE) -f $(lastword $(MAKEFILE_LIST)) y\n",
    "load $(PLUGIN)\n",
    "MAKEFLAGS += --eval=include\n",
    "x:\n\tsh $(SCRIPTS)/run.sh\n",
]


@pytest.mark.parametrize("makefile", COMPUTED)
def test_what_make_reads_at_run_time_is_asked(tmp_path: Path, makefile: str) -> None:
    (tmp_path / "Makefile").write_text(makefile)
    assert not all(item.digest for item in read_consent(tmp_path, "make x"))


ORDINARY = [
    "CFLAGS += -include config.h\nx: main.c\n\tcc $(CFLAGS) main.c -o app\n",
    "$(eval VERSION := $(shell git describe))\n",
    "define rule\n$(1): ; echo\nendef\n$(foreach p,a b,$(eval $(call rule,$(p))))\n",
    "x:\n\t$(MAKE) y\ny:\n\tpython3 main.py\n",
    "x:\n\t./app # built\n",
    "x: main.c\n\tgrep -rn include src/main.c\n",
    "help:\n\t@echo 'make include all'\n",
]


@pytest.mark.parametrize("makefile", ORDINARY)
def test_sources_of_ordinary_makefile_ask_nothing(tmp_path: Path, makefile: str) -> None:
    (tmp_path / "Makefile").write_text(makefile)
    before = read_consent(tmp_path, "make x")
    for name in ("main.c", "main.py", "config.h", "src/main.c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("changed")
    (tmp_path / "app").write_bytes(b"\x7fELF\2")
    assert before == read_consent(tmp_path, "make x") and all(item.digest for item in before)
