"""The energies and powers of a motion, and the ledger that balances them."""
