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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, b: m.thruster(b, 1.0, lambda t, y: 1.0, opens=0.5, tank="tank"), "'tank' is neither a frame nor"),
        (lambda m, b: m.add_states("lag", lambda t, y, x: -x, start="x"), "states 'lag': start must be .*, not 'x'"),
        (lambda m, b: m.contact_among(None, fm.Sphere(radius=1.0), stiffness=1.0), "bodies must be a list, not None"),
        (lambda m, b: m.add_tank("tank", b, 2.0, center=lambda mass: 0.0), "center must be 3 numbers, not an object"),
        (lambda m, b: fm.denavit_hartenberg([(0, 0, 1, 0)], kinds=None), "kinds must be a text, not None"),
        (lambda m, b: m.add_body(["b"], mass=1.0), "a name that is a text, not"),
    ],
)
def test_what_was_once_a_raw_error(call, message):
    m = fm.SpatialModel("m")
    with pytest.raises(fm.errors.ModelError, match=message):
        call(m, m.add_body("body", mass=1.0, inertia=(1.0, 1.0, 1.0)))
