"""A real training run: a small convolutional network learns handwritten digits. Run: `python -m wengert.demo`."""
