from __future__ import annotations

from pathlib import Path

import pytest
from door import Home


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)
