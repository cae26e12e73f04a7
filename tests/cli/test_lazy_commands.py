import subprocess
import sys

from typer.main import get_command

from maxagent.cli.app import ALIASES, COMMANDS, app
from maxagent.cli.lazy_commands import LazyCommands


def test_every_command_is_built_under_its_name() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert [command.name for command in commands.values()] == [*COMMANDS, *ALIASES]
    assert {"list", "compact", "answer", "import"} <= set(commands["threads"].commands)


def test_a_lookup_imports_only_its_own_command() -> None:
    code = (
        "import sys; from maxagent.cli.app import COMMANDS\n"
        "from maxagent.cli.lazy_commands import LazyCommands\n"
        "commands = LazyCommands(COMMANDS); prepared = []\n"
        "commands.prepare_each(prepared.append); commands['trust']; commands['trust']\n"
        "print([name for name in sys.modules if name.startswith('maxagent.cli.commands.')],"
        " len(prepared))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["['maxagent.cli.commands.trust']", "1"]


def test_commands_built_before_are_prepared_too() -> None:
    commands, prepared = LazyCommands(COMMANDS), list[object]()
    command = commands["diff"]
    commands.prepare_each(prepared.append)
    assert prepared == [command]
