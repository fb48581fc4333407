"""The quick validation cases hold."""

from __future__ import annotations

import pytest

from flexmb.validation import cases


@pytest.mark.parametrize("name", ["beam-frequencies", "four-bar", "slider-crank", "spin-up"])
def test_case_holds(name):
    failed = [check for check in cases()[name].compute() if not check.passed]
    assert not failed
