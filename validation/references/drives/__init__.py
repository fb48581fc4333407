"""References of robots and drives: arms by their parameters, gaps and bristles."""
