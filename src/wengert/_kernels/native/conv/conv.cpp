// Convolution and its gradients, in one to three dimensions.
#include "conv/conv.hpp"

#include "conv/panels.hpp"
#include "conv/single.hpp"
#include "conv/weight_lying.hpp"
#include "conv/weight.hpp"
#include "binding/direct.hpp"
#include "conv/winograd.hpp"
#include "conv/winograd_weight.hpp"

namespace wengert {

template <class T> void convolve(const Geometry& g, const T* x, const T* weight, const T* bias, T* out) {
    if (g.single())
        single_forward(g, x, weight, bias, out);
    else if (!correlated_by_tiles(g, forward_correlation(g), x, weight, bias, out))
        forward_panels(g, x, weight, bias, out);
}
template <class T> void convolve_backward_input(const Geometry& g, const T* grad, const T* weight, T* out) {
    if (g.single())
        single_backward_input(g, grad, weight, out);
    else if (!correlated_by_tiles<T>(g, backward_correlation(g), grad, weight, nullptr, out))
        backward_input_panels(g, grad, weight, out);
}
template <class T> bool convolve_backward_weight(const Geometry& g, const T* grad, const T* x, T* out) {
    if (g.single()) return single_backward_weight(g, grad, x, out);
    if (slopes_by_tiles(g, forward_correlation(g), grad, x, out)) return true;
    if (has_plane_lines<T>(g) && lines_backward_weight(g, grad, x, out)) return true;
    if (worth_kernel_tiles<T>(g))
        backward_weight_tiles(g, grad, x, out);
    else
        backward_weight_panels(g, grad, x, out);
    return true;
}

template void convolve(const Geometry&, const float*, const float*, const float*, float*);
template void convolve(const Geometry&, const double*, const double*, const double*, double*);
template void convolve_backward_input(const Geometry&, const float*, const float*, float*);
template void convolve_backward_input(const Geometry&, const double*, const double*, double*);

namespace {

Twin conv_twin("convolution"), input_twin("convolution_backward_input"), weight_twin("convolution_backward_weight");

bool read_settings(PyObject** slots, int ndim, Geometry& g) {
    return as_steps(slots[0], ndim - 2, g.stride) && as_steps(slots[1], ndim - 2, g.padding) &&
           as_steps(slots[2], ndim - 2, g.dilation) && as_index(slots[3], g.groups);
}
bool as_shape(PyObject* object, int ndim, npy_intp* shape) {
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != ndim) return false;
    for (int i = 0; i < ndim; ++i)
        if (!as_index(PyTuple_GET_ITEM(object, i), shape[i]) || shape[i] < 1) return false;
    return true;
}

template <class Run> void unlocked_if_large(npy_intp work, const Run& run) {
    ReleaseGil unlocked(work >= thread_threshold);
    run();
}

// The two arrays of a call, of x, weight and grad, and its settings.
template <class T> struct Called {
    PyArrayObject *first, *second;
    int ndim = 0;
    index_t volumes[2][2 + axes];  // their shapes
    Geometry g;

    bool read(PyObject** slots) {
        first = plain(slots[0], descr_of<T>()), second = plain(slots[1], descr_of<T>());
        if (!first || !second || PyArray_NDIM(first) != PyArray_NDIM(second)) return false;
        ndim = PyArray_NDIM(first);
        return as_volumes(ndim, PyArray_DIMS(first), volumes[0]) &&
               as_volumes(ndim, PyArray_DIMS(second), volumes[1]) && read_settings(slots + 3, ndim, g);
    }
    bool fits(const index_t* grad) const {
        bool same = grad[0] == g.images && grad[1] == g.kernels;
        for (int a = 0; a < axes; ++a) same = same && grad[2 + a] == g.out[a];
        return same;
    }
};

}  // namespace

template <class T> PyObject* convolution_of(PyObject** slots) {
    Called<T> call;
    const T* bias;
    if (!call.read(slots) || !complete(call.g, call.volumes[0], call.volumes[1]) ||
        !optional_data(slots[2], call.g.kernels, bias))
        return nullptr;
    const Geometry& g = call.g;
    npy_intp shape[2 + axes] = {g.images, g.kernels};
    for (int i = 2; i < call.ndim; ++i) shape[i] = g.out[axes - call.ndim + i];
    Owned result(new_array(descr_of<T>(), call.ndim, shape));
    if (!result) return nullptr;
    const T *input = data_of<T>(call.first), *kernels = data_of<T>(call.second);
    T* out = data_of<T>(result.get());
    unlocked_if_large(g.work(), [&] { convolve(g, input, kernels, bias, out); });
    return result.give();
}

