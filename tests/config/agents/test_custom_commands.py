from pathlib import Path

import pytest

from maxagent.config.agents.custom_commands import CustomCommand, load_custom_commands
from maxagent.config.trust.decision import check_trust, trust


class Place:
    """A project and a home."""

    def __init__(self, folder: Path) -> None:
        self.project, self.home = folder / "project", folder / "home"
        self.project.mkdir()

    def write(self, path: str, text: str) -> Path:
        file = self.home.parent / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    @property
    def commands(self) -> dict[str, CustomCommand]:
        return dict(
            load_custom_commands(self.project, self.home, check_trust(self.project, self.home))
        )


@pytest.fixture
def world(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_custom_command_reads_prompt_description_agent_and_model(world: Place) -> None:
    file = world.write(
        "home/commands/git/review.md",
        "---\ndescription: Look: closely\nargument-hint: [file] [why]\nagent: plan\n"
        "model: openai/gpt-4o\n---\n\nReview @$1.\n",
    )
    assert world.commands == {
        "git:review": CustomCommand(
            "git:review",
            file,
            "Review @$1.",
            "Look: closely",
            "[file] [why]",
            "plan",
            "openai/gpt-4o",
        )
    }


def test_without_front_matter_the_first_line_says_it(world: Place) -> None:
    world.write("home/commands/fix.md", "# Fix it\nNow.")
    command = world.commands["fix"]
    assert (command.description, command.prompt) == ("Fix it", "# Fix it\nNow.")


def test_what_other_agents_files_have_besides_is_noted(world: Place) -> None:
    world.write(
        "home/commands/a.md",
        "---\nallowed-tools: Bash(git add:*), Read\nargument-hint: [file]\n"
        "description:\nmodel: sonnet\n---\nGo",
    )
    command = world.commands["a"]
    assert (command.argument_hint, command.description, command.model) == ("[file]", "Go", "")
    assert command.notes == (
        "`allowed-tools` has no effect here",
        "`sonnet` is not PROVIDER/MODEL, so the thread's model is used",
    )


def test_trusted_project_command_replaces_user_command(world: Place) -> None:
    own = world.write("home/commands/a.md", "mine")
    world.write("project/.claude/commands/a.md", "theirs")
    assert world.commands["a"].prompt == "mine"
    trust(world.project, world.home)
    command = world.commands["a"]
    assert (command.prompt, command.notes) == ("theirs", (f"replaces {own}",))


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a", "---\ndescription: x\n---\n \n", "no message"),
        ("a", "---\ndescription: x\n", "no end"),
        ("a", "---\na: [\n  b\n---\nx", "not YAML"),
        ("a b", "x", "must not contain spaces"),
        ("a\x1b", "x", "must not contain spaces"),
    ],
)
def test_unusable_command_explains_fault_without_affecting_others(
    world: Place, name: str, text: str, reason: str
) -> None:
    world.write(f"home/commands/{name}.md", text)
    world.write("home/commands/good.md", "x")
    commands = world.commands
    assert reason in commands[name].fault and commands[name].prompt == ""
    assert commands["good"].fault == ""
