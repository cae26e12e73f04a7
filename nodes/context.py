"""Context: what one run is given besides the thread; plain data, so Studio can offer a form."""

from dataclasses import dataclass

from ..config.settings.schema import ApprovalMode


@dataclass(frozen=True)
class Context:
    """Overrides for one run; empty means what the thread or the configuration says."""

    home: str = ""
    """The user's MaxAgent folder; empty: `MAXAGENT_HOME` or `~/.llc`."""
    mode: str = ""
    """Approval mode."""
    model: str = ""
    """`PROVIDER/MODEL`."""
    base_url: str = ""
    """Endpoint of the model."""

    def restrict_mode(self, mode: ApprovalMode) -> ApprovalMode:
        """The approval mode that holds where the thread and the configuration say this one."""
        return mode

    def check_endpoint(self, base_url: str) -> None:
        """Raise UsageError where this endpoint may not be asked."""
