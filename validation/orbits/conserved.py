"""An undamped craft tumbles in orbit for 1500 s: what it keeps of its energy and of its momentum about the center."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.orbits.orbit_boom import FIELD


def build(theory: str) -> fm.SpatialModel:
    """A hull with a boom, askew in its orbit, without damping."""
    m = fm.SpatialModel("craft", gravity=FIELD)
    tilt = fm.rotation_vector((0.3, -0.2, 0.5))
    hull = m.add_body("hull", mass=40.0, inertia=(3.0, 4.0, 5.0), orientation=tilt)
    given = fm.spatial.BeamProperties(
        EA=1e6, EIy=300.0, EIz=300.0, GJ=200.0, rhoA=0.4, rhoIp=2e-3, rhoIy=1e-3, rhoIz=1e-3
    )
    options: dict[str, Any] = {"elements": 4} if theory in ("exact", "ancf") else {}
    m.add_beam(
        "boom", hull.attach("root", (0.5, 0, 0)), tuple(tilt.apply((8.5, 0, 0))), properties=given, theory=theory,
        y_axis=tuple(tilt.apply((0, 1.0, 0))), **options,
    )  # fmt: skip
    m.set_rigid_motion((1e-3, 2e-3, -1e-3), (1e-3, -2e-3, 3e-3), about=(0, 0, 0))
    return m


def main() -> None:
    """Print by how much both change."""
    for theory in ("cms", "exact"):
        run = fm.simulate(build(theory), 1500.0, tolerance=1e-10, progress=False)
        whole, (o, speed) = run.whole, FIELD.origin(run.t)
        S = whole.mass[:, None] * whole.center_of_mass
        about = whole.angular_momentum_about((0, 0, 0)) + np.cross(o, whole.momentum) + np.cross(S, speed)
        print(
            f"{theory}: momentum about the center, less that of the origin, to {np.abs(about - about[0]).max():.1e} "
            f"N m s; energy to {np.abs(run.energy.balance).max():.1e} J, of which the origin gives "
            f"{np.ptp(run.energy.input):.1e} J"
        )


if __name__ == "__main__":
    main()
