// Adding at indices: the backward forms of gathering. The order of additions is that of the indices, whatever the number of
// threads: each thread owns a range of the rows written. Another thread may rewrite an index while this runs: each is loaded
// once, and what was loaded is checked and used. One that lies outside ends in the twin, which words the error; what was
// written until then is in memory of our own.
#include "common.hpp"

#include <atomic>
#include <cstring>

namespace wengert {
namespace {

Twin embedding_backward_twin("embedding_backward"), index_add_twin("index_add"), scatter_add_twin("scatter_add");
Twin index_put_add_twin("index_put_add"), dropout_apply_twin("dropout_apply");

// out[index[i], :] += alpha * source[i, :] except where index[i] is `skip`; false if an index lies outside.
template <class T>
bool add_rows(T* out, npy_intp rows, npy_intp width, const int64_t* index, npy_intp count, const T* source, T alpha,
              npy_intp skip) {
    std::atomic<bool> inside{true};
    ReleaseGil unlocked(count * width >= thread_threshold);
    const bool split = width >= 8;  // each piece reads all indices
    parallel_for(rows, split ? count * width / rows + 1 : 0, [=, &inside](npy_intp first, npy_intp last) {
        for (npy_intp i = 0; i < count; ++i) {
            const npy_intp row = load_once(index + i);
            if (row < first || row >= last) {
                if (row < 0 || row >= rows) inside.store(false, std::memory_order_relaxed);
                continue;
            }
            if (row == skip) continue;
            T* target = out + row * width;
            const T* part = source + i * width;
            if (alpha == T(1)) {
                for (npy_intp j = 0; j < width; ++j) target[j] += part[j];
            } else {
                for (npy_intp j = 0; j < width; ++j) target[j] += part[j] * alpha;
            }
        }
    });
    return inside.load();
}

PyArrayObject* copy_of(PyArrayObject* x) { return reinterpret_cast<PyArrayObject*>(PyArray_NewCopy(x, NPY_CORDER)); }

template <class T>
PyObject* embedding_rows(PyObject** slots) {
    PyArrayObject* grad = plain(slots[0], descr_of<T>());
    PyArrayObject* indices = plain(slots[1], int64_descr);
    npy_intp rows = 0, skip = -1;
    if (!grad || !indices || !as_index(slots[2], rows) || !as_index(slots[3], skip) || rows < 1) return nullptr;
    const int ndim = PyArray_NDIM(grad);
    if (ndim < 1 || PyArray_NDIM(indices) != ndim - 1) return nullptr;
    const npy_intp width = PyArray_DIM(grad, ndim - 1), count = PyArray_SIZE(indices);
    for (int i = 0; i < ndim - 1; ++i)
        if (PyArray_DIM(grad, i) != PyArray_DIM(indices, i)) return nullptr;
    const npy_intp shape[2] = {rows, width};
    Owned result(new_array(descr_of<T>(), 2, shape));
    if (!result) return nullptr;
    std::memset(PyArray_DATA(result.get()), 0, static_cast<size_t>(PyArray_NBYTES(result.get())));
    const bool inside =
        add_rows<T>(data_of<T>(result.get()), rows, width, data_of<int64_t>(indices), count, data_of<T>(grad), T(1), skip);
    return inside ? result.give() : nullptr;
}

template <class T>
PyObject* index_rows(PyObject** slots) {
    PyArrayObject* x = plain(slots[0], descr_of<T>());
    PyArrayObject* index = plain(slots[2], int64_descr);
    PyArrayObject* source = plain(slots[3], descr_of<T>());
    npy_intp axis = 0;
    double alpha = 1;
    if (!x || !index || !source || !as_index(slots[1], axis) || !as_number(slots[4], alpha)) return nullptr;
    const int ndim = PyArray_NDIM(x);
    if (ndim == 0 || PyArray_NDIM(index) != 1 || PyArray_NDIM(source) != ndim) return nullptr;
    if (axis != 0 && axis != -ndim) return nullptr;
    const npy_intp rows = PyArray_DIM(x, 0), count = PyArray_SIZE(index);
    if (rows == 0 || PyArray_DIM(source, 0) != count) return nullptr;
    for (int i = 1; i < ndim; ++i)
        if (PyArray_DIM(source, i) != PyArray_DIM(x, i)) return nullptr;
    Owned result(copy_of(x));
    if (!result) return nullptr;
    const bool inside = add_rows<T>(data_of<T>(result.get()), rows, PyArray_SIZE(x) / rows, data_of<int64_t>(index), count,
                                    data_of<T>(source), static_cast<T>(alpha), -1);
    return inside ? result.give() : nullptr;
}

// Several axes: (outer, axis, inner) of `x` and of `index`, which have the same outer and inner shape.
template <class T>
PyObject* scatter(PyObject** slots) {
    PyArrayObject* x = plain(slots[0], descr_of<T>());
    PyArrayObject* index = plain(slots[2], int64_descr);
    PyArrayObject* source = plain(slots[3], descr_of<T>());
    npy_intp axis = 0;
    if (!x || !index || !source || !as_index(slots[1], axis)) return nullptr;
    const int ndim = PyArray_NDIM(x);
    if (axis < 0) axis += ndim;
    if (axis < 0 || axis >= ndim || PyArray_NDIM(index) != ndim || !same_shape(index, source)) return nullptr;
    npy_intp outer = 1, inner = 1;
    for (int i = 0; i < ndim; ++i) {
        if (i == axis) continue;
        if (PyArray_DIM(index, i) != PyArray_DIM(x, i)) return nullptr;
        (i < axis ? outer : inner) *= PyArray_DIM(x, i);
    }
    const npy_intp size = PyArray_DIM(x, static_cast<int>(axis)), count = PyArray_DIM(index, static_cast<int>(axis));
    const int64_t* places = data_of<int64_t>(index);
    Owned result(copy_of(x));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const T* values = data_of<T>(source);
    std::atomic<bool> inside{true};
    {
        ReleaseGil unlocked(PyArray_SIZE(index) >= thread_threshold);
        parallel_for(outer, count * inner, [=, &inside](npy_intp begin, npy_intp end) {
            bool all_inside = true;
            for (npy_intp o = begin; o < end; ++o)
                for (npy_intp i = 0; i < count; ++i)
                    for (npy_intp j = 0; j < inner; ++j) {
                        const npy_intp at = (o * count + i) * inner + j, place = load_once(places + at);
                        if (place < 0 || place >= size)
                            all_inside = false;
                        else
                            out[(o * size + place) * inner + j] += values[at];
                    }
            if (!all_inside) inside.store(false, std::memory_order_relaxed);
        });
    }
    return inside.load() ? result.give() : nullptr;
}

// x[indices] += values for one int64 array, alone or in a tuple, that counts along the first axis.
template <class T>
PyObject* put_rows(PyObject** slots) {
    PyArrayObject* x = plain(slots[0], descr_of<T>());
    PyObject* index_object = slots[1];
    if (PyTuple_CheckExact(index_object) && PyTuple_GET_SIZE(index_object) == 1) index_object = PyTuple_GET_ITEM(index_object, 0);
    PyArrayObject* index = plain(index_object, int64_descr);
    PyArrayObject* values = plain(slots[2], descr_of<T>());
    if (!x || !index || !values || PyArray_NDIM(x) == 0) return nullptr;
    const int leading = PyArray_NDIM(index), ndim = PyArray_NDIM(x);
    if (PyArray_NDIM(values) != leading + ndim - 1) return nullptr;
    for (int i = 0; i < leading; ++i)
        if (PyArray_DIM(values, i) != PyArray_DIM(index, i)) return nullptr;
    for (int i = 1; i < ndim; ++i)
        if (PyArray_DIM(values, leading + i - 1) != PyArray_DIM(x, i)) return nullptr;
    const npy_intp rows = PyArray_DIM(x, 0), count = PyArray_SIZE(index);
    if (rows == 0) return nullptr;
    Owned result(copy_of(x));
    if (!result) return nullptr;
    const bool inside = add_rows<T>(data_of<T>(result.get()), rows, PyArray_SIZE(x) / rows, data_of<int64_t>(index), count,
                                    data_of<T>(values), T(1), -1);
    return inside ? result.give() : nullptr;
}

template <class T>
PyObject* drop(PyObject** slots) {
    PyArrayObject* x = plain(slots[0], descr_of<T>());
    PyArrayObject* mask = plain(slots[1], bool_descr);
    double p = 0;
    if (!x || !mask || !same_shape(x, mask) || !as_number(slots[2], p)) return nullptr;
    Owned result(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T *input = data_of<T>(x), scale = static_cast<T>(p == 1 ? 0 : 1 / (1 - p));
    const npy_bool* kept = data_of<npy_bool>(mask);
    T* out = data_of<T>(result.get());
    const npy_intp count = PyArray_SIZE(x);
    {
        ReleaseGil unlocked(count >= thread_threshold);
        parallel_for(count, 1, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) out[i] = input[i] * (static_cast<T>(kept[i]) * scale);
        });
    }
    return result.give();
}

// Picks the form for the dtype of the first argument.
template <PyObject* (*for_float)(PyObject**), PyObject* (*for_double)(PyObject**)>
PyObject* by_dtype(PyObject** slots) {
    PyArrayObject* first = plain(slots[0]);
    if (!first) return nullptr;
    if (PyArray_DESCR(first) == float_descr) return for_float(slots);
    return PyArray_DESCR(first) == double_descr ? for_double(slots) : nullptr;
}

const char* const embedding_names[] = {"grad", "indices", "rows", "padding_idx"};
const char* const index_add_names[] = {"x", "axis", "index", "source", "alpha"};
const char* const index_put_names[] = {"x", "indices", "values"};
const char* const dropout_names[] = {"x", "mask", "p"};

PyObject* embedding_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<4>(embedding_backward_twin, embedding_names, 3, args, nargs, kwnames,
                         by_dtype<embedding_rows<float>, embedding_rows<double>>);
}
PyObject* index_add(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<5>(index_add_twin, index_add_names, 4, args, nargs, kwnames, by_dtype<index_rows<float>, index_rows<double>>);
}
PyObject* scatter_add(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<4>(scatter_add_twin, index_add_names, 4, args, nargs, kwnames, by_dtype<scatter<float>, scatter<double>>);
}
PyObject* index_put_add(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<3>(index_put_add_twin, index_put_names, 3, args, nargs, kwnames, by_dtype<put_rows<float>, put_rows<double>>);
}
PyObject* dropout_apply(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<3>(dropout_apply_twin, dropout_names, 3, args, nargs, kwnames, by_dtype<drop<float>, drop<double>>);
}

PyMethodDef index_methods[] = {
    fast_method("embedding_backward", embedding_backward, "embedding_backward(grad, indices, rows, padding_idx=-1)"),
    fast_method("index_add", index_add, "index_add(x, axis, index, source, alpha=1)"),
    fast_method("scatter_add", scatter_add, "scatter_add(x, axis, index, source)"),
    fast_method("index_put_add", index_put_add, "index_put_add(x, indices, values)"),
    fast_method("dropout_apply", dropout_apply, "dropout_apply(x, mask, p)"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList index_list(index_methods);

}  // namespace
}  // namespace wengert
