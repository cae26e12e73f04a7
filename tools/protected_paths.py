"""Protected names: files that configure this agent or other tools, in one list for all.

Every mode asks before a change of them; in the sandbox they are read-only, and in the project's
uppermost folder they cannot be created.
"""

import re

from ..config.security.path_variants import to_canonical_path

# as they are usually spelled
_NAMES = {
    "git": ".git git~1 .gitmodules .gitconfig .githooks .gitattributes",
    "this agent": ".llc .llc.yaml .maxagent .mcp.json mcp.json MAXAGENT.md AGENTS.md AGENT.md",
    "other agents": """
        .agents .aider.conf.yml .augment .claude .claude.json .cline .clinerules .codex .continue
        .crush .cursor .cursorrules .factory .gemini .goosehints .junie .kilocode .kiro .opencode
        .qwen .roo .roorules .rules .trae .windsurf .windsurfrules AGENTS.override.md CLAUDE.md
        CLAUDE.local.md copilot-instructions.md CRUSH.md GEMINI.md opencode.json opencode.jsonc
        QWEN.md .amazonq .roomodes crush.json WARP.md
    """,
    "editors": """
        .devcontainer .devcontainer.json .dir-locals.el .exrc .fleet .idea .lvimrc .nvim.lua .nvimrc
        .vim .vimrc .vs .vscode .zed
    """,
    "continuous integration": """
        .buildkite .circleci .drone.yml .gitlab-ci.yml .travis.yml .woodpecker .woodpecker.yml
        appveyor.yml .appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml Jenkinsfile
        .azure-pipelines .build.yml .builds .cirrus.star .cirrus.yml .drone.jsonnet .drone.star
        .semaphore .tekton codemagic.yaml
    """,
    "hooks": """
        .husky .lefthook .overcommit.yml .pre-commit-config.yaml prek.toml
        lefthook.yml lefthook.yaml lefthook.toml lefthook.json
        .lefthook.yml .lefthook.yaml .lefthook.toml .lefthook.json
        lefthook-local.yml lefthook-local.yaml lefthook-local.toml lefthook-local.json
        .lefthook-local.yml .lefthook-local.yaml .lefthook-local.toml .lefthook-local.json
    """,
    "package managers": """
        .bazelrc .mise .mise.local.toml .mise.toml .mvn .npmrc .pnpmfile.cjs .pnpmfile.mjs .yarnrc
        .yarnrc.yml bunfig.toml mise.local.toml mise.toml
    """,
    "debuggers and interpreters": """
        .gdbinit .ghci .irbrc .lldbinit .ocamlinit .pdbrc .pryrc .Rprofile
    """,
    "shells": """
        .bash_aliases .bash_login .bash_logout .bash_profile .bashrc .cshrc .envrc .inputrc .kshrc
        .login .profile .ripgreprc .tcshrc .xinitrc .xprofile .xsession .zlogin .zlogout .zprofile
        .zshenv .zshrc
    """,
}
SPELLINGS = tuple(name for names in _NAMES.values() for name in names.split())
# files, and folders with all they hold, in any folder; in lower case
PROTECTED = frozenset(to_canonical_path(name) for name in SPELLINGS)

# names that are protected only right below a folder
INSIDE = {
    ".github": re.compile(r"workflows|actions|instructions|prompts|agents|chatmodes"),
    ".gitea": re.compile(r"workflows"),
    ".forgejo": re.compile(r"workflows"),
    ".hg": re.compile(r"hgrc(-not-shared)?"),
    ".cargo": re.compile(r"config(\.toml)?"),
    ".bundle": re.compile(r"config"),
    ".config": re.compile(r"mise(\.toml)?|lefthook(-local)?\.(ya?ml|toml|json)"),
    ".yarn": re.compile(r"releases|plugins"),
    "hooks": re.compile(
        r"(applypatch-msg|(pre|post)-[a-z-]+|prepare-commit-msg|commit-msg|fsmonitor-watchman"
        r"|proc-receive|reference-transaction|sendemail-validate|update|push-to-checkout)"
    ),
}
# programs that installers write: a shell or an editor starts them by their name alone
PROGRAM_FOLDERS = {
    ".venv": re.compile(r"bin|scripts"),
    "venv": re.compile(r"bin|scripts"),
    "node_modules": re.compile(r"\.bin"),
}


def find_protected_name(path: str, *, programs: bool = False) -> str:
    """Find the protected part of a path, in any spelling; empty if there is none.

    `programs`: also the folders of installed programs.
    """
    inside = INSIDE | PROGRAM_FOLDERS if programs else INSIDE
    above = ""
    for part in re.split(r"[/\\]", path):
        name = to_canonical_path(part)
        workspace = name.endswith(".code-workspace")
        if name in PROTECTED or workspace or (above in inside and inside[above].fullmatch(name)):
            return part
        above = name
    return ""
