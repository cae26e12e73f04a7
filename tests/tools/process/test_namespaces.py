import os

import pytest

from maxagent.tools.process.namespaces import Namespaces


def test_close_closes_every_descriptor_once() -> None:
    reader, writer = os.pipe()
    namespaces = Namespaces([reader, writer])
    namespaces.close()
    namespaces.close()
    for descriptor in (reader, writer):
        with pytest.raises(OSError):
            os.fstat(descriptor)
