"""Autograd for complex numbers: what it says of reverse mode."""

from __future__ import annotations

import cmath

from tests.mechanics.common import close

POINT = 0.6 - 1.1j
STEP = 1e-6


def leaf(torch, value=POINT):
    return torch.tensor(value, dtype=torch.complex128, requires_grad=True)


def gradient(torch, function, value=POINT):
    """What `backward` leaves in `.grad` for a real loss `function(z)`."""
    z = leaf(torch, value)
    function(z).backward()
    return complex(z.grad.item())


def slopes(function, value=POINT):
    """The derivatives of a plain function of a complex number for the real and for the imaginary part."""
    along = [(function(value + step) - function(value - step)) / (2 * STEP) for step in (STEP, STEP * 1j)]
    return along[0], along[1]


def near(one, other, tolerance=1e-7):
    return abs(one - other) <= tolerance * max(1.0, abs(other))


LOSSES = {
    "abs squared": (lambda z: (z * z.conj()).real, lambda z: abs(z) ** 2),
    "real part": (lambda z: z.real * 3, lambda z: z.real * 3),
    "imaginary part": (lambda z: z.imag * 2, lambda z: z.imag * 2),
    "abs": (lambda z: z.abs(), abs),
    "angle": (lambda z: z.angle(), cmath.phase),
    "through a holomorphic function": (lambda z: (z * z).exp().real, lambda z: cmath.exp(z * z).real),
    "through several": (lambda z: (z.sin() * z.conj()).abs() ** 2, lambda z: abs(cmath.sin(z) * z.conjugate()) ** 2),
    "quotient": (lambda z: (1 / (z + 2)).imag, lambda z: (1 / (z + 2)).imag),
}


def test_the_gradient_is_the_conjugate_wirtinger_derivative_of_a_real_loss(torch):
    """ "... the gradients are computed under the assumption that the function is a part of a larger real-valued loss
    function g(input)=L. The gradient computed is dL/dz* (note the conjugation of z) ..." In the scale that is stored,
    that is dL/dx + j dL/dy."""
    for name, (loss, plain) in LOSSES.items():
        of_x, of_y = slopes(plain)
        assert near(gradient(torch, loss), of_x + 1j * of_y, 1e-6), name


def test_the_negative_gradient_is_the_direction_of_steepest_descent(torch):
    """ "... the negative of which is precisely the direction of steepest descent used in Gradient Descent
    algorithm." """
    loss, plain = LOSSES["through several"]
    grad = gradient(torch, loss)
    best = plain(POINT - 1e-4 * grad / abs(grad))
    for turn in range(1, 24):
        other = POINT - 1e-4 * grad / abs(grad) * cmath.exp(1j * turn * cmath.pi / 12)
        assert plain(other) >= best


def test_optimizers_work_with_complex_parameters(torch):
    """ "Thus, all the existing optimizers work out of the box with complex parameters." """
    for make in (lambda p: torch.optim.SGD(p, lr=0.1), lambda p: torch.optim.Adam(p, lr=0.05)):
        z, target = torch.nn.Parameter(torch.tensor([1 + 1j, -2j])), torch.tensor([0.5 - 1j, 1.0 + 0j])
        optimizer = make([z])
        for _ in range(400):
            optimizer.zero_grad()
            (z - target).abs().square().sum().backward()
            optimizer.step()
        assert (z.detach() - target).abs().max().item() < 1e-2


def test_the_convention_is_the_conjugate_of_jax(torch):
    """ "This convention matches TensorFlow's convention for complex differentiation, but is different from JAX (which
    computes dL/dz)." """
    of_x, of_y = slopes(LOSSES["quotient"][1])
    assert near(gradient(torch, LOSSES["quotient"][0]).conjugate(), of_x - 1j * of_y)


def test_complex_operations_inside_a_real_function_do_not_matter(torch):
    """ "If you have a real-to-real function which internally uses complex operations, the convention here doesn't
    matter: you will always get the same result that you would have gotten if it had been implemented with only real
    operations." """
    x = torch.tensor([0.3, -0.7], dtype=torch.float64, requires_grad=True)
    z = torch.complex(x.cos(), x.sin())
    (inside,) = torch.autograd.grad((z**3).real.sum(), x)
    (plain,) = torch.autograd.grad((3 * x).cos().sum(), x)
    assert inside.dtype is torch.float64 and (inside - plain).abs().max().item() < 1e-12


