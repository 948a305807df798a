"""What a mode of the program is told beside functions: signs, indexing, methods and properties of plain tensors."""

from __future__ import annotations


def telling_mode(torch, notes):
    """A mode that notes what it is told of: name, number of arguments, names of the others, types."""

    class Telling(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            notes.append((func.__name__, len(args), sorted(kwargs or {}), [each.__name__ for each in types]))
            return func(*args, **(kwargs or {}))

    return Telling()


def a_mode_is_told_of_signs(torch):
    notes = []
    x, y, i = torch.ones(2, 3), torch.ones(3, 2), torch.ones(2, dtype=torch.int64)
    with telling_mode(torch, notes):
        made = [x * y.mT, x + 1, 1 + x, x - 1, 2 - x, x / 2, 2 / x, x // 2, 2 // x, x % 2, 2 % x, x**2, 2**x, x @ y]
        made += [-x, abs(x), x == y.T, x != 1, x < 1, x <= 1, x > 1, x >= 1, ~i, i & 1, i | 1, i ^ 1, i << 1, 1 << i]
        x += 1
        x -= 1
        x *= 2
        x /= 2
        x //= 1
        x %= 5
        x **= 2
        i &= 3
        i |= 1
        i ^= 1
        i <<= 1
        i >>= 1
    return notes, made, x, i


def a_mode_is_told_of_members(torch):
    notes, x = [], torch.ones(2, 3)
    with telling_mode(torch, notes):
        found = [x.shape, x.dtype, x.requires_grad, x.grad, x.is_leaf, x.ndim, len(x), x.size(), x.stride(), x.size(0)]
        found += [x[0, 1:], x[1][2], float(x[0, 0]), int(x[0, 0]), 1.0 in x, x.is_contiguous(), x.nbytes, x._version]
        x[0] = 2
        x.requires_grad = True
        x.requires_grad_(False)
        x.grad = None
        x.data = torch.zeros(2, 3)
        found += [x.T, x.real, x.mT, x.storage_offset(), x.is_floating_point(), x.element_size()]
    return notes, found


def a_mode_changes_members_and_signs(torch):
    class Changing(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            if func == torch.Tensor.shape.__get__:
                return "a shape"
            if func is torch.Tensor.item:
                return 42
            return func(*args, **(kwargs or {})) if func is not torch.Tensor.__getitem__ else args[1]

    x = torch.ones(2)
    with Changing():
        within = x.shape, x.sum().item(), x[0, ...], x * 2, f"{x}"
    return within, x.shape, x.sum().item(), x[0]
