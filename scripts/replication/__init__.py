"""The Python package behind scripts/proof/replication."""
