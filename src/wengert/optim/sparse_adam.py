"""SparseAdam, for sparse gradients only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from .._tensor.attributes import flags
from ..ops.neural.optimiser_steps import zeros_as
from ..ops.sparse.create import sparse_coo_tensor
from .optimizer import Group, Params, parameters_of
from .stepwise import State, Stepwise, check_betas, check_rate, options_of

__all__ = ["SparseAdam"]


class SparseAdam(Stepwise):
    """Adam for sparse gradients: only elements with a gradient, and their running means, are updated.

    Args:
        params: real parameters, or groups of them.
        lr: step size.
        betas, eps, maximize: as for `Adam`.

    Raises:
        ValueError: if an option is out of range, or a parameter is complex.
    """

    COUNTS = ()

    OPTIONS = "lr betas eps maximize"

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_rate(lr)
        for text, value in (("learning rate", lr), ("epsilon value", eps)):
            if not value > 0:
                raise ValueError(f"Invalid {text}: {value}")
        check_betas(betas)
        super().__init__(params, options_of(locals(), self.OPTIONS))
        self._refuse(
            lambda parameter: bool(parameter._flags_ & flags.SPARSE), "Sparse", "requires dense parameter tensors"
        )
        self._refuse(lambda parameter: parameter.dtype.is_complex, "Complex", "does not support complex parameters")

    def _refuse(self, wrong: Callable[[Tensor], bool], kind: str, says: str) -> None:
        """Refuse parameters of a kind.

        Raises:
            ValueError: if there are any; the text lists the group and position of each.
        """
        places_of_wrong = [
            [at, inside]
            for at, group in enumerate(self.param_groups)
            for inside, parameter in enumerate(parameters_of([group]))
            if wrong(parameter)
        ]
        if places_of_wrong:
            raise ValueError(f"{kind} params at indices {places_of_wrong}: SparseAdam {says}")

    def _check_sparse(self, group: Group) -> None:
        """Accept sparse gradients."""

    def _check_gradient(self, parameter: Tensor, grad: Tensor) -> None:
        if not grad._flags_ & flags.SPARSE:
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")

    def _started(self, parameter: Tensor, group: Group) -> State:
        return {"step": 0, "exp_avg": zeros_as(parameter), "exp_avg_sq": zeros_as(parameter)}  # type: ignore[dict-item]

    def _move(self, parameter: Any, grad: Any, state: Any, group: Group, differentiable: bool) -> None:
        grad = (-grad if group["maximize"] else grad).coalesce()
        state["step"] += 1
        if not grad._nnz():
            return
        first, second = group["betas"]
        places, values, shape = grad._indices(), grad._values(), grad.shape
        mean, square = (state[name].sparse_mask(grad)._values() for name in ("exp_avg", "exp_avg_sq"))
        change = (values - mean).mul_(1 - first)
        widening = values.pow(2).sub_(square).mul_(1 - second)
        state["exp_avg"].add_(sparse_coo_tensor(places, change, shape))
        state["exp_avg_sq"].add_(sparse_coo_tensor(places, widening, shape))
        numerator, divisor = mean.add_(change), square.add_(widening).sqrt_().add_(group["eps"])
        step = state["step"]
        rate = float(group["lr"]) * (1 - second**step) ** 0.5 / (1 - first**step)
        parameter.add_(sparse_coo_tensor(places, numerator.div_(divisor).mul_(-rate), shape))
