"""Functions with derivatives that a program wrote."""
