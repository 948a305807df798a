"""The pages of the API, as reStructuredText: operators from their cards, all else from its docstrings.

Sphinx reads modules, classes and functions itself (`autodoc`). Operators are objects, and called in forms that no one
signature says: they are described here, in the words of the type stubs. What several modules offer is described where
it comes first; the others name that place.
"""

from __future__ import annotations

import builtins
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from tools.stubs.package import of_method, public
from tools.stubs.signatures import forms_of, function_of, words_of
from tools.stubs.words import NAMES
from wengert import Tensor
from wengert._core.cards.card import REGISTRY, Card, Composite
from wengert._start import names

METHODS = names.METHODS.split()
Convert = Callable[[str], str]
"""What makes reStructuredText of the sections of a docstring (`Args:` and the like)."""

ROOMS = {
    "create": "Making tensors",
    "memory": "Copies and conversions",
    "shapes": "Shapes, parts and joins",
    "pointwise": "Element by element",
    "reductions": "Reductions",
    "indexing": "Indexing",
    "linalg": "Products and matrices",
    "order": "Order, counting and search",
    "randomness": "Random numbers",
    "neural": "Normalisation and dropout",
    "images": "Convolution, pooling and padding",
    "fourier": "Fourier transforms and windows",
    "sparse": "Sparse tensors",
}
"""The rooms of `ops`, and the titles of their pages."""

MODULES = (
    *(
        "autograd",
        "autograd.functional",
        "autograd.forward_ad",
        "autograd.graph",
        "autograd.profiler",
        "func",
        "library",
    ),
    *("linalg", "masked", "sparse", "fft", "signal.windows", "special", "distributions"),
    *("nn", "nn.functional", "nn.init", "nn.utils", "nn.attention", "nn.attention.flex_attention"),
    *(
        "optim",
        "optim.lr_scheduler",
        "optim.swa_utils",
        "utils.data",
        "utils.checkpoint",
        "utils.dlpack",
        "utils.flop_counter",
        "utils.module_tracker",
        "utils.benchmark",
        "utils.weak",
        "amp",
        "io",
    ),
    *("vision", "viz", "debugging", "profiler", "quasirandom", "scipy", "testing", "compat.hips", "compat.array_api"),
)
"""Modules that have a page, in the order of the pages."""

STUBBED = ("wengert", "wengert.nn.functional", "wengert.special")
"""Modules whose forms the words of the stubs can say."""

PUBLIC = {word: word[1:] for word in NAMES.values() if word.startswith("_")}
"""What the stubs call by other names, because a method would hide it."""


PLACES: dict[int, str] = {}
"""Where classes and functions are described, by identity; filled by `pages`."""

TYPES = """
Words of the signatures
-----------------------

.. py:currentmodule:: None

.. py:type:: Number
   :canonical: bool | int | float | complex

.. py:type:: Operand
   :canonical: Tensor | Number | numpy.ndarray | numpy.generic

   What stands beside a tensor in an expression.

.. py:type:: Ints
   :canonical: int | Sequence[int]

   One length for all dimensions, or one for each.
"""


def pages(convert: Convert) -> dict[str, str]:
    """All pages by name, without suffix."""
    functions = public()
    values = {name: value for name, value in functions.items() if room_of(name) is None and value is not Tensor}
    plans: dict[str, tuple[str, str, dict[str, Any]]] = {
        "wengert": ("wengert", "The package", {k: v for k, v in values.items() if not isinstance(v, ModuleType)})
    }
    for room, title in ROOMS.items():
        inside = {name: value for name, value in functions.items() if room_of(name) == room}
        plans[f"operators_{room}"] = ("wengert", title, inside)
    for name in MODULES:
        plans[name] = (f"wengert.{name}", f"wengert.{name}", offered(importlib.import_module(f"wengert.{name}")))
    known = PLACES
    known.clear()
    known[id(Tensor)] = "wengert.Tensor"
    modules = {name: page(*plan, known, convert) for name, plan in plans.items()}
    modules["wengert"] += TYPES
    return {"index": index(["tensor", *modules]), "tensor": tensor_page(convert), **modules}


