"""Reductions: sums, extremes, moments, norms, and their running forms."""
