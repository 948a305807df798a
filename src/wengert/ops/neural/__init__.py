"""Layers and losses: softmax, normalisation, dropout, steps of optimisers."""
