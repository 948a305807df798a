// Rules of reductions: the gradient of the input from that of the result, from arrays. Functions for the dispatcher
// only.
#include "binding/block.hpp"
#include "binding/broadcast.hpp"
#include "binding/memory_order.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

namespace wengert {
namespace {

using Call = PyObject* const*;

// The lengths of a tuple of integers; -1 if it is none, or holds 0, with which strides are not NumPy's.
int read_shape(PyObject* object, npy_intp* shape) {
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) > NPY_MAXDIMS) return -1;
    const int ndim = static_cast<int>(PyTuple_GET_SIZE(object));
    Size total(16);
    for (int i = 0; i < ndim; ++i) {
        if (!as_index(PyTuple_GET_ITEM(object, i), shape[i]) || shape[i] < 1) return -1;
        total = total * shape[i];
    }
    return total.fits() ? ndim : -1;
}

// What was reduced, and what is left of the shape.
struct Reduced {
    npy_intp shape[NPY_MAXDIMS];
    bool marked[NPY_MAXDIMS] = {}, keepdim = false, all = false;
    int ndim = 0;
    npy_intp count = 1;  // elements for each of the result

    bool read(PyObject* lengths, PyObject* dim, PyObject* kept) {
        ndim = read_shape(lengths, shape);
        if (ndim < 0 || !as_flag(kept, keepdim) || !mark_dims(dim, ndim, marked)) return false;
        all = names_nothing(dim);
        for (int i = 0; i < ndim; ++i)
            if (marked[i]) count *= shape[i];
        return true;
    }
    // Whether `grad` has the shape of the result, one element for each that is left.
    bool fits(PyArrayObject* grad) const {
        int from = 0;
        for (int i = 0; i < ndim; ++i) {
            if (marked[i] && !keepdim) continue;
            if (from >= PyArray_NDIM(grad) || PyArray_DIM(grad, from) != (marked[i] ? 1 : shape[i])) return false;
            ++from;
        }
        return from == PyArray_NDIM(grad);
    }
};

// The gradient repeated along what was reduced, without a copy. Null where a length of 1 was reduced and is gone: its
// stride, which says nothing, is left to the rule in Python.
PyObject* repeated(PyArrayObject* grad, Reduced& reduced) {
    npy_intp strides[NPY_MAXDIMS];
    int from = 0;
    for (int i = 0; i < reduced.ndim; ++i) {
        const bool alone = reduced.marked[i] && reduced.shape[i] == 1;
        if (alone && !reduced.keepdim && !reduced.all) return nullptr;
        strides[i] = reduced.marked[i] && !(alone && reduced.keepdim) ? 0 : PyArray_STRIDE(grad, from);
        if (!reduced.marked[i] || reduced.keepdim) ++from;
    }
    PyArray_Descr* descr = PyArray_DESCR(grad);
    Py_INCREF(descr);
    Owned view(reinterpret_cast<PyArrayObject*>(
        PyArray_NewFromDescr(&PyArray_Type, descr, reduced.ndim, reduced.shape, strides, PyArray_DATA(grad),
                             PyArray_FLAGS(grad) & NPY_ARRAY_WRITEABLE, nullptr)));
    if (!view) return nullptr;
    Py_INCREF(grad);
    return PyArray_SetBaseObject(view.get(), reinterpret_cast<PyObject*>(grad)) < 0 ? nullptr : view.give();
}

// (grad, self_shape, dim, keepdim)
PyObject* sum_rule(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        if (nargs != 4 || !PyArray_CheckExact(args[0])) return nullptr;
        auto* grad = reinterpret_cast<PyArrayObject*>(args[0]);
        Reduced reduced;
        return reduced.read(args[1], args[2], args[3]) && reduced.fits(grad) ? repeated(grad, reduced) : nullptr;
    });
}

template <class T> PyObject* shares(PyArrayObject* grad, Reduced& reduced) {
    Owned part(new_array(PyArray_DESCR(grad), PyArray_NDIM(grad), PyArray_DIMS(grad)));
    if (!part) return nullptr;
    const T *grads = data_of<T>(grad), divisor = static_cast<T>(reduced.count);
    loops<T>().binary[DIVIDE](grads, 1, &divisor, 0, data_of<T>(part.get()), PyArray_SIZE(grad));
    return repeated(part.get(), reduced);
}
// (grad, self_shape, dim, keepdim)
PyObject* mean_rule(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        PyArrayObject* grad = nargs == 4 ? plain(args[0]) : nullptr;
        Reduced reduced;
        if (!grad || !reduced.read(args[1], args[2], args[3]) || !reduced.fits(grad)) return nullptr;
        if (PyArray_SIZE(grad) >= thread_threshold) return nullptr;
        if (PyArray_DESCR(grad) == float_descr) return shares<float>(grad, reduced);
        return PyArray_DESCR(grad) == double_descr ? shares<double>(grad, reduced) : nullptr;
    });
}

