"""Parts of drives with states of first order of their own: friction of bristles, gaps of gears."""
