r"""
A floor carries, on average, the weight of all that bounces on it
=================================================================

Twelve balls fall into a box. While they bounce, the force on the floor jumps between nothing and many times their
weight. But its impulse is what the balls have gained: :math:`\int F\,dt = m g t + \Delta p`. The walls are smooth, and
a ball that touches others pushes them by the same force that it gets.
"""

import numpy as np

import flexmb as fm

G, RADIUS, SIDE, T_END = 9.81, 0.05, 0.16, 1.2
model = fm.SpatialModel("balls", gravity=(0, 0, -G))
ball, law = fm.Sphere(radius=RADIUS), {"stiffness": 2e5, "damping": 0.3}
walls = {"floor": ((0, 0, 0), "z"), "left": ((-SIDE, 0, 0), "x"), "front": ((0, -SIDE, 0), "y")}
walls |= {"right": ((SIDE, 0, 0), (-1, 0, 0)), "back": ((0, SIDE, 0), (0, -1, 0))}
at = {name: (model.ground.attach(name, place), fm.HalfSpace(way)) for name, (place, way) in walls.items()}
frames = []
for k in range(12):
    place = (0.05 * np.cos(2.4 * k), 0.05 * np.sin(2.4 * k), 0.15 + 0.11 * k)
    frames.append(model.add_body(f"ball {k}", shape=ball, density=1000, position=place).frame)
    for name, (frame, space) in at.items():
        model.contact(frame, frames[-1], space, ball, name=f"{name} {k}", **law)
model.contact_among(frames, ball, **law)
solution = fm.simulate(model, T_END, "dop853")

mass = 12 * 1000 * 4 / 3 * np.pi * RADIUS**3
force = sum(solution[f"floor {k}"].normal_force for k in range(12))
impulse = np.trapezoid(force, solution.t)
gained = mass / 12 * sum(solution[f"ball {k}.vz"][-1] for k in range(12))
print(f"impulse of the floor {impulse:.3f} Ns, weight and momentum {mass * G * T_END + gained:.3f} Ns")
assert abs(impulse / (mass * G * T_END + gained) - 1.0) < 0.01

solution.view(camera=(1.0, -2.0, 0.8), forces=False)