def public_bases(cls: type) -> list[str]:
    """The bases of a class as programs know them: an internal one stands for the public classes that it is made of.

    Returns:
        Texts in reStructuredText.
    """
    names: list[str] = []
    for base in cls.__bases__:
        if id(base) in PLACES:
            texts = [f":py:class:`{PLACES[id(base)]}`"]
        elif base.__module__.startswith("wengert"):
            texts = public_bases(base)
        else:
            texts = [f"``{base.__qualname__}``"] * (base is not object)
        names += [text for text in texts if text not in names]
    return names


def room_of(name: str) -> str | None:
    """The room in which the operator lies that the package offers under a name, or whose in-place form it offers."""
    operator = REGISTRY.get(name) or (REGISTRY.get(name.removesuffix("_")) if name in METHODS else None)
    if operator is None or not (operator.function or name in METHODS):
        return None
    return str(operator.body.__module__).split(".")[2]


def offered(module: ModuleType) -> dict[str, Any]:
    """What a module offers, without its modules and without the class of tensors, which has a page of its own."""
    values = {name: getattr(module, name) for name in sorted(vars(module)["__all__"])}
    return {name: value for name, value in values.items() if not isinstance(value, ModuleType) and value is not Tensor}


def index(names: Iterable[str]) -> str:
    """The page above the others."""
    listed = "\n".join(f"   {name}" for name in names)
    return f"{heading('Interface')}\nMade from the docstrings and the operators' cards.\n\n.. toctree::\n\n{listed}\n"


def page(module: str, title: str, values: dict[str, Any], known: dict[int, str], convert: Convert) -> str:
    """A page with what a module offers.

    Args:
        module: the name by which programs know it.
        title: the title of the page.
        values: what to describe, by name.
        known: where what has been described stands, by identity; completed.
        convert: see `Convert`.
    """
    about = f".. automodule:: {module}\n   :no-members:\n" if title == module else ""
    if title in ROOMS.values():
        about = "How each is differentiated, in which dtypes and whether in place: :doc:`/docs/made/operators`.\n"
    parts = [heading(title), about, f".. py:currentmodule:: {module}\n"]
    for name, value in sorted(values.items(), key=lambda pair: rank(pair[1])):
        path = f"{module}.{name}"
        elsewhere = known.get(id(value)) if callable(value) else None
        if callable(value):
            known.setdefault(id(value), path)
        parts.append(entry(module, name, value, convert) if elsewhere is None else reference(name, value, elsewhere))
    return "\n".join(parts)


def reference(name: str, value: Any, elsewhere: str) -> str:
    """What stands where something is offered again."""
    kind = "class" if isinstance(value, type) else "function"
    return f".. py:{kind}:: {name}\n\n   See :py:obj:`{elsewhere}`.\n"


def entry(module: str, name: str, value: Any, convert: Convert) -> str:
    """What a page says of one name."""
    path = f"{module}.{name}"
    if (module in STUBBED and (name in REGISTRY or name in METHODS)) or isinstance(value, Card):
        signatures = forms_in(module, name, value)
        called_input = any("input" in signature.parameters for signature in signatures)
        text = text_of(name, value, lambda text: convert(re.sub(r"\bself\b", "input", text) if called_input else text))
        return described("function", name, signatures, text)
    if getattr(value, "__module__", None) == "builtins":
        return f".. py:data:: {name}\n\n   Python's own.\n"
    if isinstance(value, type):
        kind = "exception" if issubclass(value, BaseException) else "class"
        bases = "" if value.__bases__ == (object,) else "   :show-inheritance:\n"
        return f".. auto{kind}:: {path}\n   :members:\n{bases}"
    if callable(value):
        return f".. autofunction:: {path}\n"
    hidden = "   :no-index:\n" if hasattr(builtins, name) else ""  # in a signature it is Python's
    return f".. py:data:: {name}\n   :type: {type(value).__name__}\n{hidden}"


