// Adding at indices: the backward forms of gathering (index/read.cpp). The order of additions is that of the indices,
// whatever the number of threads: each thread owns a range of the rows written. Another thread may rewrite an index
// while this runs: each is loaded once, checked and used. If one lies outside, the twin is called and raises the error;
// until then only new memory was written.
#include "index/along.hpp"
#include "binding/elements.hpp"

#include <cstring>
#include <vector>

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
            const int64_t row = load_once(index + i);
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

// The same for short slices along an axis behind others.
template <class T>
bool add_short_slices(T* out, const Line& line, const int64_t* index, npy_intp count, const T* source, T alpha) {
    const npy_intp width = line.inner, rows = line.length;
    std::atomic<bool> inside{true};
    ReleaseGil unlocked((Size(line.outer) * count * width).value_or_most() >= thread_threshold);
    parallel_for(line.outer, count * (width + 1), [=, &inside](npy_intp begin, npy_intp end) {
        bool all_inside = true;
        for (npy_intp o = begin; o < end; ++o)
            for (npy_intp i = 0; i < count; ++i) {
                const int64_t row = load_once(index + i);
                if (static_cast<uint64_t>(row) >= static_cast<uint64_t>(rows)) {
                    all_inside = false;
                    continue;
                }
                T* target = out + (o * rows + row) * width;
                const T* part = source + (o * count + i) * width;
                if (width == 1)
                    *target += *part * alpha;
                else
                    for (npy_intp j = 0; j < width; ++j) target[j] += part[j] * alpha;
            }
        if (!all_inside) inside.store(false, std::memory_order_relaxed);
    });
    return inside.load();
}

// Slices along an axis behind others.
template <class T>
bool add_slices(T* out, const Line& line, const int64_t* index, npy_intp count, const T* source, T alpha) {
    const npy_intp width = line.inner;
    if (width < 64 && line.outer > 1) return add_short_slices<T>(out, line, index, count, source, alpha);
    bool inside = true;
    for (npy_intp o = 0; o < line.outer; ++o, out += line.length * width, source += count * width)
        inside = add_rows<T>(out, line.length, width, index, count, source, alpha, -1) && inside;
    return inside;
}

// Whether two arrays have the same lengths except along an axis.
bool same_slices(PyArrayObject* a, PyArrayObject* b, int axis) {
    if (PyArray_NDIM(a) != PyArray_NDIM(b)) return false;
    for (int i = 0; i < PyArray_NDIM(a); ++i)
        if (i != axis && PyArray_DIM(a, i) != PyArray_DIM(b, i)) return false;
    return true;
}


template <class T> PyObject* embedding_rows(PyObject** slots) {
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
    const bool inside = add_rows<T>(data_of<T>(result.get()), rows, width, data_of<int64_t>(indices), count,
                                    data_of<T>(grad), T(1), skip);
    return inside ? result.give() : nullptr;
}

template <class T> PyObject* index_slices(PyObject** slots) {
    PyArrayObject* x = plain(slots[0], descr_of<T>());
    PyArrayObject* index = plain(slots[2], int64_descr);
    PyArrayObject* source = plain(slots[3], descr_of<T>());
    int axis = 0;
    double alpha = 1;
    if (!x || !index || !source || !as_axis(slots[1], PyArray_NDIM(x), axis) || !as_number(slots[4], alpha))
        return nullptr;
    const npy_intp count = PyArray_SIZE(index);
    if (PyArray_NDIM(index) != 1 || !same_slices(source, x, axis) || PyArray_DIM(source, axis) != count) return nullptr;
    if (PyArray_SIZE(x) == 0) return nullptr;
    Owned result(new_copy(x));
    if (!result) return nullptr;
    const Line line = line_of(PyArray_DIMS(x), PyArray_NDIM(x), axis);
    const bool inside = add_slices<T>(data_of<T>(result.get()), line, data_of<int64_t>(index), count,
                                      data_of<T>(source), static_cast<T>(alpha));
    return inside ? result.give() : nullptr;
}

// Adds elements, each at its own position; false if an index lies outside.
template <class T> bool add_elements(T* out, const Over& over, PyArrayObject* index, const T* values) {
    ReleaseGil unlocked(PyArray_SIZE(index) >= thread_threshold);
    return at_positions(data_of<int64_t>(index), over, sizeof(T),
                        [=](npy_intp to, npy_intp from) { out[to] += values[from]; });
}

