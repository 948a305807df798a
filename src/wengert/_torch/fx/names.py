"""Names: of nodes, which are unique in their graph, and of functions, as the text of a graph has them."""

from __future__ import annotations

import builtins
import functools
import inspect
import keyword
import math
import re
import sys
import types
from collections.abc import Callable
from typing import Any

from wengert._core.tensor.base import Tensor
from wengert._start.loading import load

PACKAGE = str(__package__).partition(".")[0]

NEURAL = frozenset(
    """
    avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear log_sigmoid one_hot scaled_dot_product_attention
    softplus softshrink
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Functions that torch has in `torch._C._nn`."""
TOP = frozenset(
    """
    adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d
    conv_transpose2d conv_transpose3d cosine_similarity hardshrink native_channel_shuffle pairwise_distance pdist
    pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ selu_ threshold_
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Functions of `torch.nn.functional` that are those of `torch`."""
FUNCTIONAL = frozenset(
    """
    atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul
    einsum lu meshgrid norm split stft tensordot unique unique_consecutive unravel_index
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Functions of `torch` that it has in `torch.functional`."""
OTHERS = {"logsigmoid": "torch._C._nn.log_sigmoid", "of_whole_pairs": "torch.view_as_complex"}
"""Functions that have another name in torch."""
OWN_SPACES = ("linalg", "fft", "special")
"""Modules of torch whose functions are in `torch._C._linalg`, `torch._C._fft` and so on."""


class Custom:
    """A global name that all generated code has.

    Args:
        line: of the import of the object.
        value: the object; the module `torch` is looked up when needed.
    """

    def __init__(self, line: str, value: Any) -> None:
        self.import_str, self.obj = line, value


def torch_module() -> Any:
    """Return the module named `torch` in generated code: the imported module of that name, or this package."""
    stand_in = sys.modules.get("torch")
    return stand_in if type(stand_in).__module__ == f"{PACKAGE}.as_torch" else sys.modules[PACKAGE]


@functools.cache
def customs() -> dict[str, Custom]:
    """The global names that all generated code has."""
    pytree = load(f"{PACKAGE}.utils._pytree")
    return {
        "inf": Custom("from math import inf", math.inf),
        "nan": Custom("from math import nan", math.nan),
        "NoneType": Custom("NoneType = type(None)", type(None)),
        "torch": Custom("import torch", torch_module()),
        "device": Custom("from torch import device", sys.modules[PACKAGE].device),
        "fx_pytree": Custom("import torch.fx._pytree as fx_pytree", load(f"{PACKAGE}.fx._pytree")),
        "pytree": Custom("import torch.utils._pytree as pytree", pytree),
    }


def snake_case(text: str) -> str:
    """Convert a name from camel case to snake case."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text).lower()


def is_magic(name: str) -> bool:
    """Return whether this is the name of one of Python's special methods, such as `__add__`."""
    return name.startswith("__") and name.endswith("__")


class Namespace:
    """The names that are taken: each candidate becomes an identifier that is not yet."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.counts: dict[str, int] = {}
        self.of_object: dict[Any, str] = {}

    def create_name(self, candidate: str, obj: Any) -> str:
        """Take a name.

        Args:
            candidate: preferred name.
            obj: the object; an object that has a name keeps it. None is never remembered.
        """
        if obj is not None and obj in self.of_object:
            return self.of_object[obj]
        candidate = re.sub("[^0-9a-zA-Z_]+", "_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        match = re.match(r"(.+)_(\d+)$", candidate)
        base, number = (match[1], int(match[2])) if match else (candidate, self.counts.get(candidate, 0))
        while candidate in self.used or is_taken(candidate, obj):
            number += 1
            candidate = f"{base}_{number}"
        self.used.add(candidate)
        self.counts[base] = number
        if obj is not None:
            self.of_object[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        """Let an object have a name that is taken already."""
        self.of_object.setdefault(obj, name)

    def rename_object(self, obj: Any, name: str) -> None:
        """Change the name of an object."""
        self.of_object[obj] = name
        self.used.add(name)


def is_taken(name: str, obj: Any) -> bool:
    """Return whether a name has another meaning in Python or in all generated code."""
    if keyword.iskeyword(name):
        return True
    if name in vars(builtins):
        return obj is not vars(builtins)[name]
    return name in customs() and obj is not customs()[name].obj


# ---- functions -------------------------------------------------------------------------------------------------------


def resolve(path: str) -> Any:
    """Return the object at a path from `torch` on; None if there is none."""
    value: Any = sys.modules[PACKAGE]
    for name in path.split(".")[1:]:
        try:
            value = getattr(value, name)
        except AttributeError:
            return None
    return getattr(value, "_traced_by_fx", value)


def is_own(value: Any) -> bool:
    """Return whether a function or class belongs to this package."""
    module = getattr(value, "__module__", None) or ""
    return module == PACKAGE or module.startswith((f"{PACKAGE}.", "torch.")) or module == "torch"


def paths(function: Any) -> list[str]:
    """Return the paths at which torch may have a function of this package, the likeliest first."""
    name = function.__name__
    module = str(function.__module__).replace(PACKAGE, "torch", 1)
    if isinstance(function, type):
        return ["torch.Tensor"] if function is Tensor else [f"torch.{name}", f"{module}.{function.__qualname__}"]
    candidates = []
    space, _, rest = name.partition("_")
    if space in OWN_SPACES:
        candidates.append(f"torch._C._{space}.{name}")
    if name in OTHERS:
        candidates.append(OTHERS[name])
    if module.removeprefix("torch.") in OWN_SPACES:
        place = module.removeprefix("torch.")
        candidates.append(f"torch._C._{place}.{place}_{name}")
    if name in NEURAL:
        candidates.append(f"torch._C._nn.{name}")
    if name in FUNCTIONAL:
        candidates.append(f"torch.functional.{name}")
    if module.startswith("torch.nn.functional") and name not in TOP:
        candidates.append(f"torch.nn.functional.{name}")
    candidates += [f"torch.{name}", f"torch.nn.functional.{name}", f"torch.ops.{space}.{rest}", f"{module}.{name}"]
    return candidates


@functools.lru_cache(maxsize=4096)
def own_path(function: Any) -> str | None:
    """Return the path of a function of this package in `torch`; None if there is none."""
    for path in paths(function):
        value = resolve(path)
        if value is function:
            return path
        if value is not None and getattr(function, "__name__", "") in TOP and path == f"torch.{function.__name__}":
            return path  # two objects here correspond to one function of torch
    return None


def plain_name(target: Any) -> str:
    """The name of a function alone, as torch has it."""
    name = getattr(target, "__name__", type(target).__name__)
    path = own_path(target) if is_own(target) and not isinstance(target, type) else None
    return str(name) if path is None else path.rpartition(".")[2]


def qualified_name(function: Callable[..., Any]) -> str:
    """The name of a function with that of its module."""
    name = getattr(function, "__name__", None)
    if name is None:
        name = type(function).__name__
    if getattr(builtins, name, None) is function:
        return str(name)
    if is_own(function):
        path = own_path(function)
        if path is not None:
            return path
    owner = getattr(function, "__objclass__", None)
    if owner is not None and issubclass(Tensor, owner) and owner is not object:
        return f"torch.Tensor.{name}"
    if name == "<lambda>":
        name = lambda_name(function)
    return f"{module_of(function)}.{name}"


def lambda_name(function: Callable[..., Any]) -> str:
    """Return the name that a lambda was assigned to, else `<lambda>`.

    Raises:
        RuntimeError: if the source cannot be read.
    """
    try:
        return inspect.getsource(function).partition("=")[0].strip()
    except Exception as error:
        raise RuntimeError("Unable to represent lambda") from error


def module_of(function: Any) -> str:
    """Return the module of a function, under torch's name if it belongs to this package."""
    module = getattr(function, "__module__", None)
    if module is None:
        owner = getattr(function, "__self__", None) or getattr(function, "__objclass__", None)
        module = getattr(owner, "__module__", None) or type(owner).__module__
    return f"torch{module.removeprefix(PACKAGE)}" if is_own(function) and module.startswith(PACKAGE) else str(module)


def type_repr(value: Any) -> str:
    """A type as annotations show it."""
    if isinstance(value, type) and not isinstance(value, types.GenericAlias):
        if value.__module__ == "builtins":
            return value.__qualname__
        if is_own(value):
            return own_path(value) or f"{module_of(value)}.{value.__qualname__}"
        return f"{value.__module__}.{value.__qualname__}"
    if value is ...:
        return "..."
    if isinstance(value, types.FunctionType):
        return value.__name__
    return re.sub(rf"\b{PACKAGE}\.", "torch.", repr(value))
