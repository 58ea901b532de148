"""memshelf: memory for coding agents, kept in markdown files that a person owns."""

__version__ = "0.1.0"
