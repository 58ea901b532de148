"""Figures as ratios: each is measured beside its baseline in the same run, in turns, so a slow machine slows both."""
