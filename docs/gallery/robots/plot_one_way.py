r"""
One-way elastic motion
======================

*Elastic motion that does not act on the rigid one: right for slow slews, wrong in resonance*

Ho and Herber (1982) move a mechanism as if its bodies were rigid, and then let them bend in that motion, by linear
equations with small motions of hinges among their unknowns. A beam on a hinge swings under a moment of 0.1 Nm, at the
frequency of its first mode or at half of it; full lines are the motion with all couplings.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

import flexmb as fm

model = fm.SpatialModel("swinging beam")
given = fm.spatial.BeamProperties(EA=1e6, EIy=20.0, EIz=20.0, GJ=10.0, rhoA=0.8)
rod = model.add_beam("rod", (0, 0, 0), (1, 0, 0), properties=given, theory="floating", modes=1, torsion_modes=0)
tip = model.add_body("tip", mass=0.5, inertia=(1e-3, 1e-3, 1e-3), position=(1, 0, 0))
model.revolute(model.ground, rod.start, axis="z", name="hinge")
model.weld(rod.end, tip.frame, name="clamp")
tree = fm.Tree.of(model)
nv, mode = tree.nv, tree.names.index("rod.bending_y1")
hinge, aba, still = tree.names.index("hinge.angle"), fm.formulation(tree, "aba"), np.zeros(tree.nv)

start = fm.formulations.one_way(tree, [0.0, 0.01], tree.start()[0], still)
pair = np.ix_([hinge, mode], [hinge, mode])
first = np.sqrt(np.max(np.linalg.eigvals(np.linalg.solve(start.M[0][pair], start.K[0][pair])).real))
times = np.linspace(0.0, 6.0 * 2.0 * np.pi / first, 61)

figure, both = plt.subplots(2, sharex=True, layout="constrained")
errors = []
for ax, part in zip(both, (0.5, 1.0)):

    def drive(t, part=part):
        tau = np.zeros(nv)
        tau[hinge] = 0.1 * np.sin(part * first * t)
        return tau

    def rates(t, s, drive=drive):
        return np.concatenate([s[nv:], aba(s[:nv].copy(), s[nv:].copy(), drive(t))])

    begin = np.concatenate([tree.start()[0], still])
    whole = solve_ivp(rates, times[[0, -1]], begin, "DOP853", t_eval=times, rtol=1e-9, atol=1e-12).y
    run = fm.formulations.one_way(tree, times, tree.start()[0], still, drive, tolerance=1e-6)
    bent, _ = run.bent()
    errors.append(np.abs(bent[:, mode] - whole[mode]).max())
    ax.plot(times, 1e3 * whole[mode], label="all couplings")
    ax.plot(times, 1e3 * bent[:, mode], "--", label="one way")
    ax.set(ylabel="bending [mm]", title=f"{part:g} of the first frequency")
print(f"errors: {1e3 * errors[0]:.2g} and {1e3 * errors[1]:.2g} mm")
assert errors[1] > 10.0 * errors[0]
both[0].legend()
both[1].set(xlabel="time [s]")

# sphinx_gallery_thumbnail_number = 2

# %%
# A push across the tip swings the beam; its bending is shown fifty times as large:

model.point_force(tip.frame, (0.0, 0.5, 0.0), name="push")
fm.simulate(model, 0.6, progress=False).view(color="bending_moment_z", magnify=50, ghosts=[0.0])
