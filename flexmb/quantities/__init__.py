"""What can be asked of a mechanism: each quantity is one compiled function of (t, q, v, a), with its derivatives."""
