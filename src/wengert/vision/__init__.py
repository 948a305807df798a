"""Images: the data sets that come with the library.

`load_digits` gives 1,797 small handwritten digits, enough to train and judge a first convolutional network.
"""

from wengert.vision import models
from wengert.vision.digits import load_digits

__all__ = ["load_digits", "models"]
