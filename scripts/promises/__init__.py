"""The promises of docs/reliability.md, and mutations of the source that break them."""
