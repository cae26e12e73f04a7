"""`mcode profiles`, and the option that chooses one."""

import json

from program import Program


def test_profiles_are_listed_and_chosen(program: Program) -> None:
    assert "NAME.yaml" in program.run("profiles").stdout
    folder = program.home / "profiles"
    folder.mkdir(parents=True)
    (folder / "work.yaml").write_text("model: {default: openai/work}\n")
    (row,) = json.loads(program.run("--profile", "work", "profiles", "--json").stdout)
    assert (row["name"], row["in_use"]) == ("work", True)
    assert "work" in program.run("profiles").stdout
    chosen = program.run("--profile", "work", "config", "get", "model.default", LLC_MODEL="")
    assert chosen.stdout.strip() == "openai/work"
    wrong = program.run("--profile", "other", "config", "get", "model.default")
    assert wrong.code == 2 and "no profile" in wrong.stderr
