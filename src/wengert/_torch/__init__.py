"""Modules that are here because torch has them, each under torch's name: `_torch/cuda` is imported as `wengert.cuda`.

The folder is a part of the package's path. By the name of the folder its modules would be others, with other classes.
"""

raise ImportError(f"{__name__} is not to be imported: its modules have torch's names, such as wengert.cuda")
