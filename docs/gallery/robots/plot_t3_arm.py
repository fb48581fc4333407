r"""
Industrial arm
==============

*How much an industrial arm bends while it works*

The Cincinnati T3 was the example of Sunada and Dubowsky, whose program FLEX-ARM computes the deflections of an arm as a
linear system :math:`M(t)\,\ddot q + G(t)\,\dot q + K(t)\,q = Q(t)` about the motion of the rigid arm. With its joints
free it has 27 coordinates here, as theirs had; sections and masses are chosen, since they printed none. The tool
deflects by some millimeters; the full nonlinear equations give the same to some micrometers.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm
from flexmb.examples import t3_arm as t3

DURATION = 0.7
arm = t3.moving(DURATION, damping=0.01)
times = np.linspace(0.0, DURATION, 71)
full = fm.simulate(arm, DURATION, "radau", tolerance=1e-8, times=times, initial=fm.equilibrium(arm))
flex = fm.formulations.FlexArm(arm, servos=np.inf)  # joints follow their drives
run = flex.run(DURATION, DURATION / 140, start="quasi-static", method="gauss").every(2)
nominal = run.position("tool") - run.deflection("tool")
still = np.array([flex.displacement("tool", t)[:3] @ flex.quasi_static(t) for t in times.tolist()])
wanted = full["tool"].position - nominal
off = np.linalg.norm(run.deflection("tool") - wanted, axis=1)
print(f"largest deflection {1e3 * np.abs(wanted).max():.2f} mm, error {1e6 * off.max():.2f} µm")
assert off.max() < 5e-3 * np.abs(wanted).max()

bending = t3.build((0.0, 0.8, 0.0), damping=0.01)
for name, angle in zip(t3.JOINTS, (0.0, 0.8, fm.Polynomial([0.0, -1.0]))):  # the elbow bends by 1 rad in each second
    bending.drive(name, angle)
postures = fm.formulations.FlexArm(bending, servos=np.inf)
elbows = np.linspace(0.0, 2.4, 25)
frequencies = np.array([postures.frequencies(t, 4) for t in elbows.tolist()])
print(f"the lowest frequency rises from {frequencies[0, 0]:.1f} to {frequencies[-1, 0]:.1f} Hz as the arm folds")

figure, axes = plt.subplots(2, 2, layout="constrained", figsize=(9.0, 6.5))
for k, name in enumerate("xz"):
    color, j = f"C{k}", "xyz".index(name)
    axes[0, 0].plot(times, 1e3 * wanted[:, j], color=color, label=f"{name}, full equations")
    axes[0, 0].plot(times[::3], 1e3 * run.deflection("tool")[::3, j], "o", color=color, label=f"{name}, FLEX-ARM")
axes[0, 0].set(xlabel="t [s]", ylabel="deflection of the tool [mm]")
axes[0, 0].legend(fontsize="small")
axes[0, 1].semilogy(times, 1e6 * off, label="FLEX-ARM")
axes[0, 1].semilogy(times, 1e6 * np.linalg.norm(still - wanted, axis=1), label="quasi-static")
axes[0, 1].set(xlabel="t [s]", ylabel="error of the deflection [µm]")
axes[0, 1].legend(fontsize="small")
axes[1, 0].plot(np.rad2deg(elbows), frequencies)
axes[1, 0].set(xlabel="bend of the elbow [°]", ylabel="natural frequencies [Hz]", ylim=(0.0, None))
hertz = np.linspace(5.0, 120.0, 300)
for angle in (0.0, 1.2, 2.4):
    answer = np.abs(postures.frequency_response(hertz, ("force", "tool", "z"), ("displacement", "tool", "z"), t=angle))
    axes[1, 1].semilogy(hertz, 1e6 * answer, label=f"elbow bent by {np.rad2deg(angle):.0f}°")
axes[1, 1].set(xlabel="frequency [Hz]", ylabel="tool by a vertical force [µm/N]")
axes[1, 1].legend(fontsize="small")

# sphinx_gallery_thumbnail_number = 2

# %%
# The arm at the end of its motion, with its bending larger:

full.view(magnify=20, forces=False)
