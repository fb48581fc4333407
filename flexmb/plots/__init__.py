"""Diagrams, drawings and films: functions of arrays and labels; all of Matplotlib is in here."""
