"""Motion in joint coordinates: what a method integrates, and how a formulation of :mod:`flexmb.formulations` computes
the accelerations.

A method integrates the coordinates x and speeds u of the joints of a tree; they determine where the links are and how
they move (:mod:`~flexmb.solvers.coordinates.joints.joint_state`). The state of the run remains that of the system, q,
v, a, λ, so results, sensors, events, controllers and energies work as in absolute coordinates.

Forces of springs, motors and other components that are neither bodies nor joints are evaluated by their kernels and
passed to the formulation as wrenches on the links. Constraint rows beyond the joints of the tree get multipliers of
their own (:mod:`~flexmb.solvers.coordinates.joints.joint_forces`), which follow from the response of the tree at rest
(:mod:`~flexmb.solvers.coordinates.joints.responses`) to forces on the links and joints of each row
(:mod:`~flexmb.solvers.coordinates.joints.bearing`). Coordinates without mass that belong to no joint of the tree either
follow the joints or are integrated after them (:mod:`~flexmb.solvers.coordinates.joints.followers`). Joint forces
follow from the accelerations of the links (:mod:`~flexmb.solvers.coordinates.joints.multipliers`), and with them
friction that depends on these forces (:mod:`~flexmb.solvers.coordinates.joints.joint_rates`).

Where there are such rows, the ends of steps are projected onto them, in joint coordinates
(:mod:`~flexmb.solvers.coordinates.joints.onto_rows`) or as in absolute coordinates. The reduced equations satisfy these
rows at every evaluation, since they integrate the independent joint coordinates alone
(:mod:`flexmb.solvers.coordinates.independent.joint_closing`).
"""
