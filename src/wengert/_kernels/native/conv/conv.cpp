// Convolution and its gradients, in one to three dimensions: the choice of an algorithm, the functions with a twin, and
// those for the dispatcher: the card's arguments, and those of the named forms.
#include <utility>

#include "binding/direct.hpp"
#include "binding/halved.hpp"
#include "conv/geometry.hpp"
#include "conv/panels.hpp"
#include "conv/single.hpp"
#include "conv/unpacked.hpp"
#include "conv/weight.hpp"
#include "conv/winograd.hpp"

namespace wengert {
namespace {

// ---- the choice of an algorithm -------------------------------------------------------------------------------------
// out (N, O, ...) from x (N, C, ...), weight (O, C / groups, ...) and bias (O,) or null.
template <class T> void convolve(const Geometry& g, const T* x, const T* weight, const T* bias, T* out) {
    if (g.single())
        single_forward(g, x, weight, bias, out);
    else if (!correlated_by_tiles(g, forward_correlation(g), x, weight, bias, out))
        forward_panels(g, x, weight, bias, out);
}
// out (N, C, ...) from grad (N, O, ...) and weight, all of whose elements are finite: they are multiplied by zeros that
// are no elements of grad.
template <class T> void convolve_backward_input(const Geometry& g, const T* grad, const T* weight, T* out) {
    if (g.single())
        single_backward_input(g, grad, weight, out);
    else if (!correlated_by_tiles<T>(g, backward_correlation(g), grad, weight, nullptr, out))
        backward_input_panels(g, grad, weight, out);
}
// out (O, C / groups, ...) from grad and x; false where the result may be wrong because of values that are not finite.
template <class T> bool convolve_backward_weight(const Geometry& g, const T* grad, const T* x, T* out) {
    if (g.single()) return single_backward_weight(g, grad, x, out);
    if (weight_grad_by_tiles(g, forward_correlation(g), grad, x, out)) return true;
    if (has_plane_lines<T>(g) && lines_backward_weight(g, grad, x, out)) return true;
    if (worth_kernel_tiles<T>(g))
        backward_weight_tiles(g, grad, x, out);
    else
        backward_weight_panels(g, grad, x, out);
    return true;
}

// ---- reading arguments ----------------------------------------------------------------------------------------------
// The shape (N, C, depth, height, width) that stands for one of signals, planes or volumes.
bool as_volumes(int ndim, const npy_intp* shape, index_t* volumes) {
    if (ndim < 3 || ndim > 2 + axes) return false;
    for (int i = 0; i < 2; ++i) volumes[i] = shape[i];
    for (int a = 0; a < axes; ++a) volumes[2 + a] = a < axes + 2 - ndim ? 1 : shape[ndim - axes + a];
    return true;
}
// An integer for each of the last `count` axes.
bool as_steps(PyObject* object, int count, index_t* value) {
    if (!PyTuple_CheckExact(object) || PyTuple_GET_SIZE(object) != count) return false;
    for (int i = 0; i < count; ++i)
        if (!as_index(PyTuple_GET_ITEM(object, i), value[axes - count + i])) return false;
    return true;
}

Twin conv_twin("convolution"), input_twin("convolution_backward_input"), weight_twin("convolution_backward_weight");

bool read_settings(PyObject** slots, int ndim, Geometry& g) {
    return as_steps(slots[0], ndim - 2, g.stride) && as_steps(slots[1], ndim - 2, g.padding) &&
           as_steps(slots[2], ndim - 2, g.dilation) && as_index(slots[3], g.groups);
}
bool as_shape_of(PyObject* object, int ndim, npy_intp* shape) {
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

// ---- arrays in, arrays out ------------------------------------------------------------------------------------------
// New arrays, for (x, weight, bias), (grad, weight, shape of x) and (grad, x, shape of weight), each followed by
// stride, padding, dilation, groups; null without an error for unknown arguments.
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

template <class T> PyObject* input_grad_of(PyObject** slots) {
    Called<T> call;
    npy_intp shape[2 + axes];
    index_t input[2 + axes];
    if (!call.read(slots) || !as_shape_of(slots[2], call.ndim, shape) || !as_volumes(call.ndim, shape, input))
        return nullptr;
    Geometry& g = call.g;
    if (!complete(g, input, call.volumes[1]) || !call.fits(call.volumes[0])) return nullptr;
    const T *grads = data_of<T>(call.first), *kernels = data_of<T>(call.second);
    if (!all_finite(kernels, PyArray_SIZE(call.second))) return nullptr;
    Owned result(new_array(descr_of<T>(), call.ndim, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    unlocked_if_large(g.work(), [&] { convolve_backward_input(g, grads, kernels, out); });
    return result.give();
}

template <class T> PyObject* weight_grad_of(PyObject** slots) {
    Called<T> call;
    npy_intp shape[2 + axes];
    index_t weight[2 + axes];
    if (!call.read(slots) || !as_shape_of(slots[2], call.ndim, shape) || !as_volumes(call.ndim, shape, weight))
        return nullptr;
    Geometry& g = call.g;
    if (!complete(g, call.volumes[1], weight) || !call.fits(call.volumes[0])) return nullptr;
    const T *grads = data_of<T>(call.first), *input = data_of<T>(call.second);
    Owned result(new_array(descr_of<T>(), call.ndim, shape));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    bool numbers = true;
    unlocked_if_large(g.work(), [&] { numbers = convolve_backward_weight(g, grads, input, out); });
    return numbers ? result.give() : nullptr;
}


// ---- functions with a twin ------------------------------------------------------------------------------------------
const char* const forward_names[] = {"x", "weight", "bias", "stride", "padding", "dilation", "groups"};
const char* const input_names[] = {"grad", "weight", "input_shape", "stride", "padding", "dilation", "groups"};
const char* const weight_names[] = {"grad", "x", "weight_shape", "stride", "padding", "dilation", "groups"};


Methods conv_methods({
    WENGERT_FUNCTION(convolution, "(x, weight, bias, stride, padding, dilation, groups)",
                     with_twin<conv_twin, 7, forward_names, by_dtype<convolution_of<float>, convolution_of<double>>>),
    WENGERT_FUNCTION(convolution_backward_input, "(grad, weight, input_shape, stride, padding, dilation, groups)",
                     with_twin<input_twin, 7, input_names, by_dtype<input_grad_of<float>, input_grad_of<double>>>),
    WENGERT_FUNCTION(convolution_backward_weight, "(grad, x, weight_shape, stride, padding, dilation, groups)",
                     with_twin<weight_twin, 7, weight_names, by_dtype<weight_grad_of<float>, weight_grad_of<double>>>),
});

// ---- functions for the dispatcher -----------------------------------------------------------------------------------
// The arguments of a call of `convolution`.
template <class T> struct ConvolutionArguments {
    PyArrayObject *x, *weight;
    const T* bias = nullptr;
    int count = 0;
    bool transposed = false;
    index_t input[2 + axes], kernels[2 + axes], further[axes] = {0, 0, 0};
    Geometry g;

    bool read(PyObject* const* args) {
        x = row_major_only(args[0], descr_of<T>()), weight = row_major_only(args[1], descr_of<T>());
        if (!x || !weight || PyArray_NDIM(weight) != PyArray_NDIM(x)) return false;
        if (!as_volumes(PyArray_NDIM(x), PyArray_DIMS(x), input) ||
            !as_volumes(PyArray_NDIM(weight), PyArray_DIMS(weight), kernels))
            return false;
        count = PyArray_NDIM(x) - 2;
        if (!as_steps(args[3], count, g.stride) || !as_steps(args[4], count, g.padding) ||
            !as_steps(args[5], count, g.dilation))
            return false;
        if (!as_flag(args[6], transposed) || !as_steps(args[7], count, further) || !PyLong_CheckExact(args[8]))
            return false;
        if (!as_index(args[8], g.groups) || g.groups < 1) return false;
        const Size outputs = transposed ? Size(kernels[1]) * g.groups : Size(kernels[0]);
        if (!outputs.fits() || !optional_data(args[2], outputs.value(), bias)) return false;
        return !bias || PyArray_NDIM(reinterpret_cast<PyArrayObject*>(args[2])) == 1;
    }
    PyArrayObject* new_result(index_t channels, const index_t* lengths) const {
        index_t shape[2 + axes] = {input[0], channels};
        for (int i = 0; i < count; ++i) shape[2 + i] = lengths[axes - count + i];
        return new_array(descr_of<T>(), count + 2, shape);
    }
    // The lengths of a transposed convolution's result.
    bool lengthen(index_t* shape) const {
        shape[0] = input[0], shape[1] = kernels[1] * g.groups;
        for (int a = 0; a < axes; ++a) {
            if (g.stride[a] < 1 || g.padding[a] < 0 || g.dilation[a] < 1 || further[a] < 0) return false;
            if (further[a] > 0 && further[a] >= g.stride[a]) return false;
            const Size length = Size(input[2 + a] - 1) * g.stride[a] - Size(2) * g.padding[a] +
                                Size(g.dilation[a]) * (kernels[2 + a] - 1) + further[a] + 1;
            if (!length.fits() || length.value() < 1) return false;
            shape[2 + a] = length.value();
        }
        return true;
    }
};

template <class T> PyObject* transposed_convolution(ConvolutionArguments<T>& call) {
    Geometry& g = call.g;
    index_t shape[2 + axes];
    if (!call.lengthen(shape) || !complete(g, shape, call.kernels)) return nullptr;
    const index_t* input = call.input;
    if (g.kernels != input[1] || g.out[0] != input[2] || g.out[1] != input[3] || g.out[2] != input[4]) return nullptr;
    const T *grads = data_of<T>(call.x), *kernels = data_of<T>(call.weight), *bias = call.bias;
    if (!all_finite(kernels, PyArray_SIZE(call.weight))) return nullptr;
    Owned result(call.new_result(shape[1], shape + 2));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    {
        ReleaseGil unlocked(g.work() >= thread_threshold);
        convolve_backward_input(g, grads, kernels, out);
        const index_t volume = g.volume();
        for (index_t plane = 0; bias && plane < shape[0] * shape[1]; ++plane)
            loops<T>().binary[ADD](out + plane * volume, 1, bias + plane % shape[1], 0, out + plane * volume, volume);
    }
    return result.give();
}

// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
template <class T> PyObject* convolution(PyObject* const* args) {
    ConvolutionArguments<T> call;
    if (!call.read(args)) return nullptr;
    if (call.transposed) return transposed_convolution(call);
    Geometry& g = call.g;
    if (call.further[0] || call.further[1] || call.further[2] || !complete(g, call.input, call.kernels)) return nullptr;
    Owned result(call.new_result(g.kernels, g.out));
    if (!result) return nullptr;
    const T *input = data_of<T>(call.x), *kernels = data_of<T>(call.weight), *bias = call.bias;
    T* out = data_of<T>(result.get());
    {
        ReleaseGil unlocked(g.work() >= thread_threshold);
        convolve(g, input, kernels, bias, out);
    }
    return result.give();
}

// ---- the rules -----------------------------------------------------------------------------------------------------
// Whether a shape and strides in bytes are those of an array in rows without gaps.
bool are_row_major(PyObject* shape, PyObject* strides, npy_intp itemsize) {
    if (!PyTuple_CheckExact(shape) || !PyTuple_CheckExact(strides) ||
        PyTuple_GET_SIZE(shape) != PyTuple_GET_SIZE(strides))
        return false;
    Size step(itemsize);
    for (Py_ssize_t i = PyTuple_GET_SIZE(shape) - 1; i >= 0; --i) {
        npy_intp length = 0, stride = 0;
        if (!as_index(PyTuple_GET_ITEM(shape, i), length) || !as_index(PyTuple_GET_ITEM(strides, i), stride))
            return false;
        if (length < 1 || !step.fits() || stride != step.value()) return false;
        step = step * length;
    }
    return true;
}
bool has_shape(PyArrayObject* array, PyObject* shape) {
    bool same = PyTuple_GET_SIZE(shape) == PyArray_NDIM(array);
    for (int i = 0; same && i < PyArray_NDIM(array); ++i) {
        npy_intp length = 0;
        same = as_index(PyTuple_GET_ITEM(shape, i), length) && length == PyArray_DIM(array, i);
    }
    return same;
}

// The gradient of the input or of the weight, from the other one and its own shape and strides:
// (grad, other, shape, strides, stride, padding, dilation, transposed, groups)
template <class T, bool of_weight> PyObject* convolution_rule(PyObject* const* args) {
    const Owned grad(contiguous_gradient(args[0], descr_of<T>()));
    bool transposed = false;
    if (!grad || !row_major_only(args[1], descr_of<T>()) || !are_row_major(args[2], args[3], sizeof(T)) ||
        !as_flag(args[7], transposed))
        return nullptr;
    PyObject* slots[] = {reinterpret_cast<PyObject*>(grad.get()), args[1], args[2], args[4], args[5], args[6], args[8]};
    if (of_weight) {
        if (transposed) std::swap(slots[0], slots[1]);
        return weight_grad_of<T>(slots);
    }
    if (!transposed) return input_grad_of<T>(slots);
    slots[2] = Py_None;
    PyObject* result = convolution_of<T>(slots);
    if (!result || has_shape(reinterpret_cast<PyArrayObject*>(result), args[2])) return result;
    return Py_DECREF(result), nullptr;  // with output padding the result is larger; the body removes the rest
}

// ---- the arguments of the named forms -------------------------------------------------------------------------------
// One number for all of `count` dimensions, or a tuple of so many; a new reference, or null without an error.
PyObject* spread_option(PyObject* option, int count) {
    if (PyTuple_CheckExact(option) && PyTuple_GET_SIZE(option) == count) return Py_NewRef(option);
    if (!PyLong_CheckExact(option)) return nullptr;
    if (count == 1) return PyTuple_Pack(1, option);
    return count == 2 ? PyTuple_Pack(2, option, option) : PyTuple_Pack(3, option, option, option);
}

// The arguments of `convolution` for (input, weight, bias, then four options, of which three have a value for each
// dimension).
template <int count, bool transposed> PyObject* convolution_arguments(PyObject* const* args) {
    PyArrayObject *x = plain(args[0]), *weight = plain(args[1]);
    if (!x || !weight || PyArray_NDIM(x) != count + 2 || PyArray_NDIM(weight) != count + 2) return nullptr;
    if (args[2] != Py_None && !PyArray_CheckExact(args[2])) return nullptr;
    constexpr int dilation_at = transposed ? 7 : 5;
    PyObject* none = PyLong_FromLong(0);
    PyObject* output_padding = transposed ? args[5] : none;
    PyObject* stride = none ? spread_option(args[3], count) : nullptr;
    PyObject* padding = stride ? spread_option(args[4], count) : nullptr;
    PyObject* dilation = padding ? spread_option(args[dilation_at], count) : nullptr;
    PyObject* further = dilation ? spread_option(output_padding, count) : nullptr;
    PyObject* arguments = nullptr;
    if (further)
        arguments = Py_BuildValue("OOOOOOOOO", Py_None, Py_None, Py_None, stride, padding, dilation,
                                  transposed ? Py_True : Py_False, further, args[6]);
    for (PyObject* item : {none, stride, padding, dilation, further}) Py_XDECREF(item);
    return arguments;
}

Methods call_methods({
    WENGERT_ENTRY(convolution, "(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)",
                  of_halves<direct<9, by_element<convolution<float>, convolution<double>>>>),
    WENGERT_ENTRY(convolution_input_rule,
                  "(grad, weight, input_shape, input_strides, stride, padding, dilation, transposed, groups)",
                  direct<9, by_element<convolution_rule<float, false>, convolution_rule<double, false>>>),
    WENGERT_ENTRY(convolution_weight_rule,
                  "(grad, input, weight_shape, weight_strides, stride, padding, dilation, transposed, groups)",
                  direct<9, by_element<convolution_rule<float, true>, convolution_rule<double, true>>>),
    direct_method("direct_conv1d_arguments", direct<7, convolution_arguments<1, false>>,
                  "those of convolution, or NotImplemented"),
    direct_method("direct_conv2d_arguments", direct<7, convolution_arguments<2, false>>,
                  "those of convolution, or NotImplemented"),
    direct_method("direct_conv3d_arguments", direct<7, convolution_arguments<3, false>>,
                  "those of convolution, or NotImplemented"),
    direct_method("direct_conv_transpose1d_arguments", direct<8, convolution_arguments<1, true>>,
                  "those of convolution, or NotImplemented"),
    direct_method("direct_conv_transpose2d_arguments", direct<8, convolution_arguments<2, true>>,
                  "those of convolution, or NotImplemented"),
    direct_method("direct_conv_transpose3d_arguments", direct<8, convolution_arguments<3, true>>,
                  "those of convolution, or NotImplemented"),
});

}  // namespace
}  // namespace wengert
