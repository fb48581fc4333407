r"""
Satellite with jets
===================

*Jets hold a satellite between two limits, a tenth of a second at a time*

Two jets on an arm push a satellite back whenever its angle and rate, :math:`\theta + \tau\dot\theta`, leave a dead
zone. A jet is on or off, opens 20 ms after its law says so, and stays open for 0.1 s at least, in which it changes the
rate by :math:`\Delta = F \ell T/J`. After the first long pulse single ones remain: a limit cycle, in which the rate
before a jet is :math:`r`, and :math:`\Delta - r` before the other one, and whose period is known in closed form.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

INERTIA, THRUST, DEAD, AHEAD, PULSE, DELAY = 50.0, 5.0, 0.02, 2.0, 0.1, 0.02
model = fm.SpatialModel("satellite")
hull = model.add_body("hull", shape=fm.Box((0.6, 0.6, 0.8)), mass=100.0, inertia=(INERTIA, INERTIA, INERTIA))
hull.move(angular_velocity=(0.0, 0.0, 0.023))
tip = hull.attach("tip", (1.0, 0.0, 0.0))
read = [fm.control.AttitudeError(hull.frame, "z"), fm.control.Gyro(hull.frame, "z")]
for name, way in (("right", 1.0), ("left", -1.0)):
    law = fm.control.WeightedSum(read, [way, way * AHEAD])
    model.thruster(
        tip, THRUST, law, opens=DEAD, closes=0.95 * DEAD, axis=(0, -way, 0), pulse=PULSE, delay=DELAY, exhaust=2000.0,
        name=name,
    )  # fmt: skip
solution = fm.simulate(model, 60.0)

jets = [model.component(name) for name in ("right", "left")]
pulses = [jet.pulses(solution) for jet in jets]
rate = solution.at(pulses[0][-1:, 0])["hull"].angular_velocity[0, 2]
other = THRUST * PULSE / INERTIA - rate
ways = [DEAD - AHEAD * r + r * DELAY for r in (rate, other)]
shift = 0.5 * (rate - other) * PULSE
period = 2.0 * PULSE + (sum(ways) + shift) / other + (sum(ways) - shift) / rate
found = np.diff(pulses[0][-2:, 0])[0]
print(f"period {found:.4f} s, closed form {period:.4f} s")
print(f"{[len(p) for p in pulses]} pulses, {1e3 * sum(jet.used(solution) for jet in jets):.2f} g used")
assert abs(found - period) < 1e-3

angle = np.degrees(solution["hull"].rotation_vector[:, 2])
spin = np.degrees(solution["hull"].angular_velocity[:, 2])
figure, (plane, over) = plt.subplots(1, 2, figsize=(9.0, 4.0), layout="constrained")
plane.plot(angle, spin)
plane.set(xlabel="angle [°]", ylabel="rate [°/s]")
over.plot(solution.t, angle)
for p, color in zip(pulses, ("#d95f02", "#1b9e77"), strict=True):
    for first, last in p:
        over.axvspan(first, last, color=color)
over.set(xlabel="t [s]", ylabel="angle [°], and open jets")

# sphinx_gallery_thumbnail_number = 2

# %%
# The satellite as it turns:

solution.view()
