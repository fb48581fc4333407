"""Radau IIA with three stages on the DAE itself: implicit, fifth order, the loop compiled from end to end.

At the three stages of a step, polynomials of third degree satisfy  M a + f + Gᵀ λ = 0,  g = 0  (Hairer and Wanner
(1991), sections IV.8 and VII.6). The end of the step is the last stage; its speeds are then projected onto ġ = 0, by
the shortest displacement in the metric of the mass matrix, and a and λ follow from the equations of motion.

**Why constraints of positions.** With these alone (index 3) the speeds of the last stage are of third order only, and
its multipliers of second; with speeds constrained as well (index 2, stabilized by a multiplier more: Gear, Gupta and
Leimkuhler (1985)) they are of fifth and of third. But the error of the speeds lies in their component across the
constraints, and the projection removes it before the next step begins: then positions, speeds and λ are of fifth order,
and a little more accurate than those of the stabilized form, whose Newton systems are twice as large. Errors of a
pendulum of 1 m in Cartesian coordinates after 1 s, 64 steps (tests/solvers/methods/radau/test_radau_orders.py):

    form                        positions  speeds   λ of the stage  λ of the equations
    index 3                     5.4e-9     8.0e-6   4.9e-3
      speeds moved onto ġ = 0              1.6e-8                   7.4e-9
    index 2, stabilized         6.6e-9     1.9e-8   8.8e-5          8.7e-9

Newton's method uses one matrix for all stages as long as it converges fast with it, and one for each where stiff
members turn within a step (:mod:`flexmb.solvers.methods.radau.radau_newton`).

Orientations are moved by rotation vectors from the start of the step, and their speeds are T(y) ẏ. The error of a step
is estimated with a formula of third order and filtered with the matrix of the step, so that vibration that the method
damps is not followed. That estimate is the larger one by far; its bound is chosen so that the error of a run is in
proportion to the tolerance, see :mod:`flexmb.solvers.methods.radau.radau_run`. Two errors accumulate over a run and are
bounded separately: the damping of slower vibration (:mod:`flexmb.solvers.methods.radau.error_of_waves`) and the error
of bodies that spin fast (:mod:`flexmb.solvers.methods.radau.error_of_spin`).
"""
