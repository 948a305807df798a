"""The class Tensor: an array over a storage, with flags, an edge and slots for operators."""
