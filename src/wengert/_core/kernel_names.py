"""How torch's errors about dtypes call the kernels of operators."""

from __future__ import annotations

VECTORISED = frozenset(["ceil", "erf", "erfc", "erfinv", "floor", "i0", "lgamma", "round", "trunc"])
"""Functions of one operand whose loops have a name of their own kind."""

KERNELS = {
    "_polygamma": "polygamma", "_rrelu": "leaky_relu_cpu", "adaptive_avg_pool2d": "adaptive_avg_pool2d",
    "adaptive_max_pool2d": "adaptive_max_pool2d", "add": "add_stub", "addcmul": "addcmul_cpu_out",
    "avg_pool2d": "avg_pool2d", "binary_cross_entropy": "binary_cross_entropy", "bitwise_left_shift": "lshift_cpu",
    "bitwise_right_shift": "rshift_cpu", "celu": "elu_cpu", "digamma": "digamma", "dot": "dot", "fmax": "maximum_cpu",
    "fmin": "minimum_cpu", "floor_divide": "div_floor_cpu", "gelu": "GeluKernelImpl", "hardtanh": "clamp_scalar_cpu",
    "logsigmoid": "log_sigmoid_cpu", "max_all": "max_all", "max_pool2d": "max_pool2d", "min_all": "min_all",
    "multilabel_margin_loss_forward_out_frame": "multilabel_margin_loss_forward_out_frame", "polygamma": "polygamma",
    "pow": "pow", "random": "random_kernel_cpu", "rsub": "add_stub", "sgn": "sign_cpu",
    "softshrink": "softshrink_check", "square": "pow", "sub": "add_stub", "trace": "trace", "unique": "unique",
}  # fmt: skip
"""By the name of the operator, where the kernel is not called after it."""

WHOLE = ("_impl", "_bounds", "_handling", "_out", "_", "Impl")
"""Ends of names that are those of kernels."""


def kernel_name(name: str) -> str:
    """The name of a kernel.

    Args:
        name: that of the operator, or of the kernel itself.
    """
    if name in KERNELS:
        return KERNELS[name]
    if "_cpu" in name or name.endswith(WHOLE):
        return name
    return f"{name}_vml_cpu" if name in VECTORISED else f"{name.removeprefix('special_')}_cpu"
