"""Where a run starts: consistent initial values, and what another run hands on."""