// ---- extremes ------------------------------------------------------------------------------------------------------
template <class T> struct Shared {
    using Count = typename SameSize<T>::Type;
    const T *x, *extremes, *grad;
    npy_intp step, reduced, inner;  // of gradients; the number of elements for each extreme, and their step
    bool of_all;

    // How many of a row's elements share its gradient.
    npy_intp hits_of(const T* row, npy_intp count, T extreme) const {
        Count hits = 0;
        if (of_all && extreme != extreme)
            for (npy_intp i = 0; i < count; ++i) hits += row[i] != row[i];
        else
            for (npy_intp i = 0; i < count; ++i) hits += row[i] == extreme;
        return static_cast<npy_intp>(hits);
    }
    T part_of(npy_intp at, Count hits) const { return grad[at * step] / static_cast<T>(hits); }
    T nothing_beside(T part) const { return of_all ? T(0) : part * T(0); }
    void spread(const T* row, T* out, npy_intp count, T extreme, T part) const {
        const T nothing = nothing_beside(part);
        if (of_all && extreme != extreme)
            for (npy_intp i = 0; i < count; ++i) out[i] = row[i] != row[i] ? part : nothing;
        else
            for (npy_intp i = 0; i < count; ++i) out[i] = row[i] == extreme ? part : nothing;
    }
    void share_rows(T* out, npy_intp rows) const {
        parallel_for(rows, reduced * 2, [this, out](npy_intp begin, npy_intp end) {
            for (npy_intp at = begin; at < end; ++at) {
                const T *row = x + at * reduced, extreme = extremes[at];
                spread(row, out + at * reduced, reduced, extreme,
                       part_of(at, static_cast<Count>(hits_of(row, reduced, extreme))));
            }
        });
    }
    // One extreme, by all threads.
    void share_one(T* out) const {
        std::atomic<npy_intp> hits{0};
        const T extreme = *extremes;
        parallel_for(reduced, 1,
                     [=, &hits](npy_intp begin, npy_intp end) { hits += hits_of(x + begin, end - begin, extreme); });
        const T part = part_of(0, static_cast<Count>(hits.load()));
        parallel_for(reduced, 1,
                     [=](npy_intp begin, npy_intp end) { spread(x + begin, out + begin, end - begin, extreme, part); });
    }
    // Extremes of columns, in strips of some side by side.
    void share_columns(T* out, npy_intp outer) const {
        const npy_intp strips = (inner + width - 1) / width;
        parallel_for(outer * strips, reduced * std::min(inner, width) * 2, [=](npy_intp begin, npy_intp end) {
            for (npy_intp strip = begin; strip < end; ++strip) {
                const npy_intp o = strip / strips, j = strip % strips * width, first = o * reduced * inner + j;
                share_strip(x + first, out + first, o * inner + j, std::min(width, inner - j));
            }
        });
    }

private:
    static constexpr npy_intp width = 256;
    void share_strip(const T* top, T* out, npy_intp at, npy_intp columns) const {
        T part[width], nothing[width];
        Count hits[width] = {};
        const T* extreme = extremes + at;
        for (npy_intp i = 0; i < reduced; ++i)
            for (npy_intp j = 0; j < columns; ++j) hits[j] += top[i * inner + j] == extreme[j];
        for (npy_intp j = 0; j < columns; ++j) part[j] = part_of(at + j, hits[j]), nothing[j] = nothing_beside(part[j]);
        for (npy_intp i = 0; i < reduced; ++i)
            for (npy_intp j = 0; j < columns; ++j)
                out[i * inner + j] = top[i * inner + j] == extreme[j] ? part[j] : nothing[j];
    }
};
// The gradient of each extreme in equal parts to the elements that equal it. Of NaN: NaN for all, unless NaN counts as
// equal to itself (`of_all`: one extreme of all elements).
template <class T>
PyObject* shared(PyArrayObject* x, const T* extremes, PyObject* grad_object, const Block& block, bool of_all) {
    Operand grad;
    if (!read_gradient(grad_object, PyArray_DESCR(x), grad) || PyArray_SIZE(grad.array) != block.outer * block.inner)
        return nullptr;
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    if (block.reduced > std::numeric_limits<int32_t>::max()) return nullptr;
    const Shared<T> shared{data_of<T>(x), extremes, data_of<T>(grad.array), grad.repeated ? 0 : 1, block.reduced,
                           block.inner,   of_all};
    T* out = data_of<T>(result.get());
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    if (block.outer * block.inner == 1)
        shared.share_one(out);
    else if (block.inner == 1)
        shared.share_rows(out, block.outer);
    else
        shared.share_columns(out, block.outer);
    return result.give();
}
PyObject* shared_gradient(PyObject* grad, PyObject* self, PyObject* out, PyObject* dim, PyObject* keepdim,
                          bool of_all) {
    PyArrayObject* x = plain(self);
    PyArrayObject* extremes = x ? plain(out, PyArray_DESCR(x)) : nullptr;
    Block block;
    if (!extremes || PyArray_SIZE(x) == 0 || !find_dims(x, dim, keepdim, block)) return nullptr;
    if (PyArray_SIZE(extremes) != block.outer * block.inner) return nullptr;
    if (PyArray_DESCR(x) == float_descr) return shared(x, data_of<float>(extremes), grad, block, of_all);
    return PyArray_DESCR(x) == double_descr ? shared(x, data_of<double>(extremes), grad, block, of_all) : nullptr;
}
// (grad, self, out, dim, keepdim)
PyObject* extreme_rule(PyObject*, Call args, Py_ssize_t nargs) {
    return answer(
        [=] { return nargs == 5 ? shared_gradient(args[0], args[1], args[2], args[3], args[4], false) : nullptr; });
}
// (grad, self, out)
PyObject* whole_extreme_rule(PyObject*, Call args, Py_ssize_t nargs) {
    return answer(
        [=] { return nargs == 3 ? shared_gradient(args[0], args[1], args[2], Py_None, Py_False, true) : nullptr; });
}

