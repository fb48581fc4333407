"""Cases against results of others; `flexmb validate NAME`."""
