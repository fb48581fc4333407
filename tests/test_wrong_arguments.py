"""Wrong kinds for every argument of all that users call: flexmb's errors, and no others.

All kinds for each argument, and a table of what was tried: python -m tests.wrong_arguments
"""

from __future__ import annotations

import pytest

import flexmb as fm
from tests.wrong_arguments import NOT_MADE, callables, tried

#: how many kinds are tried of each argument, the same ones in every run
KINDS = 8
#: callables whose right call needs what no test of arguments has: a screen, another package, a model of its own
WITHOUT_RIGHT_CALL: frozenset[str] = frozenset()


@pytest.mark.parametrize("name", callables())
def test_wrong_arguments_are_refused_by_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = tried(name, KINDS)
    assert not found.raw
    assert found.good.startswith(NOT_MADE) == (name in WITHOUT_RIGHT_CALL), found.good


@pytest.mark.parametrize("name", callables())
def test_wrong_names_of_arguments_are_answered(name):
    """Functions are made so by answers_calls, classes by AnswersCalls (flexmb/model/hints.py)."""
    of, function, signature = callables()[name]
    if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        return  # it takes names that its own checks know
    if of is not None:
        function = getattr(of, name.rpartition(".")[2])
    with pytest.raises(fm.errors.UnknownArgumentError, match="there is no argument 'no_such_argument'"):
        function(no_such_argument=1)
