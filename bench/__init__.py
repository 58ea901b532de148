"""Figures as ratios: each is measured beside its baseline in the same run, in turns, so that a slow machine slows both."""
