"""Checks of what the Swift compiler says, and how long it takes, about requests that are compiled and not run."""
