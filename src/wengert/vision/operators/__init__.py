"""Operators of torchvision: what its compiled libraries declare, `torch.ops.torchvision.nms` and the others.

torchvision's Python files work beside this package, its shared libraries need torch's own. `torch.ops.load_library` of
one of these imports the module of this package that declares the same operators, with the same schemas and results.
"""
