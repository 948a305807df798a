// Layer normalisation: rows of the last axes, forward and backward.
#include "binding/halved.hpp"
#include "norm/statistics.hpp"

#include <algorithm>

namespace wengert {
namespace {

Twin forward_twin("layer_norm"), backward_twin("layer_norm_backward");

struct Rows {
    npy_intp rows = 1, width = 1;
    npy_intp statistics_shape[NPY_MAXDIMS];
};
bool find_rows(PyArrayObject* x, PyObject* normalized, Rows& r) {
    npy_intp last = 0;
    if (!x || !as_index(normalized, last)) return false;
    const int ndim = PyArray_NDIM(x);
    if (last < 1 || last > ndim || PyArray_SIZE(x) == 0) return false;
    for (int i = 0; i < ndim; ++i) {
        const bool inner = i >= ndim - last;
        (inner ? r.width : r.rows) *= PyArray_DIM(x, i);
        r.statistics_shape[i] = inner ? 1 : PyArray_DIM(x, i);
    }
    return true;
}

// Rows with mean 0 and variance 1: the result and both statistics, all of given shapes.
template <class T>
bool normalise(const T* input, npy_intp rows, npy_intp width, double eps, const T* weight, const T* bias,
               Owned* results) {
    if (!results[0] || !results[1] || !results[2]) return false;
    T *out = data_of<T>(results[0].get()), *mean = data_of<T>(results[1].get()), *invstd = data_of<T>(results[2].get());
    ReleaseGil unlocked(rows * width >= thread_threshold);
    parallel_for(rows, width * 2, [=](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i) {
            const T* row = input + i * width;
            find_statistics(row, width, eps, mean[i], invstd[i]);
            loops<T>().row_affine(row, out + i * width, width, mean[i], invstd[i], weight, bias);
        }
    });
    return true;
}

template <class T> PyObject* forward(PyObject** slots) {
    PyArrayObject* x = plain(slots[0], descr_of<T>());
    Rows r;
    const T *weight, *bias;
    double eps = 1e-5;
    if (!find_rows(x, slots[1], r) || !optional_data(slots[2], r.width, weight) ||
        !optional_data(slots[3], r.width, bias))
        return nullptr;
    if (!as_number(slots[4], eps)) return nullptr;
    Owned items[3] = {Owned(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x))),
                      Owned(new_array(descr_of<T>(), PyArray_NDIM(x), r.statistics_shape)),
                      Owned(new_array(descr_of<T>(), PyArray_NDIM(x), r.statistics_shape))};
    return normalise(data_of<T>(x), r.rows, r.width, eps, weight, bias, items) ? give_tuple(items, 3) : nullptr;
}

template <class T> PyObject* backward(PyObject** slots) {
    const Owned grad(as_contiguous(slots[0], descr_of<T>())), rows(as_contiguous(slots[1], descr_of<T>()));
    PyArrayObject* x = rows.get();
    Rows r;
    const T *mean, *invstd, *weight;
    if (!grad || !find_rows(x, slots[2], r) || !same_shape(grad.get(), x)) return nullptr;
    if (!optional_data(slots[3], r.rows, mean) || !optional_data(slots[4], r.rows, invstd)) return nullptr;
    if (!mean || !invstd || !optional_data(slots[5], r.width, weight)) return nullptr;
    PyArrayObject* weights = weight ? plain(slots[5]) : nullptr;
    Owned items[3] = {Owned(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x))),
                      Owned(weight ? new_array(descr_of<T>(), PyArray_NDIM(weights), PyArray_DIMS(weights)) : nullptr),
                      Owned(weight ? new_array(descr_of<T>(), PyArray_NDIM(weights), PyArray_DIMS(weights)) : nullptr)};
    if (!items[0] || (weight && (!items[1] || !items[2]))) return nullptr;
    const T *grads = data_of<T>(grad.get()), *input = data_of<T>(x);
    T* out = data_of<T>(items[0].get());
    T* grad_weight = weight ? data_of<T>(items[1].get()) : nullptr;
    T* grad_bias = weight ? data_of<T>(items[2].get()) : nullptr;
    {
        ReleaseGil unlocked(r.rows * r.width >= thread_threshold);
        parallel_for(r.rows, r.width * 2, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) {
                const npy_intp at = i * r.width;
                loops<T>().layer_norm_backward_row(grads + at, input + at, weight, out + at, r.width, mean[i],
                                                   invstd[i]);
            }
        });
        if (weight)
            parallel_for(r.width, r.rows * 2, [=](npy_intp first, npy_intp last) {
                loops<T>().layer_norm_columns(grads + first, input + first, mean, invstd, r.width, r.rows, last - first,
                                              grad_weight + first, grad_bias + first);
            });
    }
    return give_tuple(items, 3);
}

