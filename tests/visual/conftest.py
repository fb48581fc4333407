"""Runs that the tests of pictures share."""

from __future__ import annotations

import pytest

import flexmb as fm
from tests.visual.mechanisms import pendulum, yard


@pytest.fixture(scope="session")
def swing():
    """A swing of the pendulum."""
    return fm.simulate(pendulum(), 0.6, step=0.005, progress=False)


@pytest.fixture(scope="session")
def work():
    """A run of a mechanism with nearly everything that can be drawn."""
    return fm.simulate(yard(), 0.1, step=1e-3, progress=False)
