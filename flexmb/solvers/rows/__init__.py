"""Constraint rows of a run: rows that repeat others, and projection of states onto the rows.

**Dependent rows.** At the start :mod:`~flexmb.solvers.rows.redundancy` finds rows that repeat others and leaves them
out. During the run :mod:`~flexmb.solvers.rows.left_out` checks that these rows are still satisfied and that the active
rows stay independent of one another.

**States on the rows.** :mod:`~flexmb.solvers.rows.index_one` projects positions and speeds onto the constraints, and
computes accelerations and multipliers where forces have jumped; :mod:`~flexmb.solvers.rows.singular_value` tells how
near the rows are to depending on one another.
"""
