"""Protected names: files that configure this agent or other tools.

Every mode asks before a change of them.
"""

import re

from ..config.security.path_variants import to_canonical_path

_NAMES = {
    "git": ".git git~1 .gitmodules .gitconfig .githooks",
    "this agent": ".llc .llc.yaml .maxagent .mcp.json mcp.json maxagent.md agents.md agent.md",
    "other agents": """
        .agents .aider.conf.yml .augment .claude .claude.json .cline .clinerules .codex .continue
        .crush .cursor .cursorrules .factory .gemini .goosehints .junie .kilocode .kiro .opencode
        .qwen .roo .roorules .rules .trae .windsurf .windsurfrules agents.override.md claude.md
        claude.local.md copilot-instructions.md crush.md gemini.md opencode.json opencode.jsonc
        qwen.md .amazonq .roomodes crush.json warp.md
    """,
    "editors": """
        .devcontainer .devcontainer.json .dir-locals.el .exrc .fleet .idea .lvimrc .nvim.lua .nvimrc
        .vim .vimrc .vs .vscode .zed
    """,
    "continuous integration": """
        .buildkite .circleci .drone.yml .gitlab-ci.yml .travis.yml .woodpecker .woodpecker.yml
        appveyor.yml .appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile
        .azure-pipelines .build.yml .builds .cirrus.star .cirrus.yml .drone.jsonnet .drone.star
        .semaphore .tekton codemagic.yaml
    """,
    "hooks": """
        .husky .lefthook .lefthook.yml lefthook.yml .overcommit.yml .pre-commit-config.yaml
    """,
    "package managers": ".yarnrc .yarnrc.yml .mise.toml mise.toml",
    "shells": """
        .bash_aliases .bash_login .bash_logout .bash_profile .bashrc .cshrc .envrc .inputrc .kshrc
        .login .profile .ripgreprc .tcshrc .xinitrc .xprofile .xsession .zlogin .zlogout .zprofile
        .zshenv .zshrc
    """,
}
# files, and folders with all they hold, in any folder; in lower case
PROTECTED = frozenset(name for names in _NAMES.values() for name in names.split())

# names that are protected only right below a folder
_INSIDE = {
    ".github": re.compile(r"workflows|actions|instructions|prompts|agents|chatmodes"),
    ".gitea": re.compile(r"workflows"),
    ".forgejo": re.compile(r"workflows"),
    ".hg": re.compile(r"hgrc(-not-shared)?"),
    "hooks": re.compile(
        r"(applypatch-msg|(pre|post)-[a-z-]+|prepare-commit-msg|commit-msg|fsmonitor-watchman"
        r"|proc-receive|reference-transaction|sendemail-validate|update|push-to-checkout)"
    ),
}


def find_protected_name(path: str) -> str:
    """Find the protected part of a path, in any spelling; empty if there is none."""
    above = ""
    for part in re.split(r"[/\\]", path):
        name = to_canonical_path(part)
        workspace = name.endswith(".code-workspace")
        if name in PROTECTED or workspace or (above in _INSIDE and _INSIDE[above].fullmatch(name)):
            return part
        above = name
    return ""
