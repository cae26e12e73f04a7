"""A fork is what a start would have been: the same program tells of both, started by bash."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from fork_probe import explain_no_server

PROBE = Path(__file__).parents[2] / "fixtures" / "fork_probe.py"
FOLDER = "data/fork-servers"

pytestmark = pytest.mark.skipif(bool(explain_no_server()), reason=explain_no_server())


class Probe:
    """Runs the program by bash, with a home where a server listens or does not."""

    def __init__(self, folder: Path, more: Mapping[str, str]) -> None:
        self.folder, self.more = folder, more
        self.homes = {True: folder / "warm", False: folder / "cold"}
        for home in self.homes.values():
            (home / FOLDER).mkdir(parents=True, mode=0o700)
        self.path = folder / "modules"
        self.path.mkdir()
        self.server: subprocess.Popen[str] | None = None

    def environ(self, *, warm: bool) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(self.path),
            "MAXAGENT_HOME": str(self.homes[warm]),
            "MAXAGENT_SERVER__WARM": "on",
            "C": str(self.homes[warm] / "config.yaml"),
            "P": f"{sys.executable} {PROBE} task",
            **self.more,
        }

    def popen(self, line: str, *, warm: bool = True) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self.environ(warm=warm),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )

    def run(self, line: str, *, warm: bool = True) -> tuple[int, str, str]:
        with self.popen(line, warm=warm) as process:
            output, errors = process.communicate(timeout=60)
        return process.returncode, output, errors


@pytest.fixture
def probe(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Probe]:
    """The program, beside a server of its own, both with the variables of the parameter."""
    probe = Probe(tmp_path, getattr(request, "param", {}))
    server = subprocess.Popen(
        [sys.executable, "-P", PROBE, "serve"],
        env=probe.environ(warm=True),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        start_new_session=True,
    )
    assert server.stdout and server.stdout.readline()
    with server:
        probe.server = server
        yield probe
        server.kill()


def compare(probe: Probe, line: str) -> tuple[str, str]:
    """What both tell, but for the home and the session, which differ from bash to bash."""
    outputs: list[str] = []
    for warm in (True, False):
        code, output, errors = probe.run(line, warm=warm)
        assert ("cold" in errors) is not warm, errors
        facts = json.loads(output)
        del facts["environ"]["MAXAGENT_HOME"], facts["environ"]["C"]
        assert facts.pop("session") > 1
        outputs.append(f"{code} {json.dumps(facts, indent=1)}")
    return outputs[0], outputs[1]


SAME = [
    "$P",
    "umask 027; $P",
    "umask 077; $P",
    "mkdir -p sub; cd sub; $P",
    "ln -s . link; cd link; $P",
    "$P é '中文 $HOME' '' '*'",
    "exec 7</dev/null; $P",
    "exec 3>out 9<&0; $P",
    "exec 5<&0 4>&5; $P",
    "trap '' HUP; $P",
    "trap '' INT QUIT; $P",
    "nohup $P",
    "TZ=Asia/Shanghai $P",
    "TZ=America/New_York $P",
    "TERM=dumb NO_COLOR=1 $P",
    "A='two\nlines' B= $P",
    "unset HOME; $P",
    "${P/ / -u }",
    "B=$'\\xff\\xfe' $P $'\\xff'",
    "echo x > file; $P < file",
    "$P <&0",
    "setsid $P",
    "(sleep 0.01; $P)",
    "$P & wait",
]


@pytest.mark.parametrize("line", SAME)
def test_a_fork_is_as_a_start(probe: Probe, line: str) -> None:
    forked, started = compare(probe, line)
    assert forked == started


@pytest.mark.parametrize(
    "probe",
    [
        {"PYTHONUNBUFFERED": "1"},
        {"PYTHONIOENCODING": "latin-1:replace"},
        {"PYTHONUTF8": "1", "LANG": "C"},
        {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONDONTWRITEBYTECODE": "1"},
        {"PYTHONHASHSEED": "7"},
    ],
    indirect=True,
)
def test_a_fork_has_the_variables_of_python(probe: Probe) -> None:
    forked, started = compare(probe, "$P")
    assert forked == started


@pytest.mark.parametrize(
    "line",
    [
        "ulimit -n 200; $P",
        "ulimit -v 8000000; $P",
        "ulimit -c 0; ulimit -u 5000; $P",
        "nice -n 5 $P",
        "PYTHONPATH=.:$PYTHONPATH $P",
        "LANG=zh_CN.UTF-8 $P",
        "LC_ALL=POSIX $P",
        "LANGSMITH_TRACING=true $P",
        "SSL_CERT_FILE=/nowhere $P",
        "CI=1 MAXAGENT_SERVER__WARM=auto $P",
        "MAXAGENT_SERVER__WARM=off $P",
        "MAXAGENT_SERVER__WARM=of $P",
        "LLC_SERVER__WARM=off MAXAGENT_SERVER__WARM= $P",
        "MAXAGENT_DEBUG=1 MAXAGENT_SERVER__WARM=auto $P",
        "$P <&-",
        "$P >&-",
        "$P --file /dev/fd/0",
        "$P --file <(echo x)",
        "${P% task} threads",
        "${P/ / -O } ",
        "${P/ / -X dev }",
        "${P/ / -W error }",
        "unset MAXAGENT_SERVER__WARM; printf 'server:\\n  warm: off\\n' > $C; $P",
        "unset MAXAGENT_SERVER__WARM; printf 'server: {warm: no-idea}\\n' > $C; $P",
        "chmod 755 $MAXAGENT_HOME/data/fork-servers; $P",
        "mv $MAXAGENT_HOME/data/fork-servers x; ln -s $PWD/x $MAXAGENT_HOME/data/fork-servers; $P",
        "touch $PYTHONPATH/new.py; $P",
        "setpriv --no-new-privs $P",
        "unshare --user --map-current-user $P",
        "unshare --user --net --map-current-user $P",
    ],
)
def test_another_process_starts_cold(probe: Probe, line: str) -> None:
    if "setpriv" in line or "unshare" in line:
        wrapper = line.partition(" $P")[0]
        if probe.run(f"{wrapper} true")[0]:
            pytest.skip(f"`{wrapper}` is not possible on this machine")
    _, _, errors = probe.run(line)
    assert "cold\n" in errors


def test_bubblewrap_sees_no_server(probe: Probe) -> None:
    box = "bwrap --dev-bind / / --unshare-pid --proc /proc"
    if probe.run(f"{box} true")[0]:
        pytest.skip("no bubblewrap")
    assert "cold\n" in probe.run(f"{box} $P")[2]


@pytest.mark.parametrize(
    ("line", "code", "output"),
    [
        ("$P 0", 0, ""),
        ("$P 3", 3, ""),
        ("$P 130", 130, ""),
        ("$P die 9; exit $?", 137, ""),
        ("$P die 15; exit $?", 143, ""),
        ("$P die 2; exit $?", 130, ""),
        ("echo piped text | $P read", 0, "piped text"),
        ("$P read < <(printf one)", 0, "one"),
        ("$P fill | head -1; echo ${PIPESTATUS[0]}", 0, "0\n1\n"),
        ("timeout -s TERM 0.5 $P wait; echo $?", 0, "got SIGTERM"),
        ("timeout -s INT 0.5 $P wait; echo $?", 0, "got SIGINT"),
        ("trap '' INT; timeout -s INT 0.5 $P wait; echo $?", 0, "got SIGINT"),
        ("trap '' HUP TERM; timeout -s HUP 0.5 $P wait; echo $?", 0, "got SIGHUP"),
        ("timeout -s KILL 0.5 $P wait; echo $?", 0, "137"),
        ("timeout -s HUP 0.5 $P wait; echo $?", 0, "got SIGHUP"),
    ],
)
def test_ends_as_a_start_ends(probe: Probe, line: str, code: int, output: str) -> None:
    for warm in (True, False):
        ended, printed, errors = probe.run(line, warm=warm)
        assert (ended, "cold" in errors) == (code, not warm), errors
        if "head" not in line:
            assert output in printed


@pytest.mark.parametrize(("line", "code"), [("$P read 7 < pipe", 7), ("$P wait < pipe", 1)])
def test_run_outlives_its_server(probe: Probe, line: str, code: int) -> None:
    os.mkfifo(probe.folder / "pipe")
    with probe.popen(f"exec {line}") as client:
        with open(probe.folder / "pipe", "w", encoding="utf-8") as pipe:
            assert client.stdout and probe.server
            if "wait" in line:
                assert client.stdout.readline().startswith("ready")
            probe.server.kill()
            probe.server.wait()
            pipe.write("the text")
            if "wait" in line:
                client.terminate()
        output, errors = client.communicate(timeout=60)
    assert client.returncode == code
    assert ("the text" in output) if code == 7 else ("mcode threads list" in errors)


def test_forty_runs_at_once_are_apart(probe: Probe) -> None:
    line = "for n in $(seq 40); do echo text $n | $P read $n > out$n & done; wait"
    _, _, errors = probe.run(line)
    texts = [(probe.folder / f"out{n}").read_text().strip() for n in range(1, 41)]
    assert texts == [f"text {n}" for n in range(1, 41)]
    assert errors.count("cold") < 40


def test_a_run_is_handed_back(probe: Probe) -> None:
    code, output, errors = probe.run("trap '' INT; $P back 5; echo $?")
    assert (code, output, errors) == (0, "goes on\n5\n", "cold\n")
