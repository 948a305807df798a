"""All in-place operations: values, versions, gradients and names of nodes, on results and on views."""

from __future__ import annotations

from tests.parity.programs.common import caught, node_name

WRITES = {
    "add_": lambda y, v: y.add_(v),
    "sub_": lambda y, v: y.sub_(v),
    "mul_": lambda y, v: y.mul_(v),
    "div_": lambda y, v: y.div_(v),
    "pow_": lambda y, v: y.pow_(2),
    "exp_": lambda y, v: y.exp_(),
    "log_": lambda y, v: y.log_(),
    "sqrt_": lambda y, v: y.sqrt_(),
    "neg_": lambda y, v: y.neg_(),
    "abs_": lambda y, v: y.abs_(),
    "tanh_": lambda y, v: y.tanh_(),
    "sigmoid_": lambda y, v: y.sigmoid_(),
    "relu_": lambda y, v: y.relu_(),
    "sin_": lambda y, v: y.sin_(),
    "reciprocal_": lambda y, v: y.reciprocal_(),
    "clamp_": lambda y, v: y.clamp_(2, 4),
    "zero_": lambda y, v: y.zero_(),
    "fill_": lambda y, v: y.fill_(3),
    "copy_": lambda y, v: y.copy_(v),
    "masked_fill_": lambda y, v: y.masked_fill_(y.detach() > 2, 0.5),
    "masked_scatter_": lambda y, v: y.masked_scatter_(y.detach() > 2, v),
    "index_put_": lambda y, v: y.index_put_(([0, 1],) if False else (v.long() * 0,), v),
    "index_fill_": lambda y, v: y.index_fill_(0, v.long()[:2] * 0, 9.0),
    "index_copy_": lambda y, v: y.index_copy_(0, v.long()[:1] * 0, v[:1]),
    "index_add_": lambda y, v: y.index_add_(0, v.long()[:2] * 0, v[:2]),
    "scatter_": lambda y, v: y.scatter_(0, v.long()[:2] * 0, 7.0),
    "scatter_add_": lambda y, v: y.scatter_add_(0, v.long()[:2] * 0, v[:2]),
    "addcmul_": lambda y, v: y.addcmul_(v, v, value=0.5),
    "addcdiv_": lambda y, v: y.addcdiv_(v, v, value=0.5),
    "lerp_": lambda y, v: y.lerp_(v, 0.25),
    "cumsum_": lambda y, v: y.cumsum_(0),
    "setitem number": lambda y, v: y.__setitem__(1, 5.0),
    "setitem slice": lambda y, v: y.__setitem__(slice(0, 2), v[:2]),
    "setitem mask": lambda y, v: y.__setitem__(y.detach() > 2, 5.0),
    "setitem list": lambda y, v: y.__setitem__([0, 2], v[:2]),
    "setitem step": lambda y, v: y.__setitem__(slice(None, None, 2), 0.0),
    "sign_": lambda y, v: y.sign_(),
    "floor_": lambda y, v: y.floor_(),
    "atan2_": lambda y, v: y.atan2_(v),
    "remainder_": lambda y, v: y.remainder_(2.0),
    "fmod_": lambda y, v: y.fmod_(2.0),
    "erf_": lambda y, v: y.erf_(),
    "log1p_": lambda y, v: y.log1p_(),
    "expm1_": lambda y, v: y.expm1_(),
    "rsqrt_": lambda y, v: y.rsqrt_(),
    "square_": lambda y, v: y.square_(),
    "clamp_min_": lambda y, v: y.clamp_min_(2.0),
    "clamp_max_": lambda y, v: y.clamp_max_(2.0),
    "triu_": lambda y, v: y.view(2, 2).triu_(),
    "tril_": lambda y, v: y.view(2, 2).tril_(),
    "t_": lambda y, v: y.view(2, 2).t_(),
    "squeeze_": lambda y, v: y.unsqueeze(0).squeeze_(),
    "unsqueeze_": lambda y, v: y.unsqueeze_(0),
    "transpose_": lambda y, v: y.view(2, 2).transpose_(0, 1),
    "swapdims_": lambda y, v: y.view(2, 2).swapdims_(0, 1),
    "nan_to_num_": lambda y, v: y.nan_to_num_(),
    "fill_diagonal_": lambda y, v: y.view(2, 2).fill_diagonal_(5.0),
}


def gradients_of_writes(torch):
    found = []
    for name, write in WRITES.items():
        x = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64, requires_grad=True)
        v = torch.tensor([2.0, 0.5, 1.5, 3.0], dtype=torch.float64, requires_grad=True)
        y = x * 1
        error = caught(lambda w=write, y=y, v=v: w(y, v))
        grads = caught(lambda y=y, x=x, v=v: torch.autograd.grad((y * y).sum(), (x, v), allow_unused=True))
        found.append((name, error if isinstance(error, Exception) else "written", y.detach(), y._version, grads))
    return found


def gradients_of_writes_to_views(torch):
    found = []
    for name, write in WRITES.items():
        x = torch.tensor([0.5, 1.0, 2.0, 3.0, 4.0, 5.0], dtype=torch.float64, requires_grad=True)
        v = torch.tensor([2.0, 0.5, 1.5, 3.0], dtype=torch.float64, requires_grad=True)
        y = x * 1
        error = caught(lambda w=write, y=y, v=v: w(y[1:5], v))
        grads = caught(lambda y=y, x=x, v=v: torch.autograd.grad((y * y).sum(), (x, v), allow_unused=True))
        found.append((name, error if isinstance(error, Exception) else "written", y.detach(), y._version, grads))
    return found


def names_of_written_nodes(torch):
    found = []
    for name, write in WRITES.items():
        x = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64, requires_grad=True)
        v = torch.tensor([2.0, 0.5, 1.5, 3.0], dtype=torch.float64)
        y = x * 1
        caught(lambda w=write, y=y, v=v: w(y, v))
        found.append((name, node_name(y)))
    return found
