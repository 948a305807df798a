"""Random programs of views, writes, and questions about memory: each step may be refused, and the program goes on."""

from __future__ import annotations

import random

from tools.beside_torch.generate import listed, program

FACTS = "values strides offset writes is_leaf requires_grad is_view output_nr grad_fn is_contiguous base".split()  # noqa: SIM905 - easier to read
"""What is told of each tensor after each step."""

START = """\
log, begun = [], {}
def told(action):
    try:
        return action()
    except Exception as error:
        return error
def writes(t):
    return t._version - begun.setdefault(id(t), t._version)
def strides(t):
    return [step for step, length in zip(t.stride(), t.shape) if length > 1 and t.numel()]
def node(t):
    return t.grad_fn and t.grad_fn.name().rpartition(':')[2]
def facts(t):
    return (
        told(lambda: t.detach().resolve_conj().clone()), strides(t), t.numel() and t.storage_offset(),
        told(lambda: writes(t)), t.is_leaf, t.requires_grad, t._is_view(), t.output_nr, told(lambda: node(t)),
        t.is_contiguous(), t._base is None,
    )
def state():
    return {name: told(lambda: facts(names[name])) for name in names if name in 'xw' or name[0] == 'v'}
def reason(error):
    return [*[each.__name__ for each in type(error).__mro__], str(error)]
def shares(one, *others):
    if any(step == 0 and length > 1 for step, length in zip(one.stride(), one.shape)):
        return ' (elements share memory)'
    lie = [each.untyped_storage().data_ptr() for each in (one, *others)]
    return ' (operands share memory)' if one is not others[0] and lie[0] == lie[1] else ''
def step(text, *operands):
    note = told(lambda: shares(*[names[each] for each in operands]))
    note = note if isinstance(note, str) else ''
    error = told(lambda: exec(text, names))
    log.append((text, note, None if error is None else reason(error), state()))
def may_resize(a, b):
    alone = all(each._base is not a for each in names.values() if isinstance(each, torch.Tensor))
    return a.shape == b.shape or (a.is_leaf and not a._is_view() and alone)
def may_replace(a, b):
    apart = not a._is_view() and all(each._base is not a for each in names.values() if isinstance(each, torch.Tensor))
    return apart and a.is_leaf and a.requires_grad and (a.dtype, a.shape) == (b.dtype, b.shape) and not b.is_inference()
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        value.mul_(2)
        ctx.mark_dirty(value)
        return value
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
x = torch.arange(1.0, 13.0, dtype=torch.float64).requires_grad_()
w = torch.arange(12.0, dtype=torch.float64).mul(0.3).sin().requires_grad_()
names = {'torch': torch, 'x': x, 'w': w, 'Double': Double}
"""

ROOTS = listed(r"""
    (x * 1).reshape(3, 4) ; (x * w).view(3, 4) ; (x + w).view(2, 3, 2) ; torch.zeros(3, 4, dtype=torch.float64) ;
    x.detach().clone().view(4, 3) ; (x * 1).view(4, 3).t() ; (x * w).view(3, 4)[:, 1:] ; (x * 1)[::2] ;
    torch.complex(x, w).view(3, 4) ; x.view(3, 4) ; (x * 1).view(3, 1, 4).expand(3, 2, 4) ; (x * 1)
""")

# Where an empty part lies is no matter of behaviour (in torch behind the elements that it leaves out).
VIEWS = listed(r"""
    {a}.view(-1) ; {a}.view(2, -1) ; {a}.view(3, -1) ; {a}.reshape(-1) ; {a}.t() ; {a}.transpose(0, -1) ;
    {a}.unsqueeze(0) ; {a}.unsqueeze(-1) ; {a}.squeeze() ; {a}.squeeze(0) ; {a}[0] ; {a}[-1] ; {a}[1:] ; {a}[::2] ;
    {a}[..., 1:] ; {a}[..., 0] ; {a}[None] ; {a}[...] ; {a}[:, 1:] ; {a}.narrow(0, 1, 1) ; {a}.select(-1, 0) ;
    {a}.unbind(0)[1] ; {a}.split(2)[0] ; {a}.split([1, 2])[1] ; {a}.chunk(2, -1)[0] ; {a}.tensor_split(2)[1] ;
    list({a})[0] ; {a}.diagonal() ; {a}.expand(2, *{a}.shape) ; {a}.expand_as({b}) ;
    {a}.permute(*reversed(range({a}.dim()))) ; {a}.unfold(-1, 2, 2) ; {a}.movedim(0, -1) ; {a}.flatten() ;
    {a}.flatten(0, 1) ; {a}.unflatten(0, (1, -1)) ; ({a} if {a}.numel() else x).as_strided((2, 2), (2, 1)) ;
    {a}.as_strided((3,), (1,), 2) ; {a}.as_strided((12,), (1,), 0) ; {a}.view_as({b}) ; {a}.detach() ; {a}.data ;
    {a}.view_as({a}) ; {a}.mT ; torch.view_as_real({a}) ; torch.view_as_complex({a}) ; {a}.real ; {a}.imag ;
    {a}.swapaxes(0, 1) ; {a}.contiguous() ; {a}.ravel() ; torch.broadcast_tensors({a}, {b})[0] ;
    {a}.to(torch.float64)
""")

