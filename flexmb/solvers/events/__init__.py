"""Events of a run: which quantities are watched within steps, when one of them crosses zero, and what then happens.

**What is watched.** Numbers given by the name of a quantity, by a sensor or by a function of Python
(:mod:`~flexmb.solvers.events.quantities`); what is a function of coordinates, speeds and accelerations
(:mod:`flexmb.quantities.quantity`) is read in compiled code. Distances in contacts and at stops are watched in the same
manner, and so are the speeds and the friction of joints that may stick.

**When it crosses zero.** :mod:`~flexmb.solvers.events.crossing_state` is the record of all watched quantities, and
:mod:`~flexmb.solvers.events.crossings` finds the crossing within a step and makes the step end there.
:mod:`~flexmb.solvers.events.touching` examines steps in which bodies are in contact, for forces that a step has missed,
and :mod:`~flexmb.solvers.changes.events_on_passages` dates events in steps that cannot end at them, such as a step
across a singular position.

**What then happens.** :mod:`~flexmb.solvers.events.run_events` determines which events are due and records them;
:mod:`~flexmb.solvers.changes.actions` makes the run continue, after :mod:`~flexmb.solvers.changes.switching` has
switched components on or off, and after :mod:`~flexmb.solvers.events.row_states` has chosen which joints stick and
which slide, and which gaps are closed, behind the impact that :mod:`~flexmb.solvers.events.impacts.collision` computes.
:mod:`~flexmb.solvers.events.stuck_between` checks within steps that joints that stick can still hold, and
:mod:`~flexmb.solvers.events.jamming` explains why friction does not determine the motion.
"""
