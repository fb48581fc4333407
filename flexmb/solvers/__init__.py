"""Motion in time. Rooms from the ground up: rows, events, coordinates, start, runs, changes, march, methods, binding;
:func:`~flexmb.solvers.simulate.simulate` and :class:`~flexmb.solvers.simulator.Simulator` stand on all of them."""
