import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.config.security.ignore_patterns import IGNORE_PATTERNS
from maxagent.config.security.redaction import redact
from maxagent.config.settings.loader import (
    PATTERNS_KEY,
    LoadedSettings,
    list_negated_patterns,
    load_settings,
    with_all_patterns,
)
from maxagent.config.settings.schema import Settings
from maxagent.config.settings.sources import Layer, build_layer, merge_layers
from maxagent.config.trust.decision import check_trust, trust
from maxagent.tools.result import ToolError
from maxagent.tools.workspace import Workspace


class Place:
    """A home and a project folder, whose files a test writes."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "project"
        self.home.mkdir()
        self.project.mkdir()
        self.user_file = self.home / "config.yaml"
        self.project_file = self.project / ".llc.yaml"

    def load(self, environ: Mapping[str, str] = {}, **flags: object) -> LoadedSettings:  # noqa: B006
        dotted = {name.replace("__", "."): value for name, value in flags.items()}
        if self.project_file.exists():
            trust(self.project, self.home)
        return load_settings(self.project, self.home, environ=environ, flags=dotted)


@pytest.fixture
def world(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_without_files_everything_is_a_default(world: Place) -> None:
    loaded = world.load()
    assert loaded.settings == Settings()
    assert set(loaded.origins.values()) == {"default"}
    assert not any(world.home.iterdir())


def test_settings_sources_override_each_other_in_order(world: Place) -> None:
    world.user_file.write_text(
        "model:\n  default: user\n  thinking_model: user\n  max_tokens: 1\n  max_retries: 1\n"
    )
    world.project_file.write_text(
        "model:\n  default: project\n  thinking_model: project\n  max_tokens: 2\n"
    )
    loaded = world.load(
        {"LLC_MODEL": "environment", "LLC_MODEL__THINKING_MODEL": "environment"},
        model__default="flag",
        security__mode=None,
    )
    model = loaded.settings.model
    assert (model.default, model.thinking_model) == ("flag", "environment")
    assert (model.max_tokens, model.max_retries, model.temperature) == (2, 1, 0.7)
    origins = {key.partition(".")[2]: origin for key, origin in loaded.origins.items()}
    assert origins["default"] == "flag"
    assert origins["thinking_model"] == "environment LLC_MODEL__THINKING_MODEL"
    assert origins["max_tokens"] == f"{world.project_file}:4"
    assert origins["max_retries"] == f"{world.user_file}:5"
    assert origins["temperature"] == "default"


def test_models_merge_and_lists_replace(world: Place) -> None:
    world.user_file.write_text(
        "model: {models: {glm-4.6: {max_tokens: 1, api: chat}}}\ntools: {disabled: [a, b]}\n"
    )
    world.project_file.write_text(
        "model: {models: {glm-4.6: {max_tokens: 2}}}\ntools: {disabled: [c]}\n"
    )
    loaded = world.load()
    limits = loaded.settings.model.models["glm-4.6"]
    assert (limits.max_tokens, limits.api, limits.temperature) == (2, "chat", None)
    assert loaded.settings.tools.disabled == ["c"]
    assert loaded.origins["model.models.glm-4.6.api"] == f"{world.user_file}:1"
    assert loaded.origins["model.models.glm-4.6.temperature"] == "default"


def test_an_empty_section_changes_nothing(world: Place) -> None:
    world.user_file.write_text("model:\n  default: user\n")
    world.project_file.write_text("model:\n  # default: project\ntask:\n")
    assert world.load().settings.model.default == "user"


def test_null_unsets_what_may_be_unset(world: Place) -> None:
    world.user_file.write_text("security: {mode: auto}\n")
    world.project_file.write_text("security: {mode: null}\n")
    assert world.load().settings.security.mode is None


def test_variables_are_replaced_in_files_only(world: Place) -> None:
    world.user_file.write_text("litellm:\n  api_key: ${KEY}\n  base_url: ${URL:-http://local}\n")
    endpoint = world.load({"KEY": "secret", "LLC_PROVIDER": "${KEY}"}).settings.litellm
    assert (endpoint.api_key, endpoint.base_url) == ("secret", "http://local")
    assert endpoint.provider == "${KEY}"


def test_mistakes_of_all_sources_share_one_error(world: Place) -> None:
    world.user_file.write_text("modle: {}\nlitellm:\n  base_url: ${NOWHERE}\n")
    world.project_file.write_text("security:\n  mode: yolo\n  mdoe: ask\n")
    with pytest.raises(UsageError) as refusal:
        world.load({"LLC_TOOLS": "grep"}, task__repair_rounds=-1)
    assert refusal.value.exit_code == 2
    lines = [line.strip() for line in refusal.value.message.splitlines()]
    assert lines == [
        "6 mistakes in the configuration:",
        f"{world.user_file}:1: unknown key `modle`; did you mean `model`?",
        f"{world.user_file}:3: variable `NOWHERE` is not set;"
        " set it, or write `${NOWHERE:-DEFAULT}`",
        f"{world.project_file}:2: `security.mode` must be 'ask', 'edits', 'auto' or 'read-only',"
        ' not `"yolo"`',
        f"{world.project_file}:3: unknown key `security.mdoe`; did you mean `security.mode`?",
        'environment LLC_TOOLS: `tools` must be a mapping, not `"grep"`',
        "flag: `task.repair_rounds` must be greater than or equal to 0, not `-1`",
    ]


def test_mistake_is_reported_even_when_source_is_overridden(world: Place) -> None:
    world.user_file.write_text("model: {max_tokens: many}\n")
    with pytest.raises(UsageError, match="model.max_tokens"):
        world.load({"LLC_MODEL__MAX_TOKENS": "5"})


def test_a_broken_project_file_is_refused(world: Place) -> None:
    world.project_file.write_text("model: [\n")
    with pytest.raises(UsageError, match="not YAML"):
        world.load()


def test_project_file_changed_after_trust_check_is_refused(world: Place) -> None:
    world.project_file.write_text("language: en\n")
    trust(world.project, world.home)
    looked = check_trust(world.project, world.home)
    world.project_file.write_text("security: {mode: auto}\n")
    with pytest.raises(UsageError, match="changed while it was read"):
        load_settings(world.project, world.home, environ={}, trust=looked)
    assert load_settings(world.project, world.home, environ={}).settings.security.mode is None


def test_loading_imports_nothing_heavy() -> None:
    program = (
        "import sys; from pathlib import Path;"
        "from maxagent.config.settings.loader import load_settings;"
        "nowhere = Path('/nonexistent');"
        "load_settings(nowhere, nowhere, environ={'LLC_MODEL__MAX_TOKENS': '5'});"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
    for heavy in (b"langgraph", b"langchain_core", b"openai", b"httpx2", b"rich", b"typer"):
        assert b"'%s'" % heavy not in loaded


PROJECT = "/project/.llc.yaml"


def patterns(*layers: Layer) -> list[str] | None:
    section = merge_layers(with_all_patterns(layers, PROJECT)).get(PATTERNS_KEY[0], {})
    return section.get(PATTERNS_KEY[1])


def named(name: str, *lines: str) -> Layer:
    return build_layer(name, PATTERNS_KEY, list(lines))


def workspace_of(folder: Path, *layers: Layer) -> Workspace:
    return Workspace(folder, tuple(patterns(*layers) or IGNORE_PATTERNS))


def test_patterns_of_all_sources_merge_with_user_last() -> None:
    user, own, flag = named("user", "a"), named(PROJECT, "!a", "b"), named("flag", "c")
    assert patterns(user, own, flag) == ["!a", "b", *IGNORE_PATTERNS, "a", "c"]
    assert patterns(own) == ["!a", "b", *IGNORE_PATTERNS]
    assert patterns(named("user")) == list(IGNORE_PATTERNS)
    assert patterns() is None


def test_a_users_pattern_keeps_the_built_in_list(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("security: {ignore_patterns: [priv/]}\n")
    loaded = load_settings(tmp_path / "project", tmp_path, environ={})
    workspace = Workspace(tmp_path, tuple(loaded.settings.security.ignore_patterns))
    for name in (".env", "server.pem", "priv/x"):
        with pytest.raises(ToolError):
            workspace.resolve(name)
    assert loaded.negated_patterns == ()


def test_only_an_exclamation_mark_of_the_user_opens(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, named("user", "!.env", "!**/secrets/**"))
    assert workspace.resolve(".env") and workspace.resolve("secrets/notes.txt")
    with pytest.raises(ToolError):
        workspace.resolve(".env.production")


def test_what_opens_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("security:\n  ignore_patterns:\n    - a\n    - '!.env'\n")
    loaded = load_settings(tmp_path / "project", tmp_path, environ={})
    assert loaded.negated_patterns == (f"`!.env` ({tmp_path / 'config.yaml'}:4)",)
    assert list_negated_patterns([named(PROJECT, "!a"), named("flag", "b")], PROJECT) == ()


@pytest.mark.parametrize("names", [["!.env"], ["!*"], ["!.env", "!.env.*"], []])
def test_no_list_of_a_project_opens_anything(names: list[str], tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, named(PROJECT, *names))
    with pytest.raises(ToolError):
        workspace.resolve(".env")
    assert workspace.resolve(".env.example")


def test_a_list_of_a_project_closes_more(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, named(PROJECT, "*.log"))
    for name in (".env", "a.log"):
        with pytest.raises(ToolError):
            workspace.resolve(name)


def test_exclude_files_adds_patterns() -> None:
    layer = Layer("user", {"security": {"exclude_files": ["private/", "!.env"]}})
    *_, joined = with_all_patterns([layer], "project")
    assert joined.values["security"]["ignore_patterns"][-2:] == ["private/", "!.env"]
    assert list_negated_patterns([layer], "project") == ("`!.env` (user)",)


def test_credentials_in_headers_are_redacted(world: Place) -> None:
    world.user_file.write_text(
        "litellm:\n  extra_headers:\n    X-Api-Key: qwertyuiop-1\n"
        "    Authorization: Bearer asdfghjkl-2\n    X-Team: front-end-team\n"
    )
    world.load()
    assert "qwertyuiop-1" not in redact("it is qwertyuiop-1")
    assert "asdfghjkl-2" not in redact("it is asdfghjkl-2")
    assert redact("the front-end-team") == "the front-end-team"


@pytest.mark.parametrize("name", ["enabled", "propose"])
@pytest.mark.parametrize(
    "users, projects, variable, wanted",
    [
        ("false", "true", "", False),
        ("false", "false", "", False),
        ("true", "false", "", False),
        ("true", "true", "", True),
        ("false", "true", "true", True),  # the user's own word for this run
    ],
)
def test_no_project_switches_memory_on(
    world: Place, name: str, users: str, projects: str, variable: str, wanted: bool
) -> None:
    world.user_file.write_text(f"memory:\n  {name}: {users}\n")
    world.project_file.write_text(f"memory:\n  {name}: {projects}\n  inject: 2\n")
    environ = {f"MAXAGENT_MEMORY__{name.upper()}": variable} if variable else {}
    loaded = world.load(environ=environ)
    assert getattr(loaded.settings.memory, name) is wanted and loaded.settings.memory.inject == 2
    if (users, variable) == ("false", ""):
        assert loaded.origins[f"memory.{name}"].startswith(str(world.user_file))


def test_safe_zone_has_another_name(tmp_path: Path) -> None:
    flags = {"context.safe_zone": 5, "context.conversation_prune_safe_zone_tokens": 0}
    context = load_settings(tmp_path, tmp_path / "home", environ={}, flags=flags).settings.context
    assert context.protected_tokens == 0


@pytest.mark.parametrize(
    "flags, shown", [({}, True), ({"context.include_project_structure": False}, False)]
)
def test_structure_has_a_second_name(tmp_path: Path, flags: dict[str, object], shown: bool) -> None:
    loaded = load_settings(tmp_path, tmp_path / "home", environ={}, flags=flags)
    assert loaded.settings.context.shows_structure is shown
