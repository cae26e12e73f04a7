"""Context: what one run is given besides the thread; plain data, so Studio can offer a form."""

from dataclasses import dataclass


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
