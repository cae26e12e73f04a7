import os
from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.tools.sandbox.bubblewrap import build_arguments, find_mount_folders, find_program
from maxagent.tools.sandbox.profile import SandboxProfile

BWRAP = Path("/usr/bin/bwrap")
WALL = SandboxProfile(
    writable=(Path("/w/project"), Path("/w/project/.cache")),
    pinned=(Path("/w/project/.git"),),
    frozen=(Path("/w/project/.git/hooks"), Path("/w/project/AGENTS.md")),
    hidden_folders=(Path("/w"), Path("/w/project/secrets")),
    hidden_files=(Path("/w/project/.env"),),
    blank_files=(Path("/home/me/.npmrc"),),
    private=(Path("/tmp"),),
    shown=(Path("/tmp/venv"),),
)


def line(wall: SandboxProfile = WALL) -> str:
    return " ".join(build_arguments(BWRAP, wall, ["make", "test"], Path("/w/project/src")))


def test_every_path_kind_is_mounted_after_its_parents() -> None:
    mounts = line().partition("--remount-ro /proc ")[2].partition(" --remount-ro")[0]
    assert mounts.replace(" --", "\n--").splitlines() == [
        "--dev-bind /dev/null /home/me/.npmrc",
        "--tmpfs /tmp",
        "--ro-bind /tmp/venv /tmp/venv",
        "--tmpfs /w",
        "--bind /w/project /w/project",
        "--bind /w/project/.cache /w/project/.cache",
        "--ro-bind /dev/null /w/project/.env",
        "--bind /w/project/.git /w/project/.git",
        "--ro-bind /w/project/.git/hooks /w/project/.git/hooks",
        "--ro-bind /w/project/AGENTS.md /w/project/AGENTS.md",
        "--tmpfs /w/project/secrets",
    ]


def test_everything_is_taken_away_before_anything_is_given() -> None:
    assert line().startswith(
        "/usr/bin/bwrap --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try "
        "--unshare-net --die-with-parent --new-session --cap-drop ALL --unshare-user-try "
        "--ro-bind / / --dev /dev --proc /proc --remount-ro /proc "
    )


def test_root_keeps_what_other_owners_files_need() -> None:
    built = build_arguments(BWRAP, WALL, ["make"], Path("/w/project"), owner_rights=True)
    assert "--unshare-user-try" not in built
    rights = [built[at + 1] for at, word in enumerate(built) if word == "--cap-add"]
    assert rights == ["CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_CHOWN"]


def test_threads_folder_is_mounted_as_temporary_one() -> None:
    wall = replace(WALL, temporary=Path("/h/t"), shown=(Path("/tmp/a/venv"), Path("/tmp/b")))
    mounts = line(wall).partition("--remount-ro /proc ")[2]
    assert "--bind /h/t /tmp --tmpfs /tmp/a --ro-bind /tmp/a/venv /tmp/a/venv --ro-bind" in mounts
    assert find_mount_folders(wall) == {Path("/tmp/a")}


def test_hidden_folders_close_last_and_command_keeps_folder() -> None:
    assert line().endswith(
        " --remount-ro /w --remount-ro /w/project/secrets --setenv TMPDIR /tmp "
        "--chdir /w/project/src -- make test"
    )


def test_filter_is_read_from_a_descriptor() -> None:
    made = build_arguments(BWRAP, WALL, ["ls"], Path("/w"), Path("/h/filter.bpf"))
    assert made[:5] == ["/bin/sh", "-c", 'exec "$@" 9<"$0"', "/h/filter.bpf", str(BWRAP)]
    assert made[made.index("--seccomp") + 1] == "9" and made.index("--seccomp") < made.index("--")


def test_network_is_shared_only_when_requested() -> None:
    assert "--unshare-net" in line(SandboxProfile(writable=(), network=False))
    assert "--unshare-net" not in line(SandboxProfile(writable=(), network=True))


@pytest.mark.parametrize("stricter", ["frozen", "blank_files", "hidden_files", "hidden_folders"])
def test_stricter_of_two_mounts_wins(stricter: str) -> None:
    location = Path("/w/x")
    both = line(SandboxProfile(writable=(location,), **{stricter: (location,)}))
    assert "--bind /w/x /w/x" not in both.replace("--ro-bind /w/x /w/x", "")


def test_program_is_accepted_only_when_owned_by_root(tmp_path: Path) -> None:
    own = tmp_path / "bwrap"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    assert find_program(f"{tmp_path}") is None
    assert find_program("") is None
    assert find_program(f"relative{os.pathsep}.") is None
    result = find_program(f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert result is None or result.stat().st_uid == 0 and result != own
