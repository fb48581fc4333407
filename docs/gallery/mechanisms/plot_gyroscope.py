r"""
Gyroscopes
==========

*Three gyroscopes nod and go round as elliptic integrals say*

A symmetric top on a pivot nods between two inclinations. The period of this nodding and the mean speed of going round
are elliptic integrals (Landau and Lifshitz 1976, §35). Pushed back, released or pushed ahead at the start, the tip
makes loops, cusps or waves.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm
from flexmb.examples.gyroscope import STARTS, T_END, build, exact, inclination, measured

solution = fm.simulate(build(), T_END, "radau", tolerance=1e-8)

figure, ax = plt.subplots(layout="constrained")
for name, rate in STARTS.items():
    found, known = measured(solution, name), exact(rate)
    print(f"{name}: nods in {found.period:.5f} s, exact {known.period:.5f} s")
    print(f"  goes round at {found.precession:.4f} rad/s, exact {known.precession:.4f} rad/s")
    assert abs(found.period / known.period - 1.0) < 1e-4
    assert abs(found.precession / known.precession - 1.0) < 1e-3
    (line,) = ax.plot(solution.t, np.degrees(inclination(solution, name)), label=name)
    for bound in (known.least, known.largest):
        ax.axhline(np.degrees(bound), color=line.get_color(), linewidth=0.8, linestyle=":")
ax.set(xlabel="t [s]", ylabel="inclination [°]", xlim=(0.0, 1.0), ylim=(62.0, 101.0))
ax.legend(frameon=False, ncols=3)

# sphinx_gallery_thumbnail_number = 2

# %%
# All three of them:

solution.view(forces=False)
