"""Pieces of a stage, and what they show."""

from __future__ import annotations


def only(pieces, name, kind=None, role=None):
    """The one piece of a name, class and role."""
    found = [
        p for p in pieces if p.name == name and (kind is None or type(p) is kind) and (role is None or p.role == role)
    ]
    assert len(found) == 1, [(p.name, type(p).__name__, p.role) for p in pieces]
    return found[0]


def center_line(piece, k, count):
    """The middles of the rings of a tube."""
    m = len(piece.profile.points)
    return piece.points(k)[: count * m].reshape(count, m, 3).mean(axis=1)
