"""Images: data sets of the library, networks, and torchvision's operators.

`load_digits` returns 1,797 small handwritten digits, enough to train and test a first convolutional network.
"""

from wengert.vision import models
from wengert.vision.digits import load_digits

__all__ = ["load_digits", "models"]
