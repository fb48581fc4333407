"""Symbolic blocks: several links whose equations of motion are derived as expressions once and compiled."""