FRESH = listed(r"""
    {a} * 2 ; {a} * {b} ; {a}.sin() ; {a}.clone() ; {a}.detach().clone().requires_grad_() ; {a}.softmax(-1) ;
    {a}.cumsum(0) ; {a}.cumsum(-1) ; {a}.flip(0) ; {a}.roll(1, 0) ; torch.cat([{a}, {b}]) ;
    torch.stack([{a}, {a}], -1) ; {a}.sum(0) ; {a}.sum(-1, keepdim=True) ; {a}.mean(0) ; {a}.t() * {a}.t() ;
    torch.where({a}.real > 1, {a}, {b}) ; {a}.repeat(2, 1) ; {a}.index_select(0, torch.tensor([1, 0])) ;
    {a}[torch.tensor([0, 1])] ; {a}.exp().t() ; {a}.abs() ; {a}.clamp(-1, 1) ; {a}.tril() ; {a} + {b}.t() ;
    {a} @ {b}.t() ; {a}.log_softmax(0) ; torch.empty_like({a}).fill_(1.0) ; {a}.amax(0) ; torch.zeros_like({a}) ;
    {a}.norm() ; {a}.var(-1) ; {a}.pow(2) ; {a}.masked_fill({b}.real > 1, 0.5) ;
    {a}.gather(0, torch.zeros_like({a}, dtype=torch.int64)) ; torch.nn.functional.pad({a}, (1, 0)) ; {a}.prod(0) ;
    {a}.logsumexp(-1) ; {a}.square().view(-1) ; {a}.relu().view(-1)
""")

WRITES = listed(r"""
    {a}.mul_(2) ; {a}.add_({b}) ; {a}.mul_({b}) ; {a}.copy_({b}.clone()) ; {a}.zero_() ; {a}.sin_() ; {a}[0] = 3.0 ;
    {a}[0] = x[1] ; {a}[...] = {b} ; {a}[...] = {a} ; {a}[1:] *= 2 ; {a}[..., 0] += 1 ; {a}[-1].mul_(w[0]) ;
    {a}.fill_(2.0) ; {a}.sub_(x[1]) ; {a}.fill_(x[0]) ; {a}[torch.tensor([0, 1])] = 1.5 ; {a}[{a}.real > 1] = 0.5 ;
    {a}.masked_fill_({a}.real > 1, 0.25) ; {a}.relu_() ; {a}.t_() ; {a}.transpose_(0, -1) ; {a}.squeeze_() ;
    {a}.unsqueeze_(0) ; {a}.swapaxes_(0, 1) ; {a}.detach_() ; {a}.requires_grad_() ; {a}.requires_grad_(False) ;
    {a}.numel() and {a}.as_strided_((2, 2), (1, 2)) ;
    {a}.numel() and {a}.storage_offset() + 4 <= {a}.untyped_storage().nbytes() // {a}.itemsize and {a}.resize_(2, 2) ;
    {a}.set_({b}) ; {a}.data = {b} ;
    {a}.data.mul_(2) ; {a}.detach().add_(1) ; Double.apply({a}) ;
    {a}.index_add_(0, torch.tensor([0]), {b}[:1].clone()) ; {a}.index_fill_(0, torch.tensor([0]), 2.0) ;
    {a}.scatter_(0, torch.zeros(1, 1, dtype=torch.int64), 4.0) ; {a}.fill_diagonal_(1.0) ; {a}.cumsum_(0) ;
    {a}.tril_() ; {a}.neg_() ; {a}.addcmul_({b}.clone(), {b}.clone()) ; {a}.lerp_({b}.clone(), 0.5) ;
    {a}.clamp_(-1, 1) ; {a}.pow_(2) ; {a}.exp_() ;
    {a}.put_(torch.tensor([0]), torch.tensor([2.0], dtype=torch.float64)) ; torch.mul({b}, 2, out={a}) ;
    torch.add({a}, 1, out={a}) ; {a} += {b} ; {a} **= 2 ;
    {a}.index_put_((torch.tensor([0]),), {b}[:1].clone(), accumulate=True) ; {a}.grad = torch.ones_like({a}) ;
    torch.autograd.graph.increment_version({a}) ; {a}.copy_({a}.flip(0)) ; {a}.diagonal().mul_(2) ;
    {a}.unbind(0)[0].mul_(2) ; {a}.sigmoid_() ; {a}.masked_scatter_({a}.real > 0, {b}.clone()) ; {a}.sqrt_() ;
    {a}.reciprocal_()
""")

