"""Namespaces of Linux that no process need hold: open descriptors keep them."""

import os
from collections.abc import Sequence


class Namespaces:
    """Descriptors of namespaces, each before the ones that it owns; closed with this object."""

    def __init__(self, descriptors: Sequence[int]) -> None:
        self.descriptors = tuple(descriptors)

    def close(self) -> None:
        """Close them; the last process inside ends the namespaces."""
        descriptors, self.descriptors = self.descriptors, ()
        for descriptor in descriptors:
            os.close(descriptor)