template <class T> PyObject* scatter(PyObject** slots) {
    PyArrayObject* x = plain(slots[0], descr_of<T>());
    PyArrayObject* index = plain(slots[2], int64_descr);
    PyArrayObject* values = aligned(slots[3], descr_of<T>());
    int axis = 0;
    Over over;
    if (!x || !index || !values || !as_axis(slots[1], PyArray_NDIM(x), axis) ||
        !over.find(PyArray_NDIM(x), PyArray_DIMS(x), index, axis))
        return nullptr;
    const Owned source(part_under(values, index));
    Owned result(source ? new_copy(x) : nullptr);
    if (!result) return nullptr;
    const bool inside = add_elements<T>(data_of<T>(result.get()), over, index, data_of<T>(source.get()));
    return inside ? result.give() : nullptr;
}

// x[indices] += values for one int64 array, alone or in a tuple, that counts along the first axis.
template <class T> PyObject* put_rows(PyObject** slots) {
    PyArrayObject* x = plain(slots[0], descr_of<T>());
    PyObject* index_object = slots[1];
    if (PyTuple_CheckExact(index_object) && PyTuple_GET_SIZE(index_object) == 1)
        index_object = PyTuple_GET_ITEM(index_object, 0);
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
    Owned result(new_copy(x));
    if (!result) return nullptr;
    const bool inside = add_rows<T>(data_of<T>(result.get()), rows, PyArray_SIZE(x) / rows, data_of<int64_t>(index),
                                    count, data_of<T>(values), T(1), -1);
    return inside ? result.give() : nullptr;
}

