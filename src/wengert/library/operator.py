"""User-defined operators: an opaque kernel, and the rules registered for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..amp.casting import is_autocast_enabled
from ..autograd import no_grad
from ..autograd.graph import increment_version
from ..ops import namespaces
from .arguments import cast, flattened, gathered, tensors_in
from .recording import function_of
from .schema import Schema

ALIASED = (
    "{}: The output of this custom operator (1) must not also be an input to this custom operator and (2) may not "
    "alias any inputs to this custom operator or other returns: return a clone"
)


class OpOverload(namespaces.OpOverload):
    """A user-defined operator, `torch.ops.<namespace>.<name>.default`.

    Attributes:
        kernel: function that computes the results, without recording; None if there is none yet.
        first: kernel of the declaration, which runs while the other kernel is disabled.
        whole: function that replaces everything else, and whose operations are recorded; or None.
        backward, setup_context: the derivative, as of a custom Function; or None.
        batch_rule: batching rule, as `Function.vmap`; without one, members are computed one by one.
        fake: function that returns results of the right shapes, called on the device "meta".
        cast_to: dtype of floating-point tensors within autocast, or None.
        autocast: function that replaces everything else within autocast, or None.
        function: the custom Function that records calls.
    """

    _overloadname = "default"

    def __init__(self, schema: Schema, kernel: Callable[..., Any] | None = None) -> None:
        self._schema = schema
        self._name, self._opname = schema.name, schema.name.partition("::")[2]
        self.__name__ = f"{self._opname}.default"
        self.first = self.kernel = kernel
        self.whole: Callable[..., Any] | None = None
        self.backward: Callable[..., Any] | None = None
        self.setup_context: Callable[..., Any] | None = None
        self.batch_rule: Callable[..., Any] | None = None
        self.fake: Callable[..., Any] | None = None
        self.cast_to: Any = None
        self.autocast: Callable[..., Any] | None = None
        self.function = function_of(self)

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.dotted}', overload='default')>"

    def __str__(self) -> str:
        return f"{self.dotted}.default"

    @property
    def namespace(self) -> str:
        """Namespace of the operator."""
        return self._schema.name.partition("::")[0]

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """The packet of all overloads, `torch.ops.<namespace>.<name>`."""
        space, _, name = self._schema.name.partition("::")
        return getattr(namespaces.namespace(space), name)

    @property
    def dotted(self) -> str:
        """Name with a dot, `mylib.sine`."""
        return self._schema.name.replace("::", ".")

    def name(self) -> str:
        """Return the qualified name."""
        return self._schema.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the operator.

        Raises:
            NotImplementedError: if the operator has no kernel.
            RuntimeError: if arguments do not fit the schema, or a result is an argument or shares its memory.
        """
        values = self._schema.bound(args, kwargs)
        if (self.cast_to is not None or self.autocast is not None) and is_autocast_enabled("cpu"):
            if self.autocast is not None:
                return self.called(self.autocast, values)
            values = [cast(value, self.cast_to) for value in values]
        if self.whole is not None:
            return self.called(self.whole, values)
        if self._schema.mutates:
            return self.mutating(values)
        flat, layout = flattened(self._schema.arguments, values)
        results = self.function.apply(*flat, layout)
        if self.returns_lists:
            return tuple(gathered(results[:-1], results[-1]))
        return list(results) if self.returns_list else results

    @property
    def returns_list(self) -> bool:
        """True if the result is a list of tensors."""
        return self._schema.returns == ("Tensor[]",)

    @property
    def returns_lists(self) -> bool:
        """True if one of several results is a list of tensors."""
        return len(self._schema.returns) > 1 and any(kind.endswith("]") for kind in self._schema.returns)

    def called(self, function: Callable[..., Any], values: list[Any]) -> Any:
        """Call a user's function with the values of all parameters, keyword-only ones by name."""
        both = list(zip(self._schema.arguments, values))
        positional = [value for argument, value in both if not argument.keyword_only]
        return function(*positional, **{argument.name: value for argument, value in both if argument.keyword_only})

    def shown(self) -> Callable[..., Any] | None:
        """Return the function for shapes and dtypes of results; None if the operator returns nothing.

        Raises:
            RuntimeError: if there are results, and no such function is registered.
        """
        if self.fake is None and self._schema.returns:
            called = getattr(self.first, "__name__", self._opname)
            raise RuntimeError(
                f"There was no fake impl registered for <CustomOpDef({self.name()})>. This is necessary for "
                f"torch.compile/export/fx tracing to work. Please use `{called}.register_fake` to add an fake impl."
            )
        return self.fake

    def run(self, values: list[Any]) -> Any:
        """Run the kernel; for tensors on the device "meta", the function for shapes and dtypes.

        Raises:
            NotImplementedError: if the operator has no kernel.
            RuntimeError: if a result is an argument, or shares memory with one or with another result.
        """
        if any(tensor.device.type == "meta" for tensor in tensors_in(values)):
            fake = self.shown()
            return None if fake is None else self.called(fake, values)
        if self.kernel is None:
            raise NotImplementedError(f"Could not run '{self.name()}' with arguments from the 'CPU' backend: no kernel")
        result = self.called(self.kernel, values)
        known = {memory(tensor) for tensor in tensors_in(values)} - {0}
        for tensor in tensors_in(result):
            if memory(tensor) in known:
                raise RuntimeError(ALIASED.format(self.name()))
            known |= {memory(tensor)} - {0}
        return result

    def mutating(self, values: list[Any]) -> Any:
        """Run a kernel that writes to arguments, and count the writes."""
        with no_grad():
            result = self.run(values)
        for argument, value in zip(self._schema.arguments, values):
            if argument.mutated:
                increment_version(tensors_in(value))
        return result


class OpOverloadPacket(namespaces.OpOverloadPacket):
    """The overloads of an operator (always one), `torch.ops.<namespace>.<name>`."""

    def __init__(self, op: OpOverload) -> None:
        self.default = op
        self._qualified_op_name = op.name()
        self.__name__ = op._opname

    def __getattr__(self, name: str) -> Any:
        dotted = vars(self)["default"].dotted if "default" in vars(self) else ""
        raise AttributeError(f"The underlying op of '{dotted}' has no overload name '{name}'")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the operator."""
        return self.default(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self.default.dotted}')>"

    def __str__(self) -> str:
        return self.default.dotted

    def overloads(self) -> list[str]:
        """Return the names of the overloads."""
        return ["default"]


def memory(tensor: Tensor) -> int:
    """Return the address of a tensor's memory; 0 if it has no elements."""
    return tensor.untyped_storage().data_ptr() if tensor.numel() else 0
