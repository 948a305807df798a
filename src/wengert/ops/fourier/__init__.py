"""Fourier transforms, their frequencies, windows, and transforms of signals in short pieces."""
