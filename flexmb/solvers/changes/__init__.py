"""What a run does at a stop from which it goes on: other constraint rows, other components, joints that stick, gaps
that close, and passages through singular positions.

**Other rows.** If active rows fade, or rows that were left out contradict them, :mod:`~flexmb.solvers.changes.exchange`
chooses other ones.

**Other components.** :mod:`~flexmb.solvers.changes.actions` makes a run continue after events, when
:mod:`~flexmb.solvers.changes.switching` has switched components on or off.

**Joints that stick and rows that hold in one direction.** :mod:`~flexmb.solvers.changes.settling` lets a run go on with
the states that :mod:`flexmb.solvers.events.row_states` chooses, and enters impacts in its records and its ledger.

**Singular positions,** in which all rows together lose rank. :mod:`~flexmb.solvers.changes.passage` recognizes from the
smallest singular value σ of the rows that a run approaches one, and moves it across;
:mod:`~flexmb.solvers.changes.stride` is the step that does so, and :mod:`~flexmb.solvers.changes.trail` keeps the
latest states of a compiled loop, from which the passage starts. :mod:`~flexmb.solvers.changes.events_on_passages` dates
events in steps that cannot end at them.
"""
