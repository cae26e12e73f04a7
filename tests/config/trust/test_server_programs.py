import os
from pathlib import Path

import pytest

from maxagent.config.trust.command_files import find_command_files
from maxagent.config.trust.server_programs import list_server_words


@pytest.mark.parametrize(
    "definition",
    [
        {"command": "sh", "args": ["${RUNNER:-./run.sh}"]},
        {"command": "${RUNNER:-./run.sh}"},
        {"command": "${RUNNER:-sh}", "args": ["${A:-${B:-run.sh}}"]},
        {"command": "sh", "args": ["${FOLDER:-.}/run.sh"]},
        {"command": "sh", "cwd": "${FOLDER:-sub}", "args": ["go.sh"]},
        {"command": "x", "env": {"NODE_OPTIONS": "--require ${HOOK:-./run.sh}"}},
        {"command": "npm", "args": ["run", "${SCRIPT:-serve}"]},
        {"command": "sh", "args": ["--file=${env:RUNNER:-run.sh}"]},
    ],
)
def test_default_of_variable_names_file_that_runs(
    tmp_path: Path, definition: dict[str, object]
) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("run.sh", "sub/go.sh"):
        (tmp_path / name).write_text("true\n")
    (tmp_path / "package.json").write_text('{"scripts": {"serve": "sh run.sh"}}')
    root = os.path.realpath(tmp_path)
    files = find_command_files([], root, list_server_words(definition))[0]
    assert {"run.sh", "sub/go.sh"} & {*files}


def test_words_without_defaults_come_once() -> None:
    definition = {"command": "sh", "args": ["${X}", "a"], "cwd": "b"}
    assert list_server_words(definition) == ["b", "sh", "${X}", "a"]
