"""Cards: the declaration of an operator, in one place.

The decorated body is the kernel call; its signature and docstring are the public ones. `Array` marks a differentiable
tensor, `Arrays` a list of them, `Index` a tensor without derivative (`Indices` a list of those or None), `Sizes`
integers that may also be given one by one; anything else is plain. A rule names what it needs: an input, `out` (or an
output's name), `<input>_shape`, `<input>_dtype`, `<input>_strides` (in bytes), a plain argument, or `wanted` (for each
differentiable input whether it needs a gradient). Exactly that is saved; a name that fits nothing is an error at
import.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from ..calls.op import DOCSTRING, SIGNATURE, Op, begin_calls
from ..operators import batch_rules, sources
from ..operators.declaration import fill_signature
from ..operators.rules import Rule, locate
from ..operators.shape_rules import RULES
from ..out_errors import EXACT
from ..tensor.base import Tensor
from ..types import dtypes
from . import forms, late
from .arguments import checked as checked, parameters_of
from .derived import derive_in_place as derive_in_place, in_place_form
from .filling import ONLY, add_rule, fill_options, mark_constant, refusal, slots_of
from .node_classes import NodeClasses
from .options import (
    ALL as ALL,
    BOOLS as BOOLS,
    COMPLEXES as COMPLEXES,
    DEFAULTS,
    FLOATS as FLOATS,
    INTEGERS as INTEGERS,
    NUMBERS as NUMBERS,
    ORDERED as ORDERED,
    REALS as REALS,
    WIDE as WIDE,
    InPlace as InPlace,
    Out as Out,
    completed,
    nodes as nodes,
)
from .samples import Bad as Bad, Declared, Sample as Sample

Array: TypeAlias = Any
Arrays: TypeAlias = Any
Index: TypeAlias = Any
Indices: TypeAlias = Any
Sizes: TypeAlias = Any
"""Annotations of card parameters."""

Number: TypeAlias = Any
"""Annotation of a parameter that takes a number, perhaps a complex one; those called `float` take real ones."""

CARDS: dict[str, Card | Composite] = {}
"""The public operators by name, as far as they are loaded."""

if TYPE_CHECKING:
    REGISTRY: dict[str, Card | Composite]
    """All public operators by name: whoever asks for it has all of them loaded."""
else:

    def __getattr__(name: str) -> Any:
        if name != "REGISTRY":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return load_all()


def load_all() -> dict[str, Card | Composite]:
    """Load every family of operators; return the public operators by name."""
    late.load_all()
    return CARDS


def find(name: str) -> Card | Composite | None:
    """Return the operator of that name, loading its family if needed; None if no family has it."""
    home = late.homes().get(name)
    if home is not None:
        late.load(home)
    return CARDS.get(name)


class Card(Declared, Op):
    """An operator with everything that its card declares.

    Attributes:
        declared_dtypes: the dtypes that it exists for.
        takes_halves, out: see `DEFAULTS`.
        keeps_numbers: beside halves, numbers and a second operand of no dimensions are not rounded; otherwise they are
            rounded to the half first.
        mixed: called with operands, arrays and numbers, before they are promoted, to refuse some.
        warn_shared: called with arguments that share memory in a way that torch warns of, see `InPlace.apart`.
        crossing: for operators that add or remove a batch, `crossing(card, args, level)`.
        why: the reason that it has no derivative, or "" if it has rules.
        linear: the inputs in which it is linear, for forward mode.
        refused: the inputs for which a gradient or a tangent is refused.
        partial_rules, forward_rules, shares, batching: what forward mode and batching use.
        in_place: the derived in-place operator, or None.
        method, function: whether it is bound to Tensor, and public in the package.
        form: the name and the module of a form of the operator, see `forms`.
        function_of: returns the function of the card, if that is not the method.
        any_device: its operands may be on several devices.
        describes: the sections of its docstring that it shares with its family.
    """

    declared_dtypes: frozenset[dtypes.dtype]
    takes_halves = False
    keeps_numbers = False
    nodes: NodeClasses
    describes: str
    __name__: str
    __qualname__: str
    why = ""
    linear: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    partial_rules: dict[str, Rule] | None = None
    forward_rules: tuple[Rule, ...] = ()
    shares: dict[int, Any]
    batching: Any = None
    crossing: Any = None
    in_place: Any = None
    out = DEFAULTS["out"]
    mixed: Callable[[list[Any]], None] | None = None
    any_device = False
    method = True
    function = True
    form: tuple[str, str] = ("", "")
    warn_shared: Callable[[tuple[Any, ...]], None]
    function_of: Callable[[Card], Any] | None = None

    def vjp(
        self, *inputs: str, native: Any = None, passes: bool = False
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Set the reverse rule for `inputs`: called with the gradient and what it names, it returns as many gradients.

        `native` names the native function of its plain case, taken where the pass is not itself recorded; `passes`
        means that the rule returns the gradient itself, unless the one argument that it names is not 1. Partials that
        were set before stay for forward mode, and the rule (a cheaper form of them) serves backward passes.
        """

        def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
            if self.partial_rules:
                slots = set(slots_of(self, inputs))
                self.rules = tuple(
                    other for other in self.rules if not (other.partial and slots.issuperset(other.slots))
                )
            added = add_rule(self, rule, parameters_of(rule)[1:], inputs, False)
            added.native, added.passes = native, passes
            return rule

        return decorate

    def partials(card, /, *, native: Any = None, **rules: Callable[..., Any]) -> None:  # noqa: N805 - an input is self
        """Set partial derivatives by input; both modes follow: `grad * partial.conj()` and `tangent * partial`.

        `native` names the native function of the reverse rule of the one input, see `vjp`.
        """
        card.partial_rules = {}
        for name, rule in rules.items():
            card.partial_rules[name] = added = add_rule(card, rule, parameters_of(rule), (name,), True)
            added.native = native

    def jvp(self, *inputs: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Set the forward rule for `inputs`, if it is not derived: the contribution of their tangents to the result's.

        It is called with their tangents (zeros where one of several has none, 0 for a number) and what it names, as a
        reverse rule; it returns a tangent, None for zero, for several results a tuple of these.
        """

        def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
            names = parameters_of(rule)[len(inputs) :]
            for name in names:
                locate(self, name)
            self.forward_rules = (*self.forward_rules, Rule(rule, names, slots_of(self, inputs), False))
            return rule

        return decorate

    def refuses(self, *inputs: str, words: str | Callable[..., Any]) -> None:
        """Declare that there is no derivative with respect to `inputs`: calls are recorded, and a backward pass is
        refused, as is a call with tangents.

        Args:
            words: torch's name in the error, as in `DEFAULTS`; or a reverse rule that raises it.
        """
        rule = words if callable(words) else refusal(words)
        add_rule(self, rule, parameters_of(rule)[1:], inputs, False)
        self.refused = (*self.refused, *inputs)

    def shows(self, **fields: str | Callable[[Any], Any]) -> None:
        """Declare the `_saved_*` attributes of its nodes that are not saved by rules, or shown in another form.

        Args:
            fields: by name the saved value that is shown; or the form of the value of that name, "as ..."
                (`saved_fields`); or a function that reads the field from a node.
        """
        self.nodes.shown.update(fields)

    def batched(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Set the rule for a batch: called with all arguments, of which all tensors have the batch as first dimension,
        it returns the result, or results, with the batch as first dimension.
        """
        self.batching = batch_rules.written(rule)
        return rule

    def constant_in(self, *inputs: str) -> None:
        """Declare that results are constant almost everywhere in `inputs`, which are marked as an index and may be
        floating-point: gradients and tangents for other index inputs are refused. Call it before the rules.
        """
        mark_constant(self, inputs)

    def saturates(self, where: Callable[[Any], bool]) -> None:
        """Declare where results lose digits that a rule needs: `where(array of an input)`. A rule that names
        `<input>_tail` then receives a copy of the input; otherwise None.
        """
        self.tail = where
        if self.in_place is not None:
            self.in_place.tail = where

    def shape(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Set the rule of the shape and dtype of the results, see `calls.meta`; all forms of the operator have it."""
        RULES[self.name] = rule
        return rule

    @property
    def out_apart(self) -> str | None:
        """The memory that a tensor passed as `out` may not share with inputs, as in `Out`."""
        if self.out.apart != "":
            return self.out.apart
        return "wholly" if self.apart == sources.APART_WHOLLY else "partly" if self.promotion else None

    @property
    def out_words(self) -> Any:
        """Error text for an `out` of another dtype than the result's, as in `Out`."""
        return self.out.words if self.out.words != "" else None if self.promotion else EXACT

    def __reduce__(self) -> tuple[Any, ...]:
        if self.form[1]:
            return forms.function_of, self.form
        return (getattr, (Tensor, self.form[0])) if self.form[0] else (registered, (self.name,))

    __doc__ = DOCSTRING
    __signature__ = SIGNATURE

    @property
    def public(self) -> Any:
        """The function that programs call."""
        return self.public_as(self.name)

    def public_as(self, name: str) -> Any:
        """Return the function that programs call by that name, which is the operator's own or another one."""
        if self.function_of is not None and name == self.name:
            return self.function_of(self)
        return forms.form_of(self, name, "wengert") if self.method and self.function else self


class Composite(Declared):
    """A public function composed of operators, whose derivatives follow from theirs.

    Attributes:
        body: the function.
        method, function: whether it is bound to Tensor, and public in the package.
    """

    method: bool
    function: bool

    def __init__(self, body: Callable[..., Any]) -> None:
        self.body = body
        self.name = body.__name__

    @functools.cached_property
    def public(self) -> Callable[..., Any]:
        """The function that programs call. (A method has its tensor as first argument.)"""
        return checked(self.name, self.body, module="wengert") if self.function else self.body

    @functools.lru_cache  # noqa: B019 - cards stay
    def public_as(self, name: str) -> Callable[..., Any]:
        """Return the function that programs call by that name, which is the function's own or another one."""
        return self.public if name == self.name else checked(name, self.body, module="wengert")


def op(
    *,
    samples: Any = None,
    rules: Callable[[Card], Any] | None = None,
    describes: str = "",
    shape: str = "",
    **options: Any,
) -> Callable[[Callable[..., Any]], Card]:
    """Declare an operator; decorates its body. A family of cards is a `functools.partial` of this.

    Args:
        samples, rules: the generator of samples; a function that sets the rules of the card.
        describes: sections of the docstring, for what the card's own does not say.
        shape: the rule of the shape and the dtype of its results that the family shares, by its name in
            `ops/shape_rules.py`, see `calls.meta`.
        options: those of `DEFAULTS`.
    """

    def decorate(body: Callable[..., Any]) -> Card:
        card = Card.__new__(Card)
        card.name = options.get("name") or body.__name__
        fill_signature(card, body)
        fill_options(card, options, completed(options))
        if shape:
            RULES[card.name] = shape
        card.describes = describes
        card.__name__ = card.__qualname__ = card.name
        card.__module__ = body.__module__
        if options.get("public") != "hidden":
            register(card)
        begin_calls(card)
        how = options.get("inplace")
        if how:
            how = how if isinstance(how, InPlace) else ONLY
            native = how.native or in_place_form(card.native)
            derive_in_place(card, native=native, renamed=how.renamed, by_result=how.by_result)
        why = options.get("why")
        if isinstance(why, tuple):
            card.refuses(*[card.names[at] for at in card.grad_slots], words=why[1])
        if samples is not None:
            card.sampler = samples
        if rules is not None:
            rules(card)
        return card

    return decorate


def pointwise(*, promote: str = "same", **options: Any) -> Callable[[Callable[..., Any]], Card]:
    """Declare an operator that works element by element, on operands promoted and broadcast, numbers among them."""
    options.setdefault("numbers", True)
    options.setdefault("layout", "iterator")
    return op(promote=promote, larger=True, **options)


def composite(*, method: bool = True, function: bool = True, name: str = "") -> Callable[[Callable[..., Any]], Any]:
    """Declare a public function composed of operators."""

    def decorate(body: Any) -> Any:
        card = Composite(body)
        card.name = name or body.__name__
        card.method, card.function = method, function
        register(card)
        body.samples = card.samples
        return body

    return decorate


def register(card: Card | Composite, name: str = "") -> None:
    """Put an operator into the registry, under `name` if that is not empty, and bind its method.

    Raises:
        TypeError: if the name is taken.
    """
    name = name or card.name
    known = CARDS.get(name)
    taken = known is not None and known.body.__code__ != card.body.__code__  # the same: loading it was interrupted
    if taken or (name == card.name and late.homes().get(name, card.body.__module__) != card.body.__module__):
        raise TypeError(f"two operators are called {name}")
    CARDS[name] = card
    if card.method:
        late.bind(name, method_of(card, name))


def method_of(card: Card | Composite, name: str) -> Any:
    """The attribute of Tensor for an operator under its name or another one."""
    if isinstance(card, Composite):
        return checked(name, card.body, method=True)
    return card if name == card.name else forms.form_of(card, name)


def alias(name: str, function: Callable[..., Any]) -> None:
    """Give an operator or a composite another public name; raises a TypeError if it is taken."""
    card = CARDS[function.__name__]
    register(card, name)
    if isinstance(card, Card) and card.method and card.in_place is not None:
        late.bind(name + "_", forms.form_of(card.in_place, name + "_"))


def registered(name: str) -> Card | Composite:
    """Return the operator of that name; called to unpickle an operator."""
    return find(name) or load_all()[name]
