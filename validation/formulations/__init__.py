"""Cases of formulations: classical ones in motion, answers of FLEX-ARM."""