def rank(value: Any) -> int:
    """The place among others on a page: functions, classes, what is neither; then the types of the first generation."""
    if getattr(value, "__module__", "") == "wengert.legacy":
        return 3
    return 1 if isinstance(value, type) else 0 if callable(value) else 2


def forms_in(module: str, name: str, value: Any) -> list[inspect.Signature]:
    """In which forms programs call an operator."""
    if module not in STUBBED:
        signature = inspect.signature(value)
        bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
        return [signature.replace(parameters=bare, return_annotation="Tensor")]
    if name in METHODS and name not in REGISTRY:
        return [of_method(parameter) for parameter in forms_of(name, value, method=True)]
    operator = REGISTRY.get(name, value) if module == "wengert" else value
    return forms_of(name, function_of(operator) if isinstance(operator, (Card, Composite)) else operator)


def text_of(name: str, value: Any, convert: Convert) -> str:
    """The docstring of an operator; of one that writes into its first argument that of the operator it belongs to."""
    functional = getattr(value, "functional", None)
    if functional is None:
        return convert(inspect.getdoc(value) or "")
    plain = name.removesuffix("_")
    if plain in REGISTRY and REGISTRY[plain].function:
        return f"Writes the result of :py:func:`wengert.{plain}` into its first argument, and returns that."
    text = re.sub(r"^Returns:\n(?: .*\n?)+\n*", "", inspect.getdoc(functional) or "", flags=re.MULTILINE)
    return convert(f"{text.rstrip()}\n\nReturns:\n    The tensor, into which the result was written.")


def described(kind: str, name: str, signatures: list[inspect.Signature], text: str) -> str:
    """A function or method in all its forms, with its text."""
    lines = [f"{name}({', '.join(words_of(signature))}) -> {signature.return_annotation}" for signature in signatures]
    directive = f".. py:{kind}:: "
    head = f"\n{' ' * len(directive)}".join(map(in_full, lines))
    return f"{directive}{head}\n\n{textwrap.indent(text, '   ')}\n"


def in_full(form: str) -> str:
    """A form with the public names of its types."""
    return re.sub(r"(?<![\w.])_\w+", lambda word: PUBLIC.get(word[0], word[0]), form)


def heading(title: str) -> str:
    """The title of a page."""
    return f"{title}\n{'=' * len(title)}\n"


def tensor_page(convert: Convert) -> str:
    """The page of the class Tensor: its attributes, its methods."""
    own = {name: inspect.getattr_static(Tensor, name) for name in dir(Tensor) if not name.startswith("_")}
    members = [member(name, value, convert) for name, value in own.items()]
    about = convert(inspect.getdoc(Tensor) or "")
    head = f".. py:currentmodule:: wengert\n\n.. py:class:: Tensor\n   :canonical: {Tensor.__module__}.Tensor\n"
    return "\n".join([heading("Tensor"), head, *(textwrap.indent(text, "   ") for text in (about, *members))])


def member(name: str, value: Any, convert: Convert) -> str:
    """What the page of Tensor says of an attribute or a method."""
    if not callable(value):
        return f".. py:attribute:: {name}\n\n{textwrap.indent(convert(inspect.getdoc(value) or ''), '   ')}\n"
    operator = REGISTRY.get(name)
    listed = operator is None or operator.method
    if not listed:  # the method of that name is another function
        operator = None
    function = value if operator is None else operator.body if isinstance(operator, Composite) else operator
    if operator is not None and operator.function:
        text = f"The method of :py:func:`wengert.{name}`."
    else:
        text = text_of(name, value, convert)
    forms = [unbound(form) for form in forms_of(name, function, method=True, listed=listed)]
    return described("method", name, forms, text)


def unbound(form: inspect.Signature) -> inspect.Signature:
    """The form of a method without the tensor that it is called on."""
    _, *others = form.parameters.values()
    return form.replace(parameters=others)