def test_holomorphic_functions_have_one_derivative_in_all_directions(torch):
    """ "In other words: the limit computed for real and imaginary steps (h) must be equal." The gradient of a
    holomorphic function is grad_output times the conjugate of its derivative."""
    cases = (
        (lambda z: z * z, lambda z: 2 * z),
        (lambda z: z.exp(), cmath.exp),
        (lambda z: z.sin(), cmath.cos),
        (lambda z: 1 / z, lambda z: -1 / z**2),
        (lambda z: z**3, lambda z: 3 * z**2),
    )
    out = torch.tensor(0.7 + 0.2j, dtype=torch.complex128)
    for function, derivative in cases:
        z = leaf(torch)
        (found,) = torch.autograd.grad(function(z), z, out)
        assert near(complex(found.item()), (0.7 + 0.2j) * derivative(POINT).conjugate())


def test_real_and_imaginary_parts_are_expressed_by_z_and_its_conjugate(torch):
    """ "Re(z) = (z + z*) / 2, Im(z) = (z - z*) / 2j" """
    z = leaf(torch)
    assert near(complex(((z + z.conj()) / 2).item()), z.real.item())
    assert near(complex(((z - z.conj()) / 2j).item()), z.imag.item())
    (one,) = torch.autograd.grad(z.real, z)
    (other,) = torch.autograd.grad(((z + z.conj()) / 2).real, z)
    assert near(complex(one.item()), complex(other.item()))


def test_partial_derivatives_follow_from_those_of_the_parts(torch):
    """ "d/dz* = 1/2 (d/dx + 1j d/dy)": the gradient of a leaf equals that of its two real parts put together."""
    x = torch.tensor(POINT.real, dtype=torch.float64, requires_grad=True)
    y = torch.tensor(POINT.imag, dtype=torch.float64, requires_grad=True)
    for loss, _ in LOSSES.values():
        of_x, of_y = torch.autograd.grad(loss(torch.complex(x, y)), (x, y))
        assert near(gradient(torch, loss), complex(of_x.item(), of_y.item()))


def test_the_conjugate_derivative_of_holomorphic_functions_vanishes(torch):
    """ "For one, the Cauchy-Riemann equations translate into simply saying that df/dz* = 0 ..." """
    z = leaf(torch)
    w = z.exp() * z
    (of_one,) = torch.autograd.grad(w, z, torch.tensor(1 + 0j, dtype=torch.complex128), retain_graph=True)
    (of_j,) = torch.autograd.grad(w, z, torch.tensor(1j, dtype=torch.complex128))
    # vjp(v) = conj(v) * df/dz* + v * conj(df/dz): linear over the complex numbers only if the first part vanishes.
    assert near(complex(of_j.item()), 1j * complex(of_one.item()))


def test_the_step_of_an_optimiser_is_that_of_the_two_real_channels(torch):
    """ "Wirtinger calculus tells us that we can simplify the complex variable update formula above to only refer to the
    conjugate Wirtinger derivative dL/dz*, giving us exactly the step we take in optimization." """
    loss, _ = LOSSES["through several"]
    z = torch.nn.Parameter(torch.tensor(POINT, dtype=torch.complex128))
    parts = [torch.nn.Parameter(torch.tensor(each, dtype=torch.float64)) for each in (POINT.real, POINT.imag)]
    complex_steps, real_steps = torch.optim.SGD([z], lr=1e-3), torch.optim.SGD(parts, lr=1e-3)
    for _ in range(5):
        for optimizer, value in ((complex_steps, z), (real_steps, None)):
            optimizer.zero_grad()
            loss(z if value is not None else torch.complex(*parts)).backward()
            optimizer.step()
    assert near(complex(z.item()), complex(parts[0].item(), parts[1].item()), 1e-12)


