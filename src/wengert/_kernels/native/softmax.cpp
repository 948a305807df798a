// softmax and log_softmax along the last axis, few elements also along others, and their backward forms.
#include "direct.hpp"

#include <vector>

namespace wengert {
namespace {

Twin softmax_twin("softmax"), log_softmax_twin("log_softmax");
Twin softmax_backward_twin("softmax_backward"), log_softmax_backward_twin("log_softmax_backward");

// Whether `axis` is the last one of `x`, which then has rows of `width` elements.
bool last_axis(PyArrayObject* x, PyObject* axis_object, npy_intp& width) {
    npy_intp axis = 0;
    const int ndim = PyArray_NDIM(x);
    if (ndim == 0 || !axis_object || !as_index(axis_object, axis)) return false;
    width = PyArray_DIM(x, ndim - 1);
    return (axis == ndim - 1 || axis == -1) && width > 0;
}

constexpr npy_intp exponential_cost = 4;  // in additions

template <class T>
PyObject* forward(PyArrayObject* x, npy_intp width, bool logarithm) {
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* output = data_of<T>(result.get());
    const auto row = logarithm ? loops<T>().log_softmax_row : loops<T>().softmax_row;
    const npy_intp rows = PyArray_SIZE(x) / width;
    {
        ReleaseGil unlocked(rows * width >= thread_threshold);
        parallel_for(rows, width * exponential_cost, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) row(input + i * width, output + i * width, width);
        });
    }
    return result.give();
}

template <class T>
PyObject* backward(PyArrayObject* grad, PyArrayObject* value, npy_intp width, bool logarithm) {
    Owned result(new_array(PyArray_DESCR(grad), PyArray_NDIM(grad), PyArray_DIMS(grad)));
    if (!result) return nullptr;
    const T *slope = data_of<T>(grad), *input = data_of<T>(value);
    T* output = data_of<T>(result.get());
    const auto row = logarithm ? loops<T>().log_softmax_backward_row : loops<T>().softmax_backward_row;
    const npy_intp rows = PyArray_SIZE(grad) / width;
    {
        ReleaseGil unlocked(rows * width >= thread_threshold);
        parallel_for(rows, width * 2, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) row(slope + i * width, input + i * width, output + i * width, width);
        });
    }
    return result.give();
}

PyObject* compute_forward(PyObject* const* slots, bool logarithm) {
    PyArrayObject* x = plain(slots[0]);
    npy_intp width;
    if (!x || !last_axis(x, slots[1], width)) return nullptr;
    if (PyArray_DESCR(x) == float_descr) return forward<float>(x, width, logarithm);
    return PyArray_DESCR(x) == double_descr ? forward<double>(x, width, logarithm) : nullptr;
}
PyObject* compute_backward(PyObject* const* slots, bool logarithm) {
    PyArrayObject* grad = plain(slots[0]);
    npy_intp width;
    if (!grad || !last_axis(grad, slots[2], width)) return nullptr;
    PyArrayObject* value = plain(slots[1], PyArray_DESCR(grad));
    if (!value || !same_shape(grad, value)) return nullptr;
    if (PyArray_DESCR(grad) == float_descr) return backward<float>(grad, value, width, logarithm);
    return PyArray_DESCR(grad) == double_descr ? backward<double>(grad, value, width, logarithm) : nullptr;
}

const char* const forward_names[] = {"x", "axis"};
const char* const backward_names[] = {"grad", "result", "axis"};

PyObject* softmax(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<2>(softmax_twin, forward_names, 2, args, nargs, kwnames,
                         [](PyObject** slots) { return compute_forward(slots, false); });
}
PyObject* log_softmax(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<2>(log_softmax_twin, forward_names, 2, args, nargs, kwnames,
                         [](PyObject** slots) { return compute_forward(slots, true); });
}
PyObject* softmax_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<3>(softmax_backward_twin, backward_names, 3, args, nargs, kwnames,
                         [](PyObject** slots) { return compute_backward(slots, false); });
}
PyObject* log_softmax_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<3>(log_softmax_backward_twin, backward_names, 3, args, nargs, kwnames,
                         [](PyObject** slots) { return compute_backward(slots, true); });
}

