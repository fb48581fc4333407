"""Arms of several links for tests of inverse kinematics."""

from __future__ import annotations

from typing import Any

import flexmb as fm

LENGTHS = (1.0, 0.8, 0.6)


def chain(count: int, dimension: int = 2, **options: Any) -> fm.PlanarModel | fm.SpatialModel:
    """Links one behind the other along x, with hinges about z; the last one has a frame 'hand' at its end."""
    m: Any = fm.PlanarModel("arm", **options) if dimension == 2 else fm.SpatialModel("arm", **options)
    before, x = m.ground, 0.0
    for k, length in enumerate(LENGTHS[:count]):
        place = (x + 0.5 * length, 0.0, 0.0)[:dimension]
        inertia = 0.1 if dimension == 2 else (0.1, 0.1, 0.1)
        link = m.add_body(f"link{k}", mass=1.0, inertia=inertia, position=place)
        ends = [link.attach(name, (s * length, 0.0, 0.0)[:dimension]) for name, s in (("near", -0.5), ("far", 0.5))]
        more = {} if dimension == 2 else {"axis": "z"}
        m.revolute(before, ends[0], name=f"joint{k}", **more)
        before, x = ends[1], x + length
    return m


def names(count: int) -> list[str]:
    return [f"joint{k}.angle" for k in range(count)]
