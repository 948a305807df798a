"""Mistakes that mypy must find, each with its code (`tools/check_stub.py`), and that fail when they are run."""

from __future__ import annotations

import wengert as wg
import wengert.nn.functional as F

x = wg.ones(3)

x.view("a")  # error: arg-type
x.sum(0, keep=True)  # error: call-arg
x.sum("rows")  # error: arg-type
x.add()  # error: call-arg
x.add("one")  # error: arg-type
x.add(x, 2)  # error: call-arg
x.not_there()  # error: attr-defined
x.abs(1)  # error: call-arg
x.ndim = 2  # error: misc
_ = x.max(0).value  # error: attr-defined
x.size("a")  # error: call-overload
x.reshape(2.5)  # error: call-overload
x.item(0)  # error: call-arg
x.add_(None)  # error: arg-type
x.grad.sum()  # error: union-attr
x + "one"  # error: operator
x @ [1, 2]  # error: operator
x.requires_grad_("yes")  # error: arg-type
wg.cat(3)  # error: arg-type
wg.cat([x, 2])  # error: list-item
wg.ones("three")  # error: arg-type
wg.zeros(3, dtype="float32")  # error: call-overload
wg.no_such_function(x)  # error: attr-defined
wg.sum([1, 2, 3])  # error: arg-type
wg.matmul(x)  # error: call-arg
wg.matmul(x, 2)  # error: arg-type
_ = wg.Sizes  # error: attr-defined
_ = wg.version.no_such_name  # error: attr-defined
F.gelu(x, "tanh")  # error: call-arg
F.linear(x)  # error: call-arg
F.mse_loss(x, 0)  # error: arg-type
F.mse(x, x)  # error: attr-defined
length: int = x.sum()  # error: assignment
wg.max(x, 0) + 1  # error: operator
