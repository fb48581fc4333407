r"""
Box of balls
============

*A floor carries, on average, the weight of all that bounces on it*

Twelve disks fall into a trough. While they bounce, the force on the floor jumps between nothing and many times their
weight. But its impulse is what weight and momentum say: :math:`\int F\,dt = m g t + \Delta p`. The walls are smooth,
and a disk that touches others pushes them by the same force that it gets.
"""

import numpy as np

import flexmb as fm

G, RADIUS, SIDE, T_END, COUNT = 9.81, 0.05, 0.2, 1.0, 12
model = fm.PlanarModel("disks in a trough", gravity=(0, -G))
disk, law = fm.Disk(radius=RADIUS), {"stiffness": 1e5, "damping": 0.3}
left, right = model.ground.attach("left", (-SIDE, 0)), model.ground.attach("right", (SIDE, 0))
frames = []
for k in range(COUNT):
    place = (0.11 * (k % 3 - 1) + 0.02 * (k % 2), 0.1 + 0.12 * (k // 3))
    frames.append(model.add_body(f"disk {k}", mass=1.0, inertia=1e-3, position=place).frame)
    model.contact(model.ground, frames[k], fm.HalfPlane("y"), disk, name=f"floor {k}", **law)
    model.contact(left, frames[k], fm.HalfPlane("x"), disk, name=f"left {k}", **law)
    model.contact(right, frames[k], fm.HalfPlane((-1, 0)), disk, name=f"right {k}", **law)
model.contact_among(frames, disk, **law)
solution = fm.simulate(model, T_END)

force = sum(solution[f"floor {k}"].normal_force for k in range(COUNT))
gained = sum(solution[f"disk {k}.vy"][-1] for k in range(COUNT))
impulse = np.trapezoid(force, solution.t)
print(f"impulse of the floor {impulse:.2f} Ns, weight and momentum {COUNT * G * T_END + gained:.2f} Ns")
assert abs(impulse / (COUNT * G * T_END + gained) - 1.0) < 0.01

solution.at(np.linspace(0.0, T_END, 51)).animate("disks.gif", fps=15)