const char* const forward_names[] = {"x", "normalized_ndim", "weight", "bias", "eps"};
const char* const backward_names[] = {"grad", "x", "normalized_ndim", "mean", "invstd", "weight"};

PyObject* layer_norm(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<5>(forward_twin, forward_names, 2, args, nargs, kwnames, [](PyObject** slots) {
        PyArrayObject* x = plain(slots[0], float_descr);
        return x ? forward<float>(slots) : forward<double>(slots);
    });
}
PyObject* layer_norm_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<6>(backward_twin, backward_names, 6, args, nargs, kwnames, [](PyObject** slots) {
        PyObject* result = backward<float>(slots);
        return result || PyErr_Occurred() ? result : backward<double>(slots);
    });
}

// ---- for the dispatcher ---------------------------------------------------------------------------------------------
// native_layer_norm(input, normalized_shape, weight, bias, eps)
template <class T> PyObject* layer_norm_card(PyObject* const* args) {
    PyArrayObject* x = plain(args[0], descr_of<T>());
    npy_intp shape[most_dims];
    const int last = as_shape(args[1], shape), ndim = x ? PyArray_NDIM(x) : 0;
    if (!x || last < 1 || last > ndim || PyArray_SIZE(x) == 0) return nullptr;
    Rows r;
    for (int i = 0; i < ndim; ++i) {
        const bool inner = i >= ndim - last;
        if (inner && shape[i - (ndim - last)] != PyArray_DIM(x, i)) return nullptr;
        (inner ? r.width : r.rows) *= PyArray_DIM(x, i);
        r.statistics_shape[i] = inner ? 1 : PyArray_DIM(x, i);
    }
    const T* factors[2];
    double eps = 0;
    for (int k = 0; k < 2; ++k) {
        if (!optional_data(args[2 + k], r.width, factors[k])) return nullptr;
        auto* factor = reinterpret_cast<PyArrayObject*>(args[2 + k]);
        if (factors[k] && (PyArray_NDIM(factor) != last || !std::equal(shape, shape + last, PyArray_DIMS(factor))))
            return nullptr;
    }
    if (!as_number(args[4], eps)) return nullptr;
    Owned results[3] = {Owned(new_array(descr_of<T>(), ndim, PyArray_DIMS(x))),
                        Owned(new_array(descr_of<T>(), ndim, r.statistics_shape)),
                        Owned(new_array(descr_of<T>(), ndim, r.statistics_shape))};
    return normalise(data_of<T>(x), r.rows, r.width, eps, factors[0], factors[1], results) ? give_tuple(results, 3)
                                                                                           : nullptr;
}

Methods layer_norm_methods({
    WENGERT_FUNCTION(layer_norm, "(x, normalized_ndim, weight=None, bias=None, eps=1e-5)", layer_norm),
    WENGERT_FUNCTION(layer_norm_backward, "(grad, x, normalized_ndim, mean, invstd, weight)", layer_norm_backward),
    WENGERT_ENTRY(native_layer_norm, "(input, normalized_shape, weight, bias, eps)",
                  of_halves<on_contiguous<direct<5, by_element<layer_norm_card<float>, layer_norm_card<double>>>>>),
});

}  // namespace
}  // namespace wengert
