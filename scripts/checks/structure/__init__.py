"""Checks of what the sources of the package use of each other, as the Swift compiler recorded it."""
