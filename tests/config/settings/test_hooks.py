import json
from pathlib import Path

import pytest

from maxagent import trust
from maxagent.config.errors import UsageError
from maxagent.config.paths import locate_user_config
from maxagent.config.settings.loader import LoadedSettings, load_settings

CLAUDE = """\
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: '"${CLAUDE_PROJECT_DIR}"/check.sh'
          timeout: 5
        - type: command
          command: second
  Stop:
    - hooks: [{type: command, command: third}]
"""


def load(tmp_path: Path, users: str, projects: str = "") -> LoadedSettings:
    folder, home = tmp_path / "project", tmp_path / "home"
    folder.mkdir(exist_ok=True)
    file = locate_user_config(home)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(users)
    if projects:
        (folder / ".llc.yaml").write_text(projects)
        trust(folder, home)
    return load_settings(folder, home, environ={})


def test_the_form_of_claude_code_is_read(tmp_path: Path) -> None:
    loaded = load(tmp_path, CLAUDE)
    assert [(hook.event, hook.matcher, hook.command, hook.timeout) for hook in loaded.hooks] == [
        ("before_tool", "Bash", '"${CLAUDE_PROJECT_DIR}"/check.sh', 5.0),
        ("before_tool", "Bash", "second", 60.0),
        ("on_stop", "", "third", 60.0),
    ]
    assert loaded.hooks[0].origin.endswith("config.yaml:2")
    assert [hook.command for hook in loaded.settings.hooks.on_stop] == ["third"]


def test_no_project_takes_hooks_of_the_user_away(tmp_path: Path) -> None:
    project = "hooks: {before_tool: [{command: theirs}], PreToolUse: []}"
    loaded = load(tmp_path, CLAUDE, project)
    hooks = [(hook.command, hook.from_project) for hook in loaded.hooks]
    assert hooks[-2:] == [("third", False), ("theirs", True)]
    assert len(hooks) == 4
    assert [hook.command for hook in loaded.settings.hooks.before_tool][-1] == "theirs"


@pytest.mark.parametrize(
    ("hooks", "mistake"),
    [
        ("{before_tool: [{matcher: '[', command: x}]}", 'must be a regular expression, not `"["`'),
        ("{Notification: []}", "unknown key `hooks.Notification`; available: `before_tool`"),
        ("{Stop: [{hooks: [{type: prompt, prompt: x}]}]}", "unknown key `hooks.on_stop.0.prompt`"),
        ("{Stop: x}", "`hooks.on_stop` must be a valid list"),
        ("{on_stop: [{}]}", "`hooks.on_stop.0.command` is missing"),
        ("{on_stop: [{command: ''}]}", "`hooks.on_stop.0.command`"),
        ("{on_stop: [{command: x, timeout: 0}]}", "must be greater than 0"),
        ("{on_stop: [x]}", "`hooks.on_stop.0` must be a mapping"),
    ],
)
def test_a_wrong_hook_is_a_mistake(tmp_path: Path, hooks: str, mistake: str) -> None:
    with pytest.raises(UsageError) as error:
        load(tmp_path, f"hooks: {json.loads(json.dumps(hooks))}\n")
    assert mistake in error.value.message


def test_without_hooks_there_are_none(tmp_path: Path) -> None:
    assert load(tmp_path, "language: en\n").hooks == ()
