"""Tables of studies, held against one another."""

from __future__ import annotations


def same(one, other):
    """Two tables, bit by bit."""
    a, b = one.table, other.table
    assert list(a) == list(b)
    for name in a:
        assert a[name].dtype == b[name].dtype
        if a[name].dtype == object:
            assert [repr(v) for v in a[name]] == [repr(v) for v in b[name]]
        else:
            assert a[name].tobytes() == b[name].tobytes()
