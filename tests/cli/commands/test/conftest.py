from pathlib import Path

import pytest
from test_place import TestPlace


@pytest.fixture
def place(tmp_path: Path) -> TestPlace:
    return TestPlace(tmp_path)
