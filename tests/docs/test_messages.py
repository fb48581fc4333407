"""The page of messages is complete: every error and every warning says its cause and what to do."""

from __future__ import annotations

import inspect

import pytest

from docs.tools import reference
from docs.tools.messages import cause_and_remedy, page
from flexmb import errors

KINDS = [name for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, Exception)]


@pytest.mark.parametrize("name", KINDS)
def test_an_error_or_warning_says_its_cause_and_what_to_do(name):
    cause, remedy = cause_and_remedy(name)
    assert cause.rstrip().endswith(".")
    assert remedy.rstrip().endswith("."), f"{name} does not say what to do; begin a paragraph with: What to do:"


def test_the_page_has_all_of_them():
    text = page()
    assert len(KINDS) > 20 and sorted(KINDS) == sorted(reference.names("flexmb.errors"))
    assert all(f"\n{name}\n^^^" in text for name in KINDS)
