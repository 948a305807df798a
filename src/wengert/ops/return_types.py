"""What operators with several results return: tuples whose elements have names, which print as torch's."""

from __future__ import annotations

from operator import itemgetter
from typing import Any


def return_type(name: str, fields: tuple[str, ...]) -> type[tuple[Any, ...]]:
    """A class of tuples with named elements.

    Args:
        name: of the operator.
        fields: names of the elements.
    """

    def represent(self: tuple[Any, ...]) -> str:
        lines = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self))
        return f"torch.return_types.{name}(\n{lines})"

    members: dict[str, Any] = {
        "__slots__": (),
        "__repr__": represent,
        "__module__": "wengert.ops.return_types",
        "__doc__": f"What `{name}` returns: ({', '.join(fields)}).",
        "__match_args__": fields,
        "__reduce__": lambda self: (type(self), (tuple(self),)),
    }
    for at, field in enumerate(fields):
        members[field] = property(itemgetter(at), doc=f"Element {at}.")
    return type(name, (tuple,), members)


max = return_type("max", ("values", "indices"))
min = return_type("min", ("values", "indices"))
aminmax = return_type("aminmax", ("min", "max"))
frexp = return_type("frexp", ("mantissa", "exponent"))
sort = return_type("sort", ("values", "indices"))
topk = return_type("topk", ("values", "indices"))
kthvalue = return_type("kthvalue", ("values", "indices"))
median = return_type("median", ("values", "indices"))
nanmedian = return_type("nanmedian", ("values", "indices"))
mode = return_type("mode", ("values", "indices"))
cummax = return_type("cummax", ("values", "indices"))
cummin = return_type("cummin", ("values", "indices"))
histogram = return_type("histogram", ("hist", "bin_edges"))
histogramdd = return_type("histogramdd", ("hist", "bin_edges"))
