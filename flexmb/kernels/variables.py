"""Variables with names that compiled code changes: the fields of one record.

A compiled loop remembers numbers between its steps: the time, the size of the next step, counts. Compiled code cannot
assign to the fields of a named tuple. Of a subclass of :class:`Variables` each annotation is a field of a NumPy record,
which Numba reads and writes by its name, in memory that Python reads too.

Numba asks each record for its memory when Python passes it to compiled code. This must run no line of Python, which
Ctrl-C could end: of several records in one named tuple Numba asks the next, though the last one raised. NumPy's own
`record`, which finds fields by a method in Python, would then report that there is no memory, or crash.
"""

from __future__ import annotations

import inspect
from operator import itemgetter
from typing import Any, ClassVar, Self

import numpy as np

_Record: Any = np.void
#: how fields lie in memory, by their annotations
_STORED = {"float": np.float64, float: np.float64, "int": np.int64, int: np.int64}


class Variables(_Record):  # type: ignore[misc]
    """A record of numbers; subclasses say its fields by annotations, `float` or `int`, and inherit those above.

    >>> class Clock(Variables):
    ...     time: float
    ...     steps: int
    >>> clock = Clock.zeros()
    >>> clock.time += 0.5
    >>> clock
    Clock(time=0.5, steps=0)
    """

    fields: ClassVar[tuple[str, ...]]
    _layout: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        said: dict[str, Any] = {}
        for of in reversed(cls.__mro__):
            if of is not Variables and issubclass(of, Variables):
                said |= inspect.get_annotations(of)
        taken = next((name for name in said if hasattr(_Record, name)), None)
        if taken is not None:
            raise TypeError(
                f"{cls.__name__}.{taken}: {taken!r} means something else of NumPy's records; take another name"
            )
        cls.fields = tuple(said)
        for name in said:
            setattr(cls, name, property(itemgetter(name)))
        cls._layout = np.dtype((cls, [(name, _STORED[kind]) for name, kind in said.items()]))

    @classmethod
    def zeros(cls) -> Self:
        """A record in which all variables are zero."""
        record: Self = np.zeros(1, cls._layout)[0]
        return record

    def __setattr__(self, name: str, value: float) -> None:
        if name not in self.fields:
            raise AttributeError(f"{type(self).__name__} has no variable {name!r}; it has {', '.join(self.fields)}")
        self[name] = value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={self[name].item()!r}' for name in self.fields)})"

    __str__ = __repr__
