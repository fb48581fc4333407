"""Flexible arms from trims to controllers: what holds them, what observes them, what moves them without vibration."""
