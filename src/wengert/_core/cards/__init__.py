"""Declaration of operators by cards, and what is derived from a card."""
