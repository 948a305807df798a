"""The C++ sources include what they name: other compilers' headers include other headers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[2] / "src" / "wengert" / "_kernels" / "native"

HEADERS = {
    "algorithm": "any_of clamp copy copy_n equal fill fill_n lower_bound max min nth_element reverse sort upper_bound",
    "array": "array",
    "atomic": "atomic memory_order_acquire memory_order_relaxed memory_order_release",
    "chrono": "chrono",
    "cmath": "ceil exp fabs floor fma isfinite isinf isnan ldexp log pow signbit sqrt trunc",
    "complex": "complex",
    "condition_variable": "condition_variable",
    "cstdlib": "abort calloc free getenv malloc",
    "cstring": "memcmp memcpy memmove memset strcmp strlen",
    "exception": "exception terminate",
    "functional": "function greater less",
    "initializer_list": "initializer_list",
    "limits": "numeric_limits",
    "memory": "make_unique shared_ptr unique_ptr",
    "mutex": "lock_guard mutex once_flag scoped_lock unique_lock",
    "new": "bad_alloc nothrow",
    "numeric": "accumulate gcd iota",
    "optional": "nullopt optional",
    "string": "string to_string",
    "system_error": "system_error",
    "thread": "this_thread thread",
    "tuple": "make_tuple tuple",
    "type_traits": "conditional_t enable_if_t is_floating_point is_same is_same_v make_unsigned_t",
    "utility": "exchange forward move pair swap",
    "vector": "vector",
}
HOME = {name: header for header, names in HEADERS.items() for name in names.split()}


def sources_of(path: Path) -> set[Path]:
    """A file, and those of ours that it includes."""
    found, left = set(), [path]
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            inner = (NATIVE / name for name in re.findall(r'#include "([^"]+)"', each.read_text()))
            left += [path for path in inner if path.exists()]
    return found


@pytest.mark.parametrize("path", sorted(NATIVE.rglob("*.cpp")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_is_named_is_included(path: Path) -> None:
    text = "\n".join(re.sub("//.*", "", each.read_text()) for each in sources_of(path))
    included = set(re.findall(r"#include <([^>]+)>", text))
    named = set(re.findall(r"\bstd::(\w+)", text))
    missing = {name: HOME[name] for name in sorted(named) if name in HOME and HOME[name] not in included}
    assert not missing
