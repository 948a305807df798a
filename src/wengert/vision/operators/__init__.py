"""Operators of torchvision's compiled libraries, such as `torch.ops.torchvision.nms`.

torchvision's Python files work with this package, but its shared libraries need torch. `torch.ops.load_library` of such
a library imports the module of this package that declares the same operators, with the same schemas and results.
"""
