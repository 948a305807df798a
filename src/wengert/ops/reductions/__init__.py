"""Many elements to one: sums, extremes, moments, norms, and running forms."""