template <class T> PyObject* drop(PyObject** slots) {
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


const char* const embedding_names[] = {"grad", "indices", "rows", "padding_idx"};
const char* const index_add_names[] = {"x", "axis", "index", "source", "alpha"};
const char* const index_put_names[] = {"x", "indices", "values"};
const char* const dropout_names[] = {"x", "mask", "p"};

const char* const scatter_add_names[] = {"x", "axis", "index", "source"};

// ---- beside cards and rules ----------------------------------------------------------------------------------------
// scatter_add(self, dim, index, src) and index_add(self, dim, index, source, alpha)
template <PyObject* (*compute)(PyObject**), int count> PyObject* of_card(PyObject* const* args) {
    PyArrayObject* x = plain(args[0]);
    if (!x || PyArray_SIZE(x) == 0) return nullptr;  // an empty one has no row-major strides
    PyObject* slots[count];
    for (int i = 0; i < count; ++i) slots[i] = args[i];
    return compute(slots);
}

// index_add_(self, dim, index, source, alpha): nothing is written unless all indices lie inside, so they are copied
// first.
template <class T> PyObject* add_in_place(PyObject* const* args) {
    PyArrayObject *x = plain(args[0], descr_of<T>()), *index = plain(args[2], int64_descr),
                  *source = plain(args[3], descr_of<T>());
    int axis = 0;
    double alpha = 1;
    if (!x || !index || !source || !writeable(x) || !as_axis(args[1], PyArray_NDIM(x), axis) ||
        !as_number(args[4], alpha))
        return nullptr;
    const npy_intp count = PyArray_SIZE(index), length = PyArray_DIM(x, axis);
    if (PyArray_NDIM(index) != 1 || !same_slices(source, x, axis) || PyArray_DIM(source, axis) != count) return nullptr;
    if (PyArray_SIZE(x) == 0 || !are_disjoint(source, x)) return nullptr;
    const int64_t* index_data = data_of<int64_t>(index);
    std::vector<int64_t> positions(static_cast<size_t>(count));
    for (npy_intp i = 0; i < count; ++i) {
        positions[static_cast<size_t>(i)] = load_once(index_data + i);
        if (static_cast<uint64_t>(positions[static_cast<size_t>(i)]) >= static_cast<uint64_t>(length)) return nullptr;
    }
    const Line line = line_of(PyArray_DIMS(x), PyArray_NDIM(x), axis);
    add_slices<T>(data_of<T>(x), line, positions.data(), count, data_of<T>(source), static_cast<T>(alpha));
    Py_RETURN_NONE;
}

// An indexing operation as its rule knows it: the shape of the array, and the axis.
struct Read {
    npy_intp shape[most_dims];
    int ndim, axis = 0;
    Read(PyObject* shape_object, PyObject* axis_object) : ndim(as_shape(shape_object, shape)) {
        if (ndim < 1 || !as_axis(axis_object, ndim, axis)) ndim = -1;
    }
    // Whether `grad` can be the gradient of the result, and the array has elements along the axis.
    bool gives(PyArrayObject* grad) const {
        if (PyArray_NDIM(grad) != ndim || shape[axis] == 0) return false;
        for (int i = 0; i < ndim; ++i)
            if (i != axis && (PyArray_DIM(grad, i) != shape[i] || shape[i] == 0)) return false;
        return true;
    }
};

// (grad, self_shape, dim, index): the gradient added where `gather` read
template <class T> PyObject* gather_rule(PyObject* const* args) {
    const Read read(args[1], args[2]);
    PyArrayObject* index = plain(args[3], int64_descr);
    if (!index || read.ndim < 1) return nullptr;
    Owned grad(as_contiguous(args[0], descr_of<T>()));
    Over over;
    if (!grad || !same_shape(grad.get(), index) || !over.find(read.ndim, read.shape, index, read.axis)) return nullptr;
    Owned result(new_zeros(descr_of<T>(), read.ndim, read.shape));
    if (!result) return nullptr;
    const bool inside = add_elements<T>(data_of<T>(result.get()), over, index, data_of<T>(grad.get()));
    return inside ? result.give() : nullptr;
}
// (grad, self_shape, dim, index): the slices of the gradient added where `index_select` read
template <class T> PyObject* index_select_rule(PyObject* const* args) {
    const Read read(args[1], args[2]);
    PyArrayObject* index = plain(args[3], int64_descr);
    if (!index || read.ndim < 1 || PyArray_NDIM(index) > 1) return nullptr;
    Owned grad(as_contiguous(args[0], descr_of<T>()));
    const npy_intp count = PyArray_SIZE(index);
    if (!grad || !read.gives(grad.get()) || PyArray_DIM(grad.get(), read.axis) != count) return nullptr;
    Owned result(new_zeros(descr_of<T>(), read.ndim, read.shape));
    if (!result) return nullptr;
    const bool inside = add_slices<T>(data_of<T>(result.get()), line_of(read.shape, read.ndim, read.axis),
                                      data_of<int64_t>(index), count, data_of<T>(grad.get()), T(1));
    return inside ? result.give() : nullptr;
}
// (grad, indices, weight_shape, padding_idx, scale_grad_by_freq), which must be false
template <class T> PyObject* embedding_rule(PyObject* const* args) {
    npy_intp shape[most_dims];
    if (as_shape(args[2], shape) != 2 || shape[0] == 0 || shape[1] == 0 || args[4] != Py_False) return nullptr;
    Owned grad(as_contiguous(args[0], descr_of<T>()));
    if (!grad || PyArray_NDIM(grad.get()) < 1 || PyArray_DIM(grad.get(), PyArray_NDIM(grad.get()) - 1) != shape[1])
        return nullptr;
    PyObject* slots[4] = {reinterpret_cast<PyObject*>(grad.get()), args[1], PyTuple_GET_ITEM(args[2], 0), args[3]};
    return embedding_rows<T>(slots);
}

Methods index_methods({
    WENGERT_ENTRY(scatter_add, "(self, dim, index, src)",
                  on_contiguous<direct<4, by_element<of_card<scatter<float>, 4>, of_card<scatter<double>, 4>>>>),
    WENGERT_ENTRY(
        index_add, "(self, dim, index, source, alpha)",
        on_contiguous<direct<5, by_element<of_card<index_slices<float>, 5>, of_card<index_slices<double>, 5>>>,
                      few_with_gaps>),
    WENGERT_ENTRY(index_add_, "(self, dim, index, source, alpha): None",
                  direct<5, by_element<add_in_place<float>, add_in_place<double>>>),
    WENGERT_ENTRY(gather_rule, "(grad, self_shape, dim, index)",
                  on_contiguous<direct<4, by_element<gather_rule<float>, gather_rule<double>>>>),
    WENGERT_ENTRY(index_select_rule, "(grad, self_shape, dim, index)",
                  on_contiguous<direct<4, by_element<index_select_rule<float>, index_select_rule<double>>>>),
    WENGERT_ENTRY(embedding_rule, "(grad, indices, weight_shape, padding_idx, scale_grad_by_freq)",
                  on_contiguous<direct<5, by_element<embedding_rule<float>, embedding_rule<double>>>>),
    WENGERT_FUNCTION(embedding_backward, "(grad, indices, rows, padding_idx=-1)",
                     with_twin<embedding_backward_twin, 3, embedding_names,
                               by_dtype<embedding_rows<float>, embedding_rows<double>>>),
    WENGERT_FUNCTION(
        index_add, "(x, axis, index, source, alpha=1)",
        with_twin<index_add_twin, 4, index_add_names, by_dtype<index_slices<float>, index_slices<double>>>),
    WENGERT_FUNCTION(scatter_add, "(x, axis, index, source)",
                     with_twin<scatter_add_twin, 4, scatter_add_names, by_dtype<scatter<float>, scatter<double>>>),
    WENGERT_FUNCTION(index_put_add, "(x, indices, values)",
                     with_twin<index_put_add_twin, 3, index_put_names, by_dtype<put_rows<float>, put_rows<double>>>),
    WENGERT_FUNCTION(dropout_apply, "(x, mask, p)",
                     with_twin<dropout_apply_twin, 3, dropout_names, by_dtype<drop<float>, drop<double>>>),
});

}  // namespace
}  // namespace wengert
