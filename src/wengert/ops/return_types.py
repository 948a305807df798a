"""Named tuples that operators with several results return, printed as torch's."""

from __future__ import annotations

import sys
from operator import itemgetter
from typing import Any


def return_type(name: str, fields: tuple[str, ...]) -> type[tuple[Any, ...]]:
    """Return a class of tuples with named elements.

    Args:
        name: name of the operator.
        fields: names of the elements.
    """

    def represent(self: tuple[Any, ...]) -> str:
        lines = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self))
        return f"torch.return_types.{name}(\n{lines})"

    members: dict[str, Any] = {
        "__slots__": (),
        "__repr__": represent,
        "__module__": "wengert.return_types",
        "__doc__": f"What `{name}` returns: ({', '.join(fields)}).",
        "__match_args__": fields,
        "n_fields": len(fields),
        "n_sequence_fields": len(fields),
        "n_unnamed_fields": 0,
        "__reduce__": lambda self: (type(self), (tuple(self),)),
        "written": classmethod(written),
    }
    for at, field in enumerate(fields):
        members[field] = property(itemgetter(at), doc=f"Element {at}.")
    return type(name, (tuple,), members)


def written(cls: type[tuple[Any, ...]], tensors: Any) -> tuple[Any, ...]:
    """Return the tensors passed as `out`, in the class that torch returns then: another one, named after the first."""
    return getattr(sys.modules[__name__], f"{cls.__name__}_out")(tensors)  # type: ignore[no-any-return]


def named(cls: Any, results: Any, out: Any) -> Any:
    """Return the results of an operator in their class, which is another one if they were written into `out`."""
    return cls(results) if out is None else cls.written(results)


def __getattr__(name: str) -> Any:
    """Return a class of results that were written into `out`, created on first use."""
    kind: Any = globals().get(name.removesuffix("_out")) if name.endswith("_out") else None
    if not hasattr(kind, "n_fields"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    result = globals()[name] = return_type(name, kind.__match_args__)
    return result


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
linalg_inv_ex = return_type("linalg_inv_ex", ("inverse", "info"))
linalg_solve_ex = return_type("linalg_solve_ex", ("result", "info"))
linalg_cholesky_ex = return_type("linalg_cholesky_ex", ("L", "info"))
linalg_slogdet = return_type("linalg_slogdet", ("sign", "logabsdet"))
slogdet = return_type("slogdet", ("sign", "logabsdet"))
linalg_qr = return_type("linalg_qr", ("Q", "R"))
qr = return_type("qr", ("Q", "R"))
geqrf = return_type("geqrf", ("a", "tau"))
linalg_eigh = return_type("linalg_eigh", ("eigenvalues", "eigenvectors"))
linalg_eig = return_type("linalg_eig", ("eigenvalues", "eigenvectors"))
linalg_svd = return_type("linalg_svd", ("U", "S", "Vh"))
svd = return_type("svd", ("U", "S", "V"))
linalg_lstsq = return_type("linalg_lstsq", ("solution", "residuals", "rank", "singular_values"))
linalg_lu = return_type("linalg_lu", ("P", "L", "U"))
linalg_lu_factor = return_type("linalg_lu_factor", ("LU", "pivots"))
linalg_lu_factor_ex = return_type("linalg_lu_factor_ex", ("LU", "pivots", "info"))
lu_unpack = return_type("lu_unpack", ("P", "L", "U"))
linalg_ldl_factor = return_type("linalg_ldl_factor", ("LD", "pivots"))
linalg_ldl_factor_ex = return_type("linalg_ldl_factor_ex", ("LD", "pivots", "info"))
triangular_solve = return_type("triangular_solve", ("solution", "cloned_coefficient"))
