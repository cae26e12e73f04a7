"""To change what steers this agent, or other tools, is asked; what only looks like it is not."""

import pytest

from maxagent.tools.protected_paths import find_protected_name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (".git/hooks/pre-commit", ".git"),
        ("sub/.GIT/config", ".GIT"),
        (".git", ".git"),
        (".git ", ".git "),
        (".git. /x", ".git. "),
        (".git::$INDEX_ALLOCATION/x", ".git::$INDEX_ALLOCATION"),
        ("GIT~1/config", "GIT~1"),
        (".g\u200cit/config", ".g\u200cit"),
        (".g\u0131t/config", ""),
        ("sub\\.git\\config", ".git"),
        (".llc/plans/x.md", ".llc"),
        (".llc.yaml", ".llc.yaml"),
        (".mcp.json", ".mcp.json"),
        ("docs/AGENTS.md", "AGENTS.md"),
        ("docs/agents.md", "agents.md"),
        ("Claude.md", "Claude.md"),
        ("GEMINI.md.", "GEMINI.md."),
        (".cursorrules", ".cursorrules"),
        ("app.code-workspace", "app.code-workspace"),
        (".yarnrc.yml", ".yarnrc.yml"),
        (".forgejo/workflows/ci.yml", "workflows"),
        (".cursor/rules/a.mdc", ".cursor"),
        (".claude/commands/x.md", ".claude"),
        ("a/.opencode/x", ".opencode"),
        (".agents/skills/x/SKILL.md", ".agents"),
        (".github/workflows/ci.yml", "workflows"),
        (".GitHub/Workflows/ci.yml", "Workflows"),
        (".github/copilot-instructions.md", "copilot-instructions.md"),
        (".gitlab-ci.yml", ".gitlab-ci.yml"),
        (".circleci/config.yml", ".circleci"),
        ("Jenkinsfile", "Jenkinsfile"),
        (".cirrus.yml", ".cirrus.yml"),
        (".tekton/push.yaml", ".tekton"),
        ("sub/.hg/hgrc", "hgrc"),
        (".vscode/tasks.json", ".vscode"),
        (".zed/settings.json", ".zed"),
        (".husky/pre-commit", ".husky"),
        (".githooks/pre-push", ".githooks"),
        ("tools/hooks/post-checkout", "post-checkout"),
        (".pre-commit-config.yaml", ".pre-commit-config.yaml"),
        (".envrc", ".envrc"),
        (".gitmodules", ".gitmodules"),
        ("home/.bashrc", ".bashrc"),
        (".zshenv", ".zshenv"),
        ("sub/.gitattributes", ".gitattributes"),
        (".npmrc", ".npmrc"),
        (".cargo/config.toml", "config.toml"),
        (".bundle/config", "config"),
        (".pnpmfile.cjs", ".pnpmfile.cjs"),
        (".mvn/jvm.config", ".mvn"),
        (".pnpmfile.mjs", ".pnpmfile.mjs"),
        ("lefthook-local.yml", "lefthook-local.yml"),
        (".lefthook.toml", ".lefthook.toml"),
        ("web/lefthook.yaml", "lefthook.yaml"),
        (".config/lefthook.json", "lefthook.json"),
        ("prek.toml", "prek.toml"),
        (".mise/tasks/build", ".mise"),
        ("mise.local.toml", "mise.local.toml"),
        (".config/mise/config.toml", "mise"),
        (".yarn/releases/yarn-4.cjs", "releases"),
        (".yarn/plugins/x.cjs", "plugins"),
        (".bazelrc", ".bazelrc"),
        (".gdbinit", ".gdbinit"),
        (".Rprofile", ".Rprofile"),
        (".pdbrc", ".pdbrc"),
    ],
)
def test_protected_names_are_found_at_any_depth(path: str, name: str) -> None:
    assert find_protected_name(path) == name


@pytest.mark.parametrize(
    "path",
    [
        ".",
        "",
        ".github/CODEOWNERS",
        ".github/dependabot.yml",
        "workflows/a.py",
        "src/workflows/ci.yml",
        ".gitignore",
        ".hg/store/x",
        "src/hgrc",
        ".cargo/registry/x",
        ".venv/lib/x.py",
        ".gitkeep",
        "git/config.py",
        "src/agents.py",
        "my-agents.md",
        "docs/agents.md.txt",
        "docs/claude.txt",
        "cursor.md",
        "src/hooks/useState.ts",
        "src/hooks/update.ts",
        "hooks/README.md",
        "jenkins.py",
        "vscode/a",
        "bashrc",
        "https://example.org/project.git",
    ],
)
def test_names_that_only_look_alike_are_free(path: str) -> None:
    assert find_protected_name(path) == ""


@pytest.mark.parametrize(
    "path", [".venv/bin/git", "venv/Scripts/pip.exe", "web/node_modules/.bin/eslint"]
)
def test_installed_programs_are_protected_from_edits(path: str) -> None:
    assert find_protected_name(path) == ""
    assert find_protected_name(path, programs=True)
