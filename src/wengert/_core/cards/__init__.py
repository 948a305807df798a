"""How an operator is declared, and what follows from its card."""
