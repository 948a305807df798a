"""Regions of autocast on the CPU: which operators compute in which dtype, nesting, decorators, custom Functions."""

from __future__ import annotations

import warnings


def given(torch):
    """Two matrices, the second one a parameter."""
    return torch.ones(2, 3), torch.full((4, 3), 0.3, requires_grad=True)


def products_are_short(torch):
    x, weight = given(torch)
    functional = torch.nn.functional
    with torch.autocast("cpu"):
        return [
            x @ weight.t(),
            functional.linear(x, weight),
            torch.mm(x, weight.t()),
            torch.bmm(x[None], weight.t()[None]),
            torch.addmm(torch.ones(4), x, weight.t()),
            torch.einsum("ij,kj->ik", x, weight),
            weight[0] @ weight[0],
            x @ weight[0],
            torch.mv(x, weight[0]),
            functional.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2)),
            functional.prelu(x, torch.ones(1)),
            torch.linalg.vecdot(x, x),
            torch.tensordot(x, weight, ([1], [1])),
        ]


def losses_are_long(torch):
    x = torch.ones(2, 3, dtype=torch.bfloat16)
    functional = torch.nn.functional
    with torch.autocast("cpu"):
        return [
            functional.cross_entropy(x, torch.tensor([0, 1])),
            functional.mse_loss(x, x * 2),
            functional.l1_loss(x, x * 2),
            functional.nll_loss(x, torch.tensor([0, 1])),
            functional.kl_div(x, x),
            functional.binary_cross_entropy(x, x),
            functional.huber_loss(x, x * 2),
            x.prod(),
            x[:, :2].trace(),
            torch.quantile(x, 0.5),
            torch.cdist(x, x),
            functional.pad(x[None], (1, 1), "reflect"),
            torch.linalg.inv(torch.eye(2, dtype=torch.bfloat16)),
        ]


def all_else_keeps_its_type(torch):
    x, weight = given(torch)
    functional = torch.nn.functional
    with torch.autocast("cpu"):
        made = x @ weight.t()
        return [x + 1, made + x[:, :1], made.softmax(-1), functional.layer_norm(made, (4,)), made.sum(), made.exp()]


def joined_tensors_are_of_the_widest_type(torch):
    x = torch.ones(2)
    with torch.autocast("cpu"):
        return [torch.cat([x.bfloat16(), x]), torch.stack([x.bfloat16(), x.bfloat16()]), torch.stack([x, x.half()])]


def double_precision_takes_no_part(torch):
    x, weight = given(torch)
    with torch.autocast("cpu"):
        return x.double() @ weight.t().double()


def the_other_half(torch):
    x, weight = given(torch)
    with torch.autocast("cpu", dtype=torch.float16):
        return [x @ weight.t(), torch.get_autocast_dtype("cpu")]


def another_type_switches_it_off(torch):
    x, weight = given(torch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autocast("cpu", dtype=torch.float32):
            return [x @ weight.t(), [str(each.message) for each in caught]]


def regions_nest(torch):
    x, weight = given(torch)
    found = []
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found.append((x @ weight.t()).dtype)
        with torch.autocast("cpu", enabled=False):
            found += [(x @ weight.t()).dtype, torch.is_autocast_enabled("cpu")]
            with torch.amp.autocast("cpu", dtype=torch.float16):
                found.append((x @ weight.t()).dtype)
        found += [(x @ weight.t()).dtype, torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")]
    return [*found, (x @ weight.t()).dtype, torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled()]


def an_error_ends_the_region(torch):
    try:
        with torch.autocast("cpu"):
            raise KeyError
    except KeyError:
        return torch.is_autocast_enabled("cpu")


def a_decorated_function(torch):
    @torch.autocast("cpu", dtype=torch.bfloat16)
    def product(x, weight):
        """The product."""
        return x @ weight.t()

    return [product(*given(torch)), product.__name__, torch.is_autocast_enabled("cpu")]


def gradients_come_back_in_their_type(torch):
    x, weight = given(torch)
    with torch.autocast("cpu"):
        made = torch.nn.functional.linear(x, weight)
        loss = torch.nn.functional.mse_loss(made, torch.zeros(2, 4))
    loss.backward()
    return [made, loss, weight.grad]


def a_parameter_is_cast_once(torch):
    x, weight = given(torch)
    with torch.autocast("cpu"):
        first, second = torch.mm(weight, weight.t()), torch.mm(weight, x.t())
        casts = [each.grad_fn.next_functions[0][0] for each in (first, second)]
    with torch.autocast("cpu", cache_enabled=False):
        apart = [torch.mm(weight, x.t()).grad_fn.next_functions[0][0] for _ in range(2)]
    return [casts[0] is casts[1], apart[0] is apart[1], casts[0].name()]


def writes_are_left_alone(torch):
    with torch.autocast("cpu"):
        return torch.ones(2, 2).addmm_(torch.ones(2, 2), torch.ones(2, 2))


def switches(torch):
    found = [torch.is_autocast_cache_enabled(), torch.get_autocast_dtype("cpu"), torch.get_autocast_dtype("cuda")]
    torch.set_autocast_enabled("cpu", True)
    torch.set_autocast_dtype("cpu", torch.float16)
    found += [torch.is_autocast_enabled("cpu"), (torch.ones(2, 2) @ torch.ones(2, 2)).dtype]
    torch.set_autocast_enabled("cpu", False)
    torch.set_autocast_dtype("cpu", torch.bfloat16)
    torch.clear_autocast_cache()
    return [*found, torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()]


def available_devices(torch):
    return torch.amp.is_autocast_available("cpu")


def no_device(torch):
    return torch.autocast("abacus")


def no_type_of_device(torch):
    return torch.autocast(3)


def functions(torch, options):
    """A custom Function that tells in which types and modes it ran."""
    told = []

    class Product(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", **options)
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            told.append([a.dtype, torch.is_autocast_enabled("cpu"), ctx._fwd_used_autocast])
            return a.mm(b)

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            a, b = ctx.saved_tensors
            told.append([torch.is_autocast_enabled("cpu"), grad.dtype])
            return grad.mm(b.t()), a.t().mm(grad)

    return Product, told


def a_custom_function_in_a_region(torch):
    product, told = functions(torch, {})
    a, b = (torch.ones(2, 2, requires_grad=True) for _ in range(2))
    with torch.autocast("cpu"):
        made = product.apply(a, b)
    made.sum().backward()
    return [made, a.grad, told]


def a_custom_function_with_a_type_of_its_own(torch):
    product, told = functions(torch, {"cast_inputs": torch.float32})
    a, b = (torch.ones(2, 2, requires_grad=True) for _ in range(2))
    with torch.autocast("cpu"):
        made = product.apply(a.bfloat16(), b)
    made.sum().backward()
    outside = product.apply(a, b)
    return [made, outside, a.grad, told]
