"""What a study knows of the function that it runs, without calling it: its name, its arguments, its code."""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import inspect
import sys
import sysconfig
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from flexmb.errors import ModelError
from flexmb.studies.outcomes import taken
from flexmb.studies.parameters import Parameters

#: folders of the code that others wrote; flexmb's version stands in the file of a study
_INSTALLED = tuple({str(Path(sysconfig.get_path(kind)).resolve()) for kind in ("stdlib", "purelib", "platlib")})


def function_name(run: Callable[..., Any]) -> str:
    """The name of a function in files: its module, its own name, and the arguments that a partial fixes."""
    if isinstance(run, functools.partial):
        fixed = [*map(repr, run.args), *(f"{k}={v!r}" for k, v in run.keywords.items())]
        return f"{function_name(run.func)}({', '.join(fixed)})"
    named = run if hasattr(run, "__qualname__") else type(run)
    module = getattr(named, "__module__", None) or "?"
    if module == "__main__":  # a script has the same name when it is started and when it is imported
        main = sys.modules["__main__"]
        spec = getattr(main, "__spec__", None)
        module = spec.name if spec is not None else Path(getattr(main, "__file__", None) or "__main__").stem
    return f"{module}.{named.__qualname__}"


def check_arguments(run: Callable[..., Any], parameters: Parameters, where: str) -> None:
    """Check that the function takes the parameters."""
    try:
        signature = inspect.signature(run)
    except (TypeError, ValueError):  # a compiled function may have no signature
        return
    try:
        signature.bind(**parameters)
    except TypeError as why:
        raise ModelError(f"{where}: the parameters do not fit the function: {why}") from None


def check_results(run: Callable[..., Any], parameters: Parameters, where: str) -> None:
    """Check the names of results that the function spells out where it returns them."""
    for name in _returned_names(run):
        if why := taken(name, parameters):
            raise ModelError(f"{where}: the function returns {why}")


def _returned_names(run: Callable[..., Any]) -> Iterator[str]:
    """Names in `return {"name": …}` and `return dict(name=…)`, as the source has them."""
    inner = run.func if isinstance(run, functools.partial) else run
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inner)))
    except (OSError, TypeError, SyntaxError):  # typed into Python, or not written in it
        return
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:  # a decorator may give other names
            for value in _returned(node.body):
                if isinstance(value, ast.Dict):
                    yield from (k.value for k in value.keys if isinstance(k, ast.Constant) and isinstance(k.value, str))
                elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict":
                    yield from (k.arg for k in value.keywords if k.arg is not None)


def _returned(nodes: list[Any]) -> Iterator[ast.expr]:
    """What statements return, without those of functions defined among them."""
    for node in nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield from _returned(list(ast.iter_child_nodes(node)))


# -- whether it has changed -------------------------------------------------------------------------------------------


def fingerprint(run: Callable[..., Any]) -> str:
    """The version of Python, and a digest of what a function does in it: of its byte code, of that of the functions
    of the user that it calls, and of the numbers and texts that it takes from their modules. Comments, docstrings and
    places in files do not count. Empty if the function is not written in Python."""
    while isinstance(run, functools.partial):  # its arguments are part of the name of the function
        run = run.func
    inner = run if hasattr(run, "__qualname__") else type(run).__call__
    code = _Code(getattr(inner, "__module__", ""))
    code.follow(inner)
    digest = hashlib.sha256(repr(code.parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{sys.implementation.cache_tag} {digest}" if code.parts else ""


def has_changed(now: str, before: str) -> bool:
    """Whether two fingerprints are of one version of Python, and of different code."""
    return bool(now and before) and now.split()[0] == before.split()[0] and now != before


class _Code:
    """Texts that say what functions are made of, in the order in which they are met."""

    def __init__(self, home: str) -> None:
        self.parts: list[str] = []
        self._home = home
        self._seen: set[int] = set()

    def follow(self, thing: Any, names: tuple[str, ...] = ()) -> None:
        """Note what there is to note of a value. `names` are those by which a function asks modules for something."""
        if isinstance(thing, bool | int | float | complex | str | bytes | tuple | frozenset | None):
            self.parts.append(_plain(thing))
            return
        if id(thing) in self._seen:
            return
        self._seen.add(id(thing))
        thing = getattr(thing, "py_func", getattr(thing, "__func__", thing))  # of a compiled function, of a method
        if isinstance(thing, functools.partial):
            for part in (thing.func, *thing.args, *thing.keywords.values()):
                self.follow(part, names)
        elif isinstance(thing, ModuleType):
            if not self._of_others(thing.__name__, getattr(thing, "__file__", None)):
                for name in names:
                    self.follow(vars(thing).get(name), names)
        elif isinstance(thing, type):
            if not self._of_others(thing.__module__, getattr(sys.modules.get(thing.__module__), "__file__", None)):
                for member in vars(thing).values():
                    if isinstance(member, FunctionType):
                        self.follow(member)
        elif isinstance(thing, FunctionType) and not self._of_others(thing.__module__, thing.__code__.co_filename):
            self._function(thing)

    def _function(self, f: FunctionType) -> None:
        codes = list(_codes(f.__code__))
        names = tuple(sorted({name for code in codes for name in code.co_names if not name.startswith("__")}))
        self.parts.append(f.__qualname__)
        for code in codes:
            self.parts.append(code.co_code.hex())
            self.parts.append(repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)))
            constants = code.co_consts
            if constants and isinstance(constants[0], str) and constants[0] == f.__doc__:
                constants = constants[1:]
            self.parts += [_plain(constant) for constant in constants if not isinstance(constant, CodeType)]
        values = [*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()]
        for cell in f.__closure__ or ():
            with contextlib.suppress(ValueError):  # it has no value so far
                values.append(cell.cell_contents)
        for value in (*values, *(f.__globals__[name] for name in names if name in f.__globals__)):
            self.follow(value, names)

    def _of_others(self, module: str | None, file: str | None) -> bool:
        """Whether code belongs to Python, to an installed package or to flexmb."""
        if module == self._home:
            return False
        if module is None or module.partition(".")[0] == "flexmb" or file is None:
            return True
        return str(Path(file).resolve()).startswith(_INSTALLED)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Code and that of the functions defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _plain(value: Any) -> str:
    """A text of a plain value that is the same in every process; of others the type."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_plain, value))})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_plain, value)))}}}"
    plain = value is None or value is ... or isinstance(value, bool | int | float | complex | str | bytes)
    return f"{type(value).__name__} {value!r}" if plain else type(value).__qualname__
