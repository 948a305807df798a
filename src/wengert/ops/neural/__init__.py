"""Neural networks: activations, normalisation, dropout, attention, recurrent layers, losses, steps of optimisers."""
