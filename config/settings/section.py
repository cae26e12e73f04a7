"""The base of each part of the configuration."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A part of the configuration: an unknown key is an error, never ignored."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, protected_namespaces=()
    )
