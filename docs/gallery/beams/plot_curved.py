r"""
Curved beams
============

*A coil spring, a twisted blade and a stepped pipe*

Exact beams in space go along any axis: a helix, a straight line with a twist and a taper, lines with fillets. Each is
one beam; its elements follow the curve, and pictures show its true shape. The stiffness of the spring is that of
Castigliano.
"""

import math

import numpy as np

import flexmb as fm

steel = fm.Material(density=7850, youngs_modulus=205e9, poissons_ratio=0.3)
RADIUS, WIRE, TURNS, PITCH, PULL = 0.05, 0.008, 4, 0.04, 50.0

spring = fm.SpatialModel("spring")
foot = spring.add_frame("foot", (RADIUS, 0, 0), fixed=True)
coil = fm.Helix(center=(0, 0, 0), start=(RADIUS, 0, 0), angle=2 * math.pi * TURNS, pitch=PITCH)
wire = spring.add_beam("wire", foot, axis=coil, material=steel, section=fm.Circle(diameter=WIRE), theory="exact")
hook = wire.end.attach("hook", wire.end.orientation.inv().apply((-RADIUS, 0, 0)))
spring.point_force(hook, (0, 0, PULL))
rest = fm.equilibrium(spring)

angle = math.atan(PITCH / (2 * math.pi * RADIUS))
compliance = math.cos(angle) ** 2 / steel.shear_modulus + 2 * math.sin(angle) ** 2 / steel.youngs_modulus
expected = WIRE**4 * math.cos(angle) / (64 * RADIUS**3 * TURNS * compliance)
stiffness = PULL / (rest["hook"].position[2] - PITCH * TURNS)
print(f"stiffness {stiffness:.0f} N/m, by Castigliano for a small force {expected:.0f} N/m")
assert abs(stiffness / expected - 1) < 0.02

rest.solution.view(color="torque")

# %%
# A blade whose root lies flat and whose tip stands at 60°, half as wide there and a third as thick.

blade = fm.SpatialModel("blade")
beam = blade.add_beam(
    "blade",
    blade.ground,
    (0, 1, 0),
    material=steel,
    section=lambda s: fm.Rectangle(height=0.16 * (1 - 0.5 * s), width=0.015 * (1 - 0.67 * s)),
    twist=math.radians(60),
    y_axis="x",
    theory="exact",
)
blade.point_force(beam.end, (0, 0, -60.0))
bent = fm.equilibrium(blade)
assert np.all(bent.solution.along("blade", "stress", 9) >= 0.0)
bent.solution.view(color="stress", camera=(1.6, -1.0, 0.9), up=(0, 0, 1))

# %%
# A pipe with fillets, and a smaller diameter from 60 % of its length on: an element ends there.

pipe = fm.SpatialModel("pipe")
route = fm.Polyline(((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, -0.6)), fillet=0.15)
tube = pipe.add_beam(
    "pipe",
    pipe.ground,
    axis=route,
    material=steel,
    section=lambda s: fm.Tube(outer_diameter=0.06 if s < 0.6 else 0.045, inner_diameter=0.035),
    theory="exact",
)
pipe.point_force(tube.end, (0, 0, -1000.0))
assert np.min(np.abs(tube.stations - 0.6)) < 1e-9
fm.equilibrium(pipe).solution.view(color="bending_moment_y")