template <class T> PyObject* input_slopes_of(PyObject** slots) {
    Called<T> call;
    npy_intp shape[2 + axes];
    index_t input[2 + axes];
    if (!call.read(slots) || !as_shape(slots[2], call.ndim, shape) || !as_volumes(call.ndim, shape, input))
        return nullptr;
    Geometry& g = call.g;
    if (!complete(g, input, call.volumes[1]) || !call.fits(call.volumes[0])) return nullptr;
    const T *slope = data_of<T>(call.first), *kernels = data_of<T>(call.second);
    if (!all_finite(kernels, PyArray_SIZE(call.second))) return nullptr;
    Owned result(new_array(descr_of<T>(), call.ndim, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    unlocked_if_large(g.work(), [&] { convolve_backward_input(g, slope, kernels, out); });
    return result.give();
}

template <class T> PyObject* weight_slopes_of(PyObject** slots) {
    Called<T> call;
    npy_intp shape[2 + axes];
    index_t weight[2 + axes];
    if (!call.read(slots) || !as_shape(slots[2], call.ndim, shape) || !as_volumes(call.ndim, shape, weight))
        return nullptr;
    Geometry& g = call.g;
    if (!complete(g, call.volumes[1], weight) || !call.fits(call.volumes[0])) return nullptr;
    const T *slope = data_of<T>(call.first), *input = data_of<T>(call.second);
    Owned result(new_array(descr_of<T>(), call.ndim, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    bool numbers = true;
    unlocked_if_large(g.work(), [&] { numbers = convolve_backward_weight(g, slope, input, out); });
    return numbers ? result.give() : nullptr;
}

template PyObject* convolution_of<float>(PyObject**);
template PyObject* convolution_of<double>(PyObject**);
template PyObject* input_slopes_of<float>(PyObject**);
template PyObject* input_slopes_of<double>(PyObject**);
template PyObject* weight_slopes_of<float>(PyObject**);
template PyObject* weight_slopes_of<double>(PyObject**);

namespace {

template <PyObject* (*for_float)(PyObject**), PyObject* (*for_double)(PyObject**)>
PyObject* by_dtype(PyObject** slots) {
    PyArrayObject* first = plain(slots[0]);
    if (!first) return nullptr;
    if (PyArray_DESCR(first) == float_descr) return for_float(slots);
    return PyArray_DESCR(first) == double_descr ? for_double(slots) : nullptr;
}

const char* const forward_names[] = {"x", "weight", "bias", "stride", "padding", "dilation", "groups"};
const char* const input_names[] = {"grad", "weight", "input_shape", "stride", "padding", "dilation", "groups"};
const char* const weight_names[] = {"grad", "x", "weight_shape", "stride", "padding", "dilation", "groups"};

PyObject* convolution(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<7>(conv_twin, forward_names, 7, args, nargs, kwnames,
                         by_dtype<convolution_of<float>, convolution_of<double>>);
}
PyObject* convolution_backward_input(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<7>(input_twin, input_names, 7, args, nargs, kwnames,
                         by_dtype<input_slopes_of<float>, input_slopes_of<double>>);
}
PyObject* convolution_backward_weight(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<7>(weight_twin, weight_names, 7, args, nargs, kwnames,
                         by_dtype<weight_slopes_of<float>, weight_slopes_of<double>>);
}

PyMethodDef conv_methods[] = {
    fast_method("convolution", convolution, "convolution(x, weight, bias, stride, padding, dilation, groups)"),
    fast_method("convolution_backward_input", convolution_backward_input,
                "convolution_backward_input(grad, weight, input_shape, stride, padding, dilation, groups)"),
    fast_method("convolution_backward_weight", convolution_backward_weight,
                "convolution_backward_weight(grad, x, weight_shape, stride, padding, dilation, groups)"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList conv_list(conv_methods);

}  // namespace
}  // namespace wengert
