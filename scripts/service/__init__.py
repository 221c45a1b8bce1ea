"""Proofs of the search service: what scripts/proof/service runs."""
