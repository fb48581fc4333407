"""The march of a run from stop to stop, shared by all methods: its compiled loop, and the driver in Python around it;
and the march in Python for methods whose steps SciPy or CVODE makes."""
