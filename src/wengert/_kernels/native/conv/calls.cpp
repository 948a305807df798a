// What the dispatcher asks of convolutions: the card's arguments, in one to three dimensions, and those of the named
// forms.
#include "conv/conv.hpp"
#include "binding/halved.hpp"

#include <utility>

namespace wengert {
namespace {

// What a call of `convolution` asks for.
template <class T> struct Asked {
    PyArrayObject *x, *weight;
    const T* bias = nullptr;
    int count = 0;
    bool transposed = false;
    index_t input[2 + axes], kernels[2 + axes], further[axes] = {0, 0, 0};
    Geometry g;

    bool read(PyObject* const* args) {
        x = rows_only(args[0], descr_of<T>()), weight = rows_only(args[1], descr_of<T>());
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
    PyArrayObject* made(index_t channels, const index_t* lengths) const {
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

template <class T> PyObject* transposed_convolution(Asked<T>& asked) {
    Geometry& g = asked.g;
    index_t shape[2 + axes];
    if (!asked.lengthen(shape) || !complete(g, shape, asked.kernels)) return nullptr;
    const index_t* input = asked.input;
    if (g.kernels != input[1] || g.out[0] != input[2] || g.out[1] != input[3] || g.out[2] != input[4]) return nullptr;
    const T *slope = data_of<T>(asked.x), *kernels = data_of<T>(asked.weight), *bias = asked.bias;
    if (!all_finite(kernels, PyArray_SIZE(asked.weight))) return nullptr;
    Owned result(asked.made(shape[1], shape + 2));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    {
        ReleaseGil unlocked(g.work() >= thread_threshold);
        convolve_backward_input(g, slope, kernels, out);
        const index_t volume = g.volume();
        for (index_t each = 0; bias && each < shape[0] * shape[1]; ++each)
            loops<T>().binary[ADD](out + each * volume, 1, bias + each % shape[1], 0, out + each * volume, volume);
    }
    return result.give();
}

// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
template <class T> PyObject* convolution(PyObject* const* args) {
    Asked<T> asked;
    if (!asked.read(args)) return nullptr;
    if (asked.transposed) return transposed_convolution(asked);
    Geometry& g = asked.g;
    if (asked.further[0] || asked.further[1] || asked.further[2] || !complete(g, asked.input, asked.kernels))
        return nullptr;
    Owned result(asked.made(g.kernels, g.out));
    if (!result) return nullptr;
    const T *input = data_of<T>(asked.x), *kernels = data_of<T>(asked.weight), *bias = asked.bias;
    T* out = data_of<T>(result.get());
    {
        ReleaseGil unlocked(g.work() >= thread_threshold);
        convolve(g, input, kernels, bias, out);
    }
    return result.give();
}

// ---- the rules -----------------------------------------------------------------------------------------------------
// Whether a shape and strides in bytes are those of an array in rows without gaps.
bool are_of_rows(PyObject* shape, PyObject* strides, npy_intp itemsize) {
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
    const Owned grad(gradient_in_rows(args[0], descr_of<T>()));
    bool transposed = false;
    if (!grad || !rows_only(args[1], descr_of<T>()) || !are_of_rows(args[2], args[3], sizeof(T)) ||
        !as_flag(args[7], transposed))
        return nullptr;
    PyObject* slots[] = {reinterpret_cast<PyObject*>(grad.get()), args[1], args[2], args[4], args[5], args[6], args[8]};
    if (of_weight) {
        if (transposed) std::swap(slots[0], slots[1]);
        return weight_slopes_of<T>(slots);
    }
    if (!transposed) return input_slopes_of<T>(slots);
    slots[2] = Py_None;
    PyObject* made = convolution_of<T>(slots);
    if (!made || has_shape(reinterpret_cast<PyArrayObject*>(made), args[2])) return made;
    return Py_DECREF(made), nullptr;  // output padding made more, which the body leaves out
}

// ---- the arguments of the named forms -------------------------------------------------------------------------------
// One number for all of `count` dimensions, or a tuple of so many; a new reference, or null without an error.
PyObject* spread_option(PyObject* given, int count) {
    if (PyTuple_CheckExact(given) && PyTuple_GET_SIZE(given) == count) return Py_NewRef(given);
    if (!PyLong_CheckExact(given)) return nullptr;
    return count == 1   ? PyTuple_Pack(1, given)
           : count == 2 ? PyTuple_Pack(2, given, given)
                        : PyTuple_Pack(3, given, given, given);
}

// The arguments of `convolution` for (input, weight, bias, then four options, of which three are of each dimension).
template <int count, bool transposed> PyObject* convolution_arguments(PyObject* const* args) {
    PyArrayObject *x = plain(args[0]), *weight = plain(args[1]);
    if (!x || !weight || PyArray_NDIM(x) != count + 2 || PyArray_NDIM(weight) != count + 2) return nullptr;
    if (args[2] != Py_None && !PyArray_CheckExact(args[2])) return nullptr;
    PyObject* none = PyLong_FromLong(0);
    PyObject* stride = none ? spread_option(args[3], count) : nullptr;
    PyObject* padding = stride ? spread_option(args[4], count) : nullptr;
    PyObject* dilation = padding ? spread_option(args[transposed ? 7 : 5], count) : nullptr;
    PyObject* further = dilation ? spread_option(transposed ? args[5] : none, count) : nullptr;
    PyObject* found = nullptr;
    if (further)
        found = Py_BuildValue("OOOOOOOOO", Py_None, Py_None, Py_None, stride, padding, dilation,
                              transposed ? Py_True : Py_False, further, args[6]);
    for (PyObject* each : {none, stride, padding, dilation, further}) Py_XDECREF(each);
    return found;
}

PyMethodDef call_methods[] = {
    direct_method(
        "direct_convolution", of_halves<direct<9, by_element<convolution<float>, convolution<double>>>>,
        "convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups), or NotImplemented"),
    direct_method(
        "direct_convolution_input_rule",
        direct<9, by_element<convolution_rule<float, false>, convolution_rule<double, false>>>,
        "(grad, weight, input_shape, input_strides, stride, padding, dilation, transposed, groups), or NotImplemented"),
    direct_method(
        "direct_convolution_weight_rule",
        direct<9, by_element<convolution_rule<float, true>, convolution_rule<double, true>>>,
        "(grad, input, weight_shape, weight_strides, stride, padding, dilation, transposed, groups), or NotImplemented"),
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
    {nullptr, nullptr, 0, nullptr},
};
MethodList call_list(call_methods);

}  // namespace
}  // namespace wengert