MODES = (
    "",
    "",
    "",
    "",
    "",
    "with torch.no_grad(): ",
    "with torch.no_grad(): ",
    "with torch.inference_mode(): ",
    "with torch.enable_grad(): ",
)


def views(seed: int) -> str:
    """A program of five to fourteen steps, then all facts of all tensors, and derivatives."""
    draw = random.Random(seed)
    lines, names = START.splitlines(), ["v0"]
    lines.append(f"step({'v0 = ' + draw.choice(ROOTS)!r})")
    for _ in range(draw.randint(4, 13)):
        a, b = draw.choice(names[-4:]), draw.choice([*names, "x", "w"])
        if draw.random() < 0.04:
            a = draw.choice(("x", "w"))
        share, mode = draw.random(), draw.choice(MODES)
        if share < 0.55:
            form = draw.choice(VIEWS if share < 0.4 else FRESH)
            text = f"{mode}v{len(names)} = {form.format(a=a, b=b)}"
            if is_used(mode, form):
                lines += [f"names['v{len(names)}'] = names[{a!r}]", f"step({text!r})"]
                names.append(f"v{len(names)}")
        else:
            form = draw.choice(WRITES)
            if is_used(mode, form):
                lines.append(write(mode + form, a, b))
    return program([*lines, *ENDING])


def is_used(mode: str, form: str) -> bool:
    """Whether programs do this: none lets an inference tensor require a gradient.

    Which operators torch then records depends on the operators that they are made of.
    """
    return "inference" not in mode or "requires_grad_" not in form


def write(form: str, a: str, b: str) -> str:
    """A step that writes to `a`; it is noted if that, or what is read, lies in the memory of what is written.

    Programs give a leaf other values of its kind (`p.data = ...`). Of a tensor that has a history or views, torch finds
    the new memory wherever it kept the tensor itself, and the old one where it kept a copy of it. `out=` gives other
    memory, too, where the result is larger: torch then follows a history into gradients of another shape.
    """
    reads = b if "{b}" in form and "{b}.clone()" not in form else "x" if "x[" in form else a
    step = f"step({form.format(a=a, b=b)!r}, {a!r}, {reads!r})"
    if form.endswith(REPLACE):
        return f"may_replace(names[{a!r}], names[{b!r}]) and {step}"
    return f"may_resize(names[{a!r}], names[{b!r}]) and {step}" if "{b}" in form and "out=" in form else step


REPLACE = (".set_({b})", ".data = {b}")
"""Writes that give a tensor other memory."""


ENDING = """\
tensors = {name: names[name] for name in names if name in 'xw' or name[0] == 'v'}
total = 0
for at, each in enumerate(tensors.values()):
    if each.requires_grad:
        part = told(lambda: (each * each.detach().resolve_conj() * (at + 1)).sum().real)
        if isinstance(part, torch.Tensor):
            total = part + total
        else:
            log.append(('use', '', reason(part), {}))
first = told(lambda: torch.autograd.grad(total, [x, w], create_graph=True, allow_unused=True))
again = lambda: torch.autograd.grad(sum((g * g).sum() for g in first if g is not None), [x, w], allow_unused=True)
if isinstance(total, torch.Tensor):
    plain = [g if g is None else g.detach() for g in first] if isinstance(first, tuple) else [first, None]
    log.append(('first derivatives', '', None, dict(zip('xw', [[each] for each in plain]))))
    if isinstance(first, tuple) and any(g is not None and g.requires_grad for g in first):
        found = told(again)
        second = found if isinstance(found, tuple) else [found, found]
        log.append(('second derivatives', '', None, dict(zip('xw', [[g] for g in second]))))
log.append(('end', '', None, state()))
return log""".splitlines()