template <class T> PyObject* placed(PyObject* grad_object, PyArrayObject* indices, const Reduced& reduced, int dim) {
    Operand grad;
    if (!read_gradient(grad_object, descr_of<T>(), grad) || !reduced.fits(grad.array) ||
        !same_shape(grad.array, indices))
        return nullptr;
    Owned result(new_array(descr_of<T>(), reduced.ndim, reduced.shape));
    if (!result) return nullptr;
    npy_intp inner = 1;
    for (int i = dim + 1; i < reduced.ndim; ++i) inner *= reduced.shape[i];
    const npy_intp length = reduced.count, count = PyArray_SIZE(indices), step = grad.repeated ? 0 : 1;
    const T* grads = data_of<T>(grad.array);
    const int64_t* positions = data_of<int64_t>(indices);
    T* out = data_of<T>(result.get());
    bool inside = true;
    {
        ReleaseGil unlocked(PyArray_SIZE(result.get()) >= thread_threshold);
        std::memset(out, 0, static_cast<size_t>(count * length) * sizeof(T));
        for (npy_intp at = 0; at < count; ++at) {
            const int64_t position = load_once(positions + at);
            if (position < 0 || position >= length) {
                inside = false;
                break;
            }
            out[(at / inner * length + position) * inner + at % inner] = grads[at * step];
        }
    }
    return inside ? result.give() : nullptr;
}
// (grads, self_shape, indices, dim, keepdim): that of the values at the places of the extremes along one dimension
PyObject* value_selecting_rule(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        PyArrayObject* indices = nargs == 5 && PyLong_CheckExact(args[3]) ? plain(args[2], int64_descr) : nullptr;
        Reduced reduced;
        PyObject* grad = nargs ? first_alone(args[0]) : nullptr;
        if (!indices || !grad || !PyArray_CheckExact(grad) || !reduced.read(args[1], args[3], args[4])) return nullptr;
        int dim = 0;
        while (dim < reduced.ndim && !reduced.marked[dim]) ++dim;
        PyArray_Descr* descr = PyArray_DESCR(reinterpret_cast<PyArrayObject*>(grad));
        if (descr == float_descr) return placed<float>(grad, indices, reduced, dim);
        return descr == double_descr ? placed<double>(grad, indices, reduced, dim) : nullptr;
    });
}

Methods rule_methods({
    WENGERT_ENTRY(sum_rule, "(grad, self_shape, dim, keepdim): the gradient repeated, a view", on_contiguous<sum_rule>),
    WENGERT_ENTRY(mean_rule, "(grad, self_shape, dim, keepdim): the gradient shared and repeated",
                  on_contiguous<mean_rule>),
    WENGERT_ENTRY(extreme_rule, "(grad, self, out, dim, keepdim): shared by the equal ones",
                  on_contiguous<extreme_rule, few_with_gaps>),
    WENGERT_ENTRY(whole_extreme_rule, "(grad, self, out): shared by the equal ones",
                  on_contiguous<whole_extreme_rule, few_with_gaps>),
    WENGERT_ENTRY(value_selecting_rule, "(grads, self_shape, indices, dim, keepdim): at the indices",
                  on_contiguous<value_selecting_rule>),
});

}  // namespace
}  // namespace wengert
