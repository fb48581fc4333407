"""Constraint rows of a run: rows that repeat others, projection of states onto the rows, and passages through singular
positions.

**Dependent rows.** At the start :mod:`~flexmb.solvers.rows.redundancy` finds rows that repeat others and leaves them
out. During the run :mod:`~flexmb.solvers.rows.left_out` checks that these rows are still satisfied and that the active
rows stay independent of one another. If they do not, :mod:`~flexmb.solvers.rows.exchange` chooses other rows.

**States on the rows.** :mod:`~flexmb.solvers.rows.index_one` projects positions and speeds onto the constraints, and
computes accelerations and multipliers where forces have jumped.

**Singular positions,** in which all rows together lose rank. :mod:`~flexmb.solvers.rows.passage` recognizes from the
smallest singular value σ of the rows that a run approaches one, and moves it across; :mod:`~flexmb.solvers.rows.stride`
is the step that does so, and :mod:`~flexmb.solvers.rows.trail` keeps the latest states of a compiled loop, from which
the passage starts.
"""
