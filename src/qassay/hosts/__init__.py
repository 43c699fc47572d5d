"""Metrics within other tools. Each module needs its tool only when something of it is called."""
