from pathlib import Path

import pytest

from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.workspace import Workspace


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("docker run -v /:/x alpine", "mount"),
        ("docker run -v /../:/x alpine", "mount"),
        ("docker run -v ./data:/x alpine", "command"),
        ("docker run -v cache:/x alpine", "command"),
        ("docker run -v /mnt/data:/x alpine", "command"),
        ("docker run --mount type=bind,target=/x,source=/etc alpine", "mount"),
        ("docker run --pid host alpine", "mount"),
        ("docker run --network host alpine", "command"),
        ("docker logs -f app", "command"),
        ("mount", "command"),
        ("mount -t tmpfs", "command"),
        ("mount -t tmpfs none x", "mount"),
        ("bwrap --ro-bind / / ls", "command"),
        ("bwrap --bind / / ls", "mount"),
        ("passwd --help", "command"),
        ("useradd x", "account"),
        ("chmod 0755 x", "command"),
        ("chmod 2775 x", "command"),
        ("chmod g+s x", "command"),
        ("chmod 4755 x", "account"),
        ("chmod ug+xs x", "account"),
    ],
)
def test_the_machine_for_a_program(line: str, rule: str, tmp_path: Path) -> None:
    assert analyze_command(line, ".", Workspace(tmp_path)).rule == rule
