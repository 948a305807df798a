"""Formulas of operators in mpmath, for comparison in many digits."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Formula = Callable[[Any], Any]


def normal(x: Any) -> Any:
    """The normal distribution function."""
    import mpmath as mp

    return mp.erfc(-x / mp.sqrt(2)) / 2


def logistic(x: Any) -> Any:
    """1 / (1 + e^-x)."""
    import mpmath as mp

    return 1 / (1 + mp.exp(-x))


def inverse_cosine(x: Any) -> Any:
    """Inverse hyperbolic cosine with a branch cut below 1: mpmath's own, before 1.4, confuses the sides of the cut.

    Source: Kahan, Branch cuts for complex elementary functions, 1987.
    """
    import mpmath as mp

    return 2 * mp.log(mp.sqrt((x + 1) / 2) + mp.sqrt((x - 1) / 2))


def elementary() -> dict[str, Formula]:
    """Return the formula of each operator of one tensor by the name of its card, without aliases such as `arcsin`."""
    import mpmath as mp

    return {
        **{name: getattr(mp, name) for name in ("acos", "asin", "asinh", "atan", "atanh", "cos", "cosh")},
        **{name: getattr(mp, name) for name in ("erf", "erfc", "exp", "log", "log10", "sin", "sinh", "tan", "tanh")},
        "acosh": inverse_cosine,
        "deg2rad": lambda x: x * mp.pi / 180,
        "exp2": lambda x: mp.exp(x * mp.log(2)),
        "expm1": mp.expm1,
        "gelu": lambda x: x * normal(x),
        "log1p": mp.log1p,
        "log2": lambda x: mp.log(x) / mp.log(2),
        "logit": lambda x: mp.log(x / (1 - x)),
        "logsigmoid": lambda x: -mp.log1p(mp.exp(-x)),
        "mish": lambda x: x * mp.tanh(mp.log1p(mp.exp(x))),
        "rad2deg": lambda x: x * 180 / mp.pi,
        "reciprocal": lambda x: 1 / x,
        "rsqrt": lambda x: 1 / mp.sqrt(x),
        "sigmoid": logistic,
        "silu": lambda x: x * logistic(x),
        "softplus": lambda x: mp.log1p(mp.exp(x)),
        "sqrt": mp.sqrt,
        "square": lambda x: x * x,
    }


def special() -> dict[str, Formula]:
    """Return the formulas of operators that SciPy computes."""
    import mpmath as mp

    def second_kind(x: Any) -> Any:
        """Y1 by the Wronskian: mpmath takes seconds for the function itself (Abramowitz and Stegun, 9.1.16)."""
        return (mp.besselj(1, x) * mp.bessely(0, x) - 2 / (mp.pi * x)) / mp.besselj(0, x)

    def modified_second_kind(x: Any) -> Any:
        """K1, likewise (Abramowitz and Stegun, 9.6.15)."""
        return (1 / x - mp.besseli(1, x) * mp.besselk(0, x)) / mp.besseli(0, x)

    return {
        "digamma": mp.digamma,
        "erfinv": mp.erfinv,
        "i0": lambda x: mp.besseli(0, x),
        "lgamma": lambda x: mp.re(mp.loggamma(x)),
        "sinc": lambda x: mp.sin(mp.pi * x) / (mp.pi * x),
        "special_airy_ai": mp.airyai,
        "_airy_ai_derivative": lambda x: mp.airyai(x, derivative=1),
        **{f"special_bessel_j{order}": functools.partial(mp.besselj, order) for order in (0, 1)},
        "special_bessel_y0": functools.partial(mp.bessely, 0),
        "special_bessel_y1": second_kind,
        **{f"special_modified_bessel_i{order}": functools.partial(mp.besseli, order) for order in (0, 1)},
        "special_modified_bessel_k0": functools.partial(mp.besselk, 0),
        "special_modified_bessel_k1": modified_second_kind,
        "special_scaled_modified_bessel_k0": lambda x: mp.exp(x) * mp.besselk(0, x),
        "special_scaled_modified_bessel_k1": lambda x: mp.exp(x) * modified_second_kind(x),
        "special_spherical_bessel_j0": lambda x: mp.sin(x) / x,
        "special_entr": lambda x: -x * mp.log(x),
        "special_erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
        "special_i0e": lambda x: mp.exp(-abs(x)) * mp.besseli(0, x),
        "special_i1": lambda x: mp.besseli(1, x),
        "special_i1e": lambda x: mp.exp(-abs(x)) * mp.besseli(1, x),
        "special_log_ndtr": lambda x: mp.log(normal(x)),
        "special_ndtri": lambda x: mp.sqrt(2) * mp.erfinv(2 * x - 1),
    }


Section = tuple[str, Callable[[Any], tuple[Any, ...]], Formula]


def sections() -> dict[str, Section]:
    """Return operators of several arguments along lines: name, arguments on the line, formula on it.

    Derivatives along lines in three directions determine all derivatives with respect to two tensors, also mixed ones.
    """
    import mpmath as mp

    def two(name: str, formula: Callable[[Any, Any], Any]) -> dict[str, Section]:
        half, fixed = mp.mpf(1) / 2, mp.mpf(7) / 4
        return {
            f"{name}(x, 7/4)": (name, lambda x: (x, x.new_full(x.shape, 1.75)), lambda x: formula(x, fixed)),
            f"{name}(7/4, x)": (name, lambda x: (x.new_full(x.shape, 1.75), x), lambda x: formula(fixed, x)),
            f"{name}(x, 2 - x/2)": (name, lambda x: (x, 2 - x / 2), lambda x: formula(x, 2 - x * half)),
        }

    return {
        **two("atan2", lambda y, x: mp.atan2(y, x) if not mp.im(y) and not mp.im(x) else mp.atan(y / x)),
        **two("hypot", lambda x, y: mp.sqrt(x * x + y * y)),
        **two("ldexp", lambda x, y: x * mp.mpf(2) ** y),
        **two("logaddexp", lambda x, y: mp.log(mp.exp(x) + mp.exp(y))),
        **two("logaddexp2", lambda x, y: mp.log(mp.mpf(2) ** x + mp.mpf(2) ** y) / mp.log(2)),
        **two("pow", lambda x, y: mp.exp(y * mp.log(x))),
        **two("special_xlog1py", lambda x, y: x * mp.log1p(y)),
        **two("xlogy", lambda x, y: x * mp.log(y)),
        "polygamma(1, x)": ("polygamma", lambda x: (1, x), lambda x: mp.psi(1, x)),
        "polygamma(3, x)": ("polygamma", lambda x: (3, x), lambda x: mp.psi(3, x)),
        "mvlgamma(x, 2)": (
            "mvlgamma",
            lambda x: (x, 2),
            lambda x: mp.log(mp.pi) / 2 + mp.loggamma(x) + mp.loggamma(x - mp.mpf(1) / 2),
        ),
    }