// ---- along other axes ----------------------------------------------------------------------------------------------
// Few elements along any axis, line by line: `row` reads from two buffers (one, if `second` is null) and writes to a third.
template <class T, class Row>
PyObject* along(PyArrayObject* x, PyArrayObject* second, int axis, Row row) {
    const Line line = line_of(PyArray_DIMS(x), PyArray_NDIM(x), axis);
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    std::vector<T> lines(static_cast<size_t>(line.length) * 3);
    T *a = lines.data(), *b = a + line.length, *made = b + line.length;
    for (npy_intp o = 0; o < line.outer; ++o)
        for (npy_intp i = 0; i < line.inner; ++i) {
            const npy_intp start = o * line.length * line.inner + i;
            for (npy_intp k = 0; k < line.length; ++k) a[k] = data_of<T>(x)[start + k * line.inner];
            for (npy_intp k = 0; second && k < line.length; ++k) b[k] = data_of<T>(second)[start + k * line.inner];
            row(a, b, made, line.length);
            for (npy_intp k = 0; k < line.length; ++k) data_of<T>(result.get())[start + k * line.inner] = made[k];
        }
    return result.give();
}
template <class T>
PyObject* forward_along(PyArrayObject* x, int axis, bool logarithm) {
    const auto row = logarithm ? loops<T>().log_softmax_row : loops<T>().softmax_row;
    return along<T>(x, nullptr, axis, [=](T* input, T*, T* output, npy_intp width) { row(input, output, width); });
}
template <class T>
PyObject* backward_along(PyArrayObject* grad, PyArrayObject* value, int axis, bool logarithm) {
    const auto row = logarithm ? loops<T>().log_softmax_backward_row : loops<T>().softmax_backward_row;
    return along<T>(grad, value, axis, row);
}
// The axis, if it is not the last one, and few elements lie along it.
bool other_axis(PyArrayObject* x, PyObject* object, int& axis) {
    return PyArray_SIZE(x) < thread_threshold && as_axis(object, PyArray_NDIM(x), axis) && axis < PyArray_NDIM(x) - 1;
}

// ---- beside cards and rules ----------------------------------------------------------------------------------------
// (self, dim)
template <bool logarithm>
PyObject* of_card(PyObject* const* args) {
    PyArrayObject* x = plain(args[0]);
    int axis;
    if (!x || PyArray_SIZE(x) == 0) return nullptr;  // an empty one has no row-major strides
    if (!other_axis(x, args[1], axis)) return compute_forward(args, logarithm);
    if (PyArray_DESCR(x) == float_descr) return forward_along<float>(x, axis, logarithm);
    return PyArray_DESCR(x) == double_descr ? forward_along<double>(x, axis, logarithm) : nullptr;
}
// (grad, result, dim); the gradient may lie in any order
template <bool logarithm>
PyObject* rule(PyObject* const* args) {
    if (!PyArray_CheckExact(args[0])) return nullptr;
    Owned grad(in_rows(args[0], PyArray_DESCR(reinterpret_cast<PyArrayObject*>(args[0]))));
    if (!grad || PyArray_SIZE(grad.get()) == 0) return nullptr;
    PyObject* slots[3] = {reinterpret_cast<PyObject*>(grad.get()), args[1], args[2]};
    int axis;
    if (!other_axis(grad.get(), args[2], axis)) return compute_backward(slots, logarithm);
    PyArray_Descr* descr = PyArray_DESCR(grad.get());
    PyArrayObject* value = plain(args[1], descr);
    if (!value || !same_shape(grad.get(), value)) return nullptr;
    if (descr == float_descr) return backward_along<float>(grad.get(), value, axis, logarithm);
    return descr == double_descr ? backward_along<double>(grad.get(), value, axis, logarithm) : nullptr;
}

PyMethodDef softmax_methods[] = {
    direct_method("direct_softmax", direct<2, of_card<false>>, "softmax(self, dim), or NotImplemented"),
    direct_method("direct_log_softmax", direct<2, of_card<true>>, "log_softmax(self, dim), or NotImplemented"),
    direct_method("direct_softmax_backward", direct<3, rule<false>>, "softmax_backward(grad, result, dim), or NotImplemented"),
    direct_method("direct_log_softmax_backward", direct<3, rule<true>>, "log_softmax_backward(grad, result, dim), or NotImplemented"),
    fast_method("softmax", softmax, "softmax(x, axis)"),
    fast_method("log_softmax", log_softmax, "log_softmax(x, axis)"),
    fast_method("softmax_backward", softmax_backward, "softmax_backward(grad, result, axis)"),
    fast_method("log_softmax_backward", log_softmax_backward, "log_softmax_backward(grad, result, axis)"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList softmax_list(softmax_methods);

}  // namespace
}  // namespace wengert
