"""Locally disabling gradient computation."""

from __future__ import annotations

from tests.mechanics.common import equal, refused


def leaf(torch):
    return torch.tensor([1.0, 2.0], requires_grad=True)


def test_no_grad_disables_recording_within_a_block(torch):
    """ "See locally-disable-grad-doc for more information on the differences between no-grad and inference mode
    ..." """
    x = leaf(torch)
    with torch.no_grad():
        y = x * 2
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled() and not y.requires_grad and y.grad_fn is None


def test_results_of_no_grad_may_be_used_with_recording_later(torch):
    """ "... the differences between no-grad and inference mode ..." """
    x = leaf(torch)
    with torch.no_grad():
        y = x * 2
    (y * x).sum().backward()
    assert equal(x.grad, 2.0, 4.0)


def test_enable_grad_switches_it_on_again_inside(torch):
    """ "Also see torch-rst-local-disable-grad for a list of functions that can be used to locally disable
    gradients." """
    x = leaf(torch)
    with torch.no_grad(), torch.enable_grad():
        assert (x * 2).requires_grad


def test_set_grad_enabled_is_a_context_and_a_function(torch):
    """ "... a list of functions that can be used to locally disable gradients." """
    x = leaf(torch)
    with torch.set_grad_enabled(False):
        assert not (x * 2).requires_grad
    torch.set_grad_enabled(False)
    try:
        assert not (x * 2).requires_grad
    finally:
        torch.set_grad_enabled(True)
    assert (x * 2).requires_grad


def test_they_decorate_functions_and_generators(torch):
    """ "... a list of functions that can be used to locally disable gradients." """

    @torch.no_grad()
    def double(x):
        return x * 2

    @torch.no_grad()
    def steps(x):
        yield x * 2
        yield x * 3

    x = leaf(torch)
    assert not double(x).requires_grad
    for each in steps(x):
        assert not each.requires_grad and torch.is_grad_enabled()


def test_an_exception_restores_the_mode(torch):
    """ "Locally disabling gradient computation" """

    def fail():
        with torch.no_grad():
            raise KeyError("inside")

    refused(fail, kind=KeyError)
    assert torch.is_grad_enabled()


def test_a_leaf_made_under_no_grad_may_require_grad(torch):
    """ "Locally disabling gradient computation": factories are not operations on tensors."""
    with torch.no_grad():
        x = torch.ones(2, requires_grad=True)
    assert x.requires_grad and (x * 2).requires_grad


def test_inference_mode_makes_inference_tensors(torch):
    """ "... the differences between no-grad and inference mode ..." """
    x = leaf(torch)
    with torch.inference_mode():
        assert torch.is_inference_mode_enabled() and not torch.is_grad_enabled()
        y = x * 2
    assert y.is_inference() and not y.requires_grad and not x.is_inference()
    assert not torch.is_inference_mode_enabled() and torch.is_grad_enabled()


def test_inference_tensors_refuse_to_enter_autograd(torch):
    """ "... the differences between no-grad and inference mode ..." """
    x = leaf(torch)
    with torch.inference_mode():
        y = x * 2
    refused(lambda: y * x, "Inference tensors cannot be saved for backward")
    refused(lambda: y.add_(1), "Inplace update to inference tensor outside InferenceMode is not allowed")
    refused(lambda: y.requires_grad_(), "Setting requires_grad=True on inference tensor outside InferenceMode")
    assert not (y * 3).requires_grad and not y.clone().is_inference()


def test_inference_tensors_do_not_track_versions(torch):
    """ "... the differences between no-grad and inference mode ..." """
    with torch.inference_mode():
        y = torch.ones(2)
        y.add_(1)
    refused(lambda: y._version, "Inference tensors do not track version counter")


def test_inference_mode_may_be_off(torch):
    """ "... the differences between no-grad and inference mode ..." """
    x = leaf(torch)
    with torch.inference_mode(), torch.inference_mode(False):
        assert not torch.is_inference_mode_enabled()
        assert (x * 2).requires_grad
    with torch.inference_mode(mode=False):
        assert (x * 2).requires_grad


def test_normal_tensors_in_inference_mode_stay_normal(torch):
    """ "... the differences between no-grad and inference mode ..." """
    x = torch.ones(2)
    with torch.inference_mode():
        x.add_(1)
        view = x[:1]
    assert x._version == 1 and not x.is_inference() and not view.is_inference()


def test_backward_may_run_in_no_grad(torch):
    """ "Locally disabling gradient computation": of the recording, not of the passes."""
    x = leaf(torch)
    y = (x * 2).sum()
    with torch.no_grad():
        y.backward()
    assert equal(x.grad, 2.0, 2.0)