def test_formulas_take_the_incoming_gradient_of_a_complex_result(torch):
    """ "Typically, our derivative formulas take in grad_output as an input, representing the incoming Vector-Jacobian
    product that we've already computed ..." """
    z = leaf(torch)
    out = torch.tensor(2 - 3j, dtype=torch.complex128)
    (found,) = torch.autograd.grad(z * (1 + 2j), z, out)
    assert near(complex(found.item()), (2 - 3j) * (1 - 2j))


def test_the_boxed_formula_serves_functions_that_are_not_holomorphic(torch):
    """ "This last equation is the important one for writing your own gradients":
    dL/dz* = (grad_output)* ds/dz* + grad_output (ds/dz)*."""

    class Mixed(torch.autograd.Function):
        """s = z * conj(z) + 2 z: ds/dz = conj(z) + 2 and ds/dz* = z."""

        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z.conj() + 2 * z

        @staticmethod
        def backward(ctx, grad):
            (z,) = ctx.saved_tensors
            return grad.conj() * z + grad * (z.conj() + 2).conj()

    out = torch.tensor(0.4 - 0.9j, dtype=torch.complex128)
    z, same = leaf(torch), leaf(torch)
    (by_hand,) = torch.autograd.grad(Mixed.apply(z), z, out)
    (built_in,) = torch.autograd.grad(same * same.conj() + 2 * same, same, out)
    assert near(complex(by_hand.item()), complex(built_in.item()))


def test_a_real_factor_gives_that_factor(torch):
    """ "Let's consider the function f(z = x + yj) = c * z = c * (x+yj) as an example, where c is real. ... we get:
    dL/dz* = 1 * 0 + 1 * c = c" """
    z, c = leaf(torch), 1.75
    (found,) = torch.autograd.grad(c * z, z, torch.tensor(1 + 0j, dtype=torch.complex128))
    assert complex(found.item()) == c


def test_the_default_grad_output_is_one_for_real_scalars_only(torch):
    """ "... and grad_output = 1.0 (which is the default grad output value used when backward is called on a scalar
    output in PyTorch) ..." """
    z = leaf(torch)
    z.real.backward()
    assert complex(z.grad.item()) == 1.0
    try:
        (leaf(torch) * 2).backward()
    except RuntimeError as error:
        assert "grad can be implicitly created only for real scalar outputs" in str(error)
    else:
        raise AssertionError("a complex output started a pass")


def test_functions_from_complex_to_real(torch):
    """ "For f: C to R, we get: dL/dz* = 2 * grad_output * ds/dz*" """
    z = leaf(torch)
    (found,) = torch.autograd.grad(z.abs() ** 2, z, torch.tensor(1.5, dtype=torch.float64))
    assert near(complex(found.item()), 2 * 1.5 * POINT)
    assert found.dtype is torch.complex128


def test_functions_from_real_to_complex(torch):
    """ "For f: R to C, we get: dL/dz* = 2 * Re(grad_out* * ds/dz*)" """
    x = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
    grad_out, factor = 0.3 - 1.2j, 2 + 1j
    (found,) = torch.autograd.grad(x * factor, x, torch.tensor(grad_out, dtype=torch.complex128))
    assert found.dtype is torch.float64 and near(found.item(), (grad_out.conjugate() * factor).real)


def test_gradients_of_complex_leaves_are_complex_and_of_real_ones_real(torch):
    """ "What about cross-domain functions? Some functions map from complex inputs to real outputs, or vice versa." """
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    x = torch.tensor([2.0, 5.0], requires_grad=True)
    (z * x).abs().sum().backward()
    assert z.grad.dtype is torch.complex64 and x.grad.dtype is torch.float32
    assert close(x.grad, [abs(1 + 2j), abs(3 - 1j)], 1e-5)


def test_real_and_imaginary_views_carry_gradients_both_ways(torch):
    """ "Typically, these people treat the real and imaginary values as separate channels that can be updated." """
    z = leaf(torch) * 1
    start = z
    parts = torch.view_as_real(z)
    parts[1] *= 3
    assert near(complex(z.item()), complex(POINT.real, 3 * POINT.imag))
    assert start is z and parts.tolist() == [z.real.item(), z.imag.item()]
    w = leaf(torch)
    (found,) = torch.autograd.grad(torch.view_as_real(w)[1] * 5, w)
    assert complex(found.item()) == 5j
