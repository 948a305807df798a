"""Signals and images: convolution, pooling, padding, patches, resampling."""
