import os
import random
import subprocess
from pathlib import Path

import pytest
from command_lines import project
from hypothesis import example, given, settings
from hypothesis import strategies as st
from second_opinion import SHFMT, disagreement
from shell_lines import lines, mutated

from maxagent.tools.builtin.files.shown_files import parse_plain_words
from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.workspace import Workspace

needs_shfmt = pytest.mark.skipif(not SHFMT, reason="shfmt is missing: there is no second opinion")
needs_bash = pytest.mark.skipif(not Path("/bin/bash").exists(), reason="there is no /bin/bash")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return project(tmp_path_factory.mktemp("fuzz"))


@given(st.text() | lines)
@settings(max_examples=300, deadline=None)
@example("\ud800")
@example("(" * 9000)
@example("$(" * 4000)
@example("{\U00031860")
@example("sudo " * 40 + "rm -rf /")
@example("1=0||")
@example("npm ")
def test_any_text_is_judged(workspace: Workspace, line: str) -> None:
    found = analyze_command(line, ".", workspace)
    assert not found.reason.startswith("the command could not be checked")


@needs_shfmt
@given(lines)
@settings(max_examples=150, deadline=None)
def test_nothing_is_plain_that_another_parser_reads_otherwise(
    workspace: Workspace, line: str
) -> None:
    assert disagreement(line, workspace) == ""


@needs_shfmt
def test_nor_among_lines_like_those_of_the_corpora(workspace: Workspace) -> None:
    source = random.Random(4)
    found = [
        (line, disagreement(line, workspace)) for line in (mutated(source) for _ in range(300))
    ]
    assert [one for one in found if one[1]] == []


@needs_bash
@given(st.text(alphabet="ab '\"\\\n#=-$.{},~![]^é\t\u3000", max_size=30))
@settings(max_examples=150, deadline=None)
def test_bash_gets_the_words_that_we_say(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    words = parse_plain_words("say " + text)
    if words is None:
        return
    script = f'say() {{ printf "%s\\0" "$@"; }}\nsay {text}'
    done = subprocess.run(
        ["/bin/bash", "-c", script],
        capture_output=True,
        env={"PATH": "/nowhere", "LC_ALL": "C.UTF-8"},
        cwd=tmp_path_factory.getbasetemp(),
    )
    assert os.fsdecode(done.stdout).split("\0")[:-1] == (words[1:] or [""])
