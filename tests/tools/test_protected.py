import pytest

from maxagent.tools.protected import protected_name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (".git/hooks/pre-commit", ".git"),
        ("sub/.GIT/config", ".GIT"),
        (".llc/plans/x.md", ".llc"),
        (".llc.yaml", ".llc.yaml"),
        ("docs/AGENTS.md", "AGENTS.md"),
        (".github/workflows/ci.yml", "workflows"),
        (".github/CODEOWNERS", ""),
        ("workflows/a.py", ""),
        (".gitignore", ""),
        ("src/agents.py", ""),
        ("https://example.org/project.git", ""),
    ],
)
def test_names_that_steer_tools_are_found_at_any_depth(path: str, name: str) -> None:
    assert protected_name(path) == name
