"""Motion in joint coordinates: what methods carry, and how a road of :mod:`flexmb.formulations` gives accelerations.

The state of a run stays that of the system, q, v, a, λ: results, sensors, events, controllers and energies do not ask
how it came about. A method carries the coordinates x and speeds u of the joints of a tree, whose links are placed by
them (:mod:`~flexmb.solvers.joint_motion.joint_state`). Forces of springs and all that is neither body nor joint come
from their kernels and go to the road as wrenches; rows beyond those of the tree hold by multipliers
(:mod:`~flexmb.solvers.joint_motion.joint_forces`), for which what they bear on
(:mod:`~flexmb.solvers.joint_motion.bearing`) is asked of the tree at rest
(:mod:`~flexmb.solvers.joint_motion.responses`). Coordinates without mass that are not those of joints follow them or
are carried behind them (:mod:`~flexmb.solvers.joint_motion.followers`). Joint forces follow from the accelerations of
the links (:mod:`~flexmb.solvers.joint_motion.multipliers`), and with them friction that joints have by their own forces
(:mod:`~flexmb.solvers.joint_motion.joint_rates`); where there are rows beyond those of the tree, the ends of steps are
moved onto them and their multipliers found as in absolute coordinates. The reduced equations are on them at every
evaluation: they carry the independent joint coordinates alone (:mod:`flexmb.solvers.independent.joint_closing`)."""
