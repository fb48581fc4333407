"""Commands that leave no vibration behind: shapers of any command, and smooth steps that are as long as they need."""
