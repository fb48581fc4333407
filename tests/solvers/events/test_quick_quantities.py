"""Places and velocities of frames in space that events read at once, against those of the solution."""

from __future__ import annotations

import flexmb as fm
from flexmb.solvers.events.quick_quantities import quick


def test_frames_in_space():
    model = fm.SpatialModel("a body that tumbles", gravity=(0, 0, -9.81))
    body = model.add_body("body", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0.1, 0.2, 0.3))
    body.frame.move((1.0, 2.0, 3.0), (0.5, -0.4, 0.7))
    body.attach("tip", (0.3, -0.2, 0.5))
    model.ground.attach("post", (0.4, 0.5, 0.6))
    solution = fm.simulate(model, 0.5, progress=False)
    system = solution.source.system
    for name in ("body", "body.tip", "post"):
        for what in ("x", "y", "z", "vx", "vy", "vz"):
            found = quick(fm.crossing(f"{name}.{what}", 0.0), system, solution.layout)
            assert found is not None
            q, v = system.full_q(solution.q[-1]), system.full(solution.v[-1])
            assert abs(found(0.5, q, v) - float(solution[f"{name}.{what}"][-1])) < 1e-14
