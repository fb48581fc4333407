"""Scenes for other programs: glTF files that play, written with json and struct alone."""
