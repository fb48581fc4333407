"""Where the hooks hold on in Numba."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher

from flexmb.kernels.hooks import places


def test_every_private_attribute_that_the_hooks_use_is_in_the_list():
    listed = {name for names in places.PLACES.values() for name in names}
    for file in Path(places.__file__).parent.glob("*.py"):
        nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        own = {x.name for x in nodes if isinstance(x, ast.FunctionDef)}
        own |= {x.attr for x in nodes if isinstance(x, ast.Attribute) and isinstance(x.ctx, ast.Store)}
        own |= {x.id for x in nodes if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
        used = {x.attr for x in nodes if isinstance(x, ast.Attribute) and x.attr.startswith("_")}
        assert {x for x in used - own - {"_replace"} if not x.startswith("__")} <= listed, file.name


def test_nothing_is_missing_in_this_version():
    assert places.missing() == []


@pytest.mark.parametrize("owner, name", [(CompileResult, "_reduce"), (FunctionIdentity, "_unique_ids")])
def test_what_another_version_lacks_is_named(owner, name, monkeypatch):
    monkeypatch.delattr(owner, name)
    assert places.missing() == [f"{owner.__module__}:{owner.__name__}.{name}"]


def test_what_another_version_calls_otherwise_is_named(monkeypatch):
    def otherwise(self, py_func, targetoptions=None, pipeline_class=None):
        """As in a version without `locals`."""

    monkeypatch.setattr(Dispatcher, "__init__", otherwise)
    assert "numba.core.dispatcher:Dispatcher.__init__" in places.missing()


def test_a_module_that_has_moved_is_named(monkeypatch):
    monkeypatch.setitem(places.PLACES, "numba.core.elsewhere:Library", ("compile",))
    assert places.missing() == ["numba.core.elsewhere:Library.compile"]
