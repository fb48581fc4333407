"""Studies that a user would do; `flexmb demo NAME`."""
