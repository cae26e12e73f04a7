# pyright: basic, reportMissingImports=false
"""MaxAgent as an agent of Harbor, the runner of Terminal-Bench; runs in Harbor's environment.

    PYTHONPATH=evals/bench harbor run -a harbor_agent:MaxAgent -m provider/model …

See `docs/benchmarks.md`.
"""

import json
import shlex
from pathlib import Path
from typing import Annotated, Any, Literal, override

from harbor.agents.capabilities import AgentCapabilities
from harbor.agents.installed.base import BaseInstalledAgent, with_prompt_template
from harbor.agents.options import Cli, InstalledAgentOptions
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext
from harbor.models.trial.config import TaskConfig
from harbor.models.trial.paths import EnvironmentPaths
from harbor_limits import keep_back, read_time_limit
from pydantic import Field

LIMIT_REACHED = 3
SETTINGS = {"LLC_SANDBOX__MODE": "off", "NO_COLOR": "1"}
EVENTS, ERRORS, TRAJECTORY, EXIT_CODE = (
    "mcode.jsonl",
    "mcode.stderr",
    "trajectory.json",
    "mcode.exit",
)
INSTALL = (
    "command -v uv || curl -LsSf https://astral.sh/uv/install.sh | sh; "
    'export PATH="$HOME/.local/bin:$PATH"; uv tool install --python 3.12 {package}'
)
PATH = 'export PATH="$HOME/.local/bin:$PATH"; '


class MaxAgentOptions(InstalledAgentOptions):
    """What `--ak NAME=VALUE` may set."""

    package: str = Field("maxagent", description="What pip installs, such as the URL of a wheel.")
    max_turns: Annotated[int | None, Cli("--max-turns")] = Field(
        None, description="Model turns of a trial."
    )
    max_cost: Annotated[float | None, Cli("--max-cost")] = Field(
        None, description="US dollars of a trial, at list prices."
    )
    thinking: Annotated[Literal["auto", "enabled", "disabled"] | None, Cli("--thinking")] = Field(
        None, description="When the model thinks."
    )


class MaxAgent(BaseInstalledAgent):
    """Runs `mcode task` without questions, and hands Harbor its trajectory."""

    capabilities = AgentCapabilities(atif=True)
    options_model = MaxAgentOptions
    options: MaxAgentOptions

    @staticmethod
    @override
    def name() -> str:
        return "maxagent"

    @override
    def get_version_command(self) -> str | None:
        return f"{PATH}mcode --version"

    @override
    def parse_version(self, stdout: str) -> str:
        return stdout.strip().split()[-1]

    @override
    async def install(self, environment: BaseEnvironment) -> None:
        await self.ensure_system_dependencies(environment, ("curl", "git", "ca_certificates"))
        version = f"=={self._version}" if self._version else ""
        package = shlex.quote(f"{self.options.package}{version}")
        await self.exec_as_agent(environment, command=INSTALL.format(package=package))

    @override
    @with_prompt_template
    async def run(
        self, instruction: str, environment: BaseEnvironment, context: AgentContext
    ) -> None:
        if not self.model_name:
            raise ValueError("MaxAgent needs a model: -m PROVIDER/MODEL")
        await self.exec_as_agent(
            environment, command=self._build_command(instruction), env=dict(SETTINGS)
        )

    def _build_command(self, instruction: str) -> str:
        """Return one command: the task, then the export, whatever the task has ended with."""
        logs = EnvironmentPaths.agent_dir
        events, errors, trajectory, code = (
            shlex.quote((logs / name).as_posix())
            for name in (EVENTS, ERRORS, TRAJECTORY, EXIT_CODE)
        )
        limit = self._find_limit()
        flags = [
            *("--model", self.model_name, "--mode", "auto", "--apply", "--trust"),
            *("--output", "stream-json"),
            *(["--timeout", f"{keep_back(limit):.0f}"] if limit else []),
        ]
        arguments = shlex.join([*map(str, flags), *shlex.split(self.build_cli_flags())])
        request = shlex.quote(instruction)
        return (
            f"{PATH}mcode task {arguments} -- {request} < /dev/null > {events} 2> {errors}; "
            f"code=$?; echo $code > {code}; "
            f'thread=$(grep -m 1 -o \'"thread_id": *"[^"]*"\' {events} | cut -d \'"\' -f 4); '
            f'mcode threads export "$thread" {trajectory} --format atif >> {errors} 2>&1; '
            f"tail -c 4000 {errors} >&2; "
            f"[ $code -eq {LIMIT_REACHED} ] || exit $code"
        )

    def _find_limit(self) -> float | None:
        """Return the seconds of this trial; without its files no limit is passed on."""
        try:
            return read_time_limit(self.logs_dir.parent, locate_task)
        except (OSError, KeyError, ValueError) as error:
            self.logger.warning("The trial's time limit cannot be read: %s", error)
            return None

    @override
    def populate_context_post_run(self, context: AgentContext) -> None:
        metrics = read_json(self.logs_dir / TRAJECTORY).get("final_metrics") or {}
        context.n_input_tokens = metrics.get("total_prompt_tokens")
        context.n_output_tokens = metrics.get("total_completion_tokens")
        context.n_cache_tokens = metrics.get("total_cached_tokens")
        context.cost_usd = metrics.get("total_cost_usd")
        code = self.logs_dir / EXIT_CODE
        if code.exists():
            context.metadata = {"exit_code": int(code.read_text("utf-8"))}


def locate_task(task: Any) -> Path:
    """Return the folder of the task that a trial's configuration names."""
    return TaskConfig.model_validate(task).get_local_path()


def read_json(file: Path) -> dict[str, Any]:
    """Return a JSON object; empty where there is none."""
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
