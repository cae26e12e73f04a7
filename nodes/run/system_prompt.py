"""An agent's system prompt: its own text, the user's, the environment, the instruction files.

It never changes in a run, and in a thread only if the user has changed one of these.
"""

import platform
from collections.abc import Sequence

from langchain_core.messages import SystemMessage

from ...config.agents.profile import AgentProfile
from ...config.instructions.discovery import Instruction
from ...config.settings.schema import AgentSettings, AgentsSection
from ...models.cassette.canonical_request import FOLDER
from ...models.prompt_addenda import find_addenda
from ..messages.instruction_blocks import format_instructions

TEMPLATE = """{words}

The project is `{folder}` ({system}). Tools take paths relative to it."""


def build_system_prompt(
    profile: AgentProfile,
    folder: str,
    agents: AgentsSection,
    instructions: Sequence[Instruction] = (),
    model: str = "",
    skills: Sequence[str] = (),
) -> SystemMessage:
    """Return the first message of every request of this agent; the same bytes each time.

    `model` is the `PROVIDER/MODEL` that reads it, `skills` are whole skills.
    """
    own: object = getattr(agents, profile.name, None)
    added = own.system_prompt.strip() if isinstance(own, AgentSettings) else ""
    words = "\n\n".join(filter(None, (profile.prompt, *find_addenda(model), added)))
    text = TEMPLATE.format(words=words, folder=folder, system=platform.system())
    text = "\n\n".join(filter(None, (text, *skills, format_instructions(instructions))))
    return SystemMessage(text, id=f"system-{profile.name}", additional_kwargs={FOLDER: folder})
