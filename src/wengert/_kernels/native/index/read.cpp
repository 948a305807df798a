// Reading at indices: gather, index_select and embedding, of any elements without references. An index is loaded once,
// checked and used; if one is out of range the card's body raises the error.
#include "index/along.hpp"
#include "binding/memory_order.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace wengert {
namespace {

// Row-major, of any dtype without references.
PyArrayObject* plain_values(PyObject* object) {
    PyArrayObject* array = plain(object);
    return array && !PyDataType_REFCHK(PyArray_DESCR(array)) ? array : nullptr;
}
// The same, or one element that repeats, as in an expanded gradient.
PyArrayObject* plain_or_repeated(PyObject* object) {
    if (PyArrayObject* array = plain_values(object)) return array;
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    return repeats_one_element(array) && PyArray_ISALIGNED(array) && !PyDataType_REFCHK(PyArray_DESCR(array)) ? array
                                                                                                              : nullptr;
}

// out[o, i] = x[o, index[o, i]]; false if an index lies outside. The next row is asked for while one is read: a
// processor cannot guess what places of it come first.
template <size_t bytes> bool gather_rows(const char* x, const int64_t* index, char* out, const Over& over) {
    constexpr npy_intp cache_line = 64, most_asked = 1 << 14;  // bytes; more would drive out the row that is read
    std::atomic<bool> inside{true};
    const npy_intp length = over.length, count = over.line.length, row = length * static_cast<npy_intp>(bytes);
    const npy_intp asked = row <= most_asked && row / cache_line <= count ? row : 0;
    parallel_for(over.line.outer, count, [=, &inside](npy_intp begin, npy_intp end) {
        bool all_inside = true;
        for (npy_intp o = begin; o < end; ++o) {
            const char* const from = x + o * row;
            for (npy_intp at = 0; o + 1 < end && at < asked; at += cache_line) __builtin_prefetch(from + row + at);
            const int64_t* const places = index + o * count;
            char* const to = out + o * count * static_cast<npy_intp>(bytes);
            for (npy_intp i = 0; i < count; ++i) {
                const auto place = static_cast<size_t>(load_once(places + i));
                if (place < static_cast<size_t>(length))
                    std::memcpy(to + static_cast<size_t>(i) * bytes, from + place * bytes, bytes);
                else
                    all_inside = false;
            }
        }
        if (!all_inside) inside.store(false, std::memory_order_relaxed);
    });
    return inside.load();
}

// out[o, i, j] = x[o, index[o, i, j], j], elements of `x` `step` bytes apart; false if an index lies outside.
template <size_t bytes>
bool gather_elements(const char* x, npy_intp step, const int64_t* index, char* out, const Over& over) {
    if (step && over.line.inner == 1 && !over.is_shorter()) return gather_rows<bytes>(x, index, out, over);
    return at_positions(index, over, bytes,
                        [=](npy_intp from, npy_intp to) { std::memcpy(out + to * bytes, x + from * step, bytes); });
}
bool gather_bytes(npy_intp bytes, const char* x, npy_intp step, const int64_t* index, char* out, const Over& over) {
    switch (bytes) {
        case 1: return gather_elements<1>(x, step, index, out, over);
        case 2: return gather_elements<2>(x, step, index, out, over);
        case 4: return gather_elements<4>(x, step, index, out, over);
        case 8: return gather_elements<8>(x, step, index, out, over);
        case 16: return gather_elements<16>(x, step, index, out, over);
    }
    return false;
}

// gather(self, dim, index)
PyObject* gather(PyObject* const* args) {
    PyArrayObject *x = plain_or_repeated(args[0]), *index = plain(args[2], int64_descr);
    int axis = 0;
    if (!x || !index || PyArray_NDIM(index) != PyArray_NDIM(x) || !as_axis(args[1], PyArray_NDIM(x), axis))
        return nullptr;
    const npy_intp size = PyArray_SIZE(index);
    Over over;
    if (size == 0 || !over.find(PyArray_NDIM(x), PyArray_DIMS(x), index, axis)) return nullptr;
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(index), PyArray_DIMS(index)));
    if (!result) return nullptr;
    const npy_intp bytes = PyArray_ITEMSIZE(x), step = plain(args[0]) ? bytes : 0;
    const char* values = PyArray_BYTES(x);
    const int64_t* positions = data_of<int64_t>(index);
    char* out = PyArray_BYTES(result.get());
    bool inside;
    {
        ReleaseGil unlocked(size >= thread_threshold);
        inside = gather_bytes(bytes, values, step, positions, out, over);
    }
    return inside ? result.give() : nullptr;
}
// (self, dim, index, sparse_grad)
PyObject* gather_card(PyObject* const* args) { return PyBool_Check(args[3]) ? gather(args) : nullptr; }
// (grad, dim, index, src_shape); a source of another shape than the index has zeros where that does not read it
PyObject* scatter_source_rule(PyObject* const* args) {
    npy_intp shape[most_dims];
    if (!PyTuple_Check(args[3]) || !PyArray_CheckExact(args[2])) return nullptr;
    auto* index = reinterpret_cast<PyArrayObject*>(args[2]);
    const int ndim = as_shape(args[3], shape);
    if (ndim < 1 || ndim != PyArray_NDIM(index)) return nullptr;
    return std::equal(shape, shape + ndim, PyArray_DIMS(index)) ? gather(args) : nullptr;
}

// Slices of `size` bytes (`known`, if that is not 0), the same ones of each of `outer` blocks of `length`; false if an
// index lies outside. `ours`: no other thread can rewrite the index, and it was checked.
template <size_t known, bool ours>
bool pick_slices(const char* x, npy_intp outer, npy_intp length, npy_intp size, const int64_t* index, npy_intp count,
                 char* out) {
    std::atomic<bool> inside{true};
    parallel_for(outer * count, size / 8 + 1, [=, &inside](npy_intp begin, npy_intp end) {
        bool all_inside = true;
        const npy_intp width = known ? static_cast<npy_intp>(known) : size;
        for (npy_intp at = begin; at < end;) {
            const npy_intp block = at / count, last = std::min(end, (block + 1) * count);
            const char* const from = x + block * length * width;
            char* const to = out;  // local copies: the compiler must assume that stores change what was captured
            const int64_t* const indices = index - block * count;
            for (const uint64_t below = static_cast<uint64_t>(length); at < last; ++at) {
                const int64_t position = ours ? indices[at] : load_once(indices + at);
                if (ours || static_cast<uint64_t>(position) < below)
                    std::memcpy(to + at * width, from + position * width, static_cast<size_t>(width));
                else
                    all_inside = false;
            }
        }
        if (!all_inside) inside.store(false, std::memory_order_relaxed);
    });
    return inside.load();
}
template <size_t known>
bool pick_known(const char* x, npy_intp outer, npy_intp length, npy_intp size, const int64_t* index, npy_intp count,
                char* out) {
    if (outer < 4 || size > 64) return pick_slices<known, false>(x, outer, length, size, index, count, out);
    std::vector<int64_t> copy(static_cast<size_t>(count));
    for (npy_intp i = 0; i < count; ++i) {
        copy[static_cast<size_t>(i)] = load_once(index + i);
        if (static_cast<uint64_t>(copy[static_cast<size_t>(i)]) >= static_cast<uint64_t>(length)) return false;
    }
    return pick_slices<known, true>(x, outer, length, size, copy.data(), count, out);
}
using Picking = bool (*)(const char*, npy_intp, npy_intp, npy_intp, const int64_t*, npy_intp, char*);
Picking picking(npy_intp bytes) {
    switch (bytes) {
        case 1: return pick_known<1>;
        case 2: return pick_known<2>;
        case 4: return pick_known<4>;
        case 8: return pick_known<8>;
        case 16: return pick_known<16>;
    }
    return pick_known<0>;
}

// The slices of `x` that `index` lists, as a new array of this shape.
PyObject* picked(PyArrayObject* x, int axis, PyArrayObject* index, int ndim, const npy_intp* shape) {
    const Line line = line_of(PyArray_DIMS(x), PyArray_NDIM(x), axis);
    const npy_intp count = PyArray_SIZE(index);
    if (count == 0 || line.outer * line.inner == 0) return nullptr;  // an empty one has no row-major strides
    Owned result(new_array(PyArray_DESCR(x), ndim, shape));
    if (!result) return nullptr;
    const npy_intp bytes = line.inner * PyArray_ITEMSIZE(x);
    const char* values = PyArray_BYTES(x);
    const int64_t* positions = data_of<int64_t>(index);
    char* out = PyArray_BYTES(result.get());
    const bool large = PyArray_NBYTES(result.get()) >= 8 * thread_threshold;
    bool inside;
    {
        ReleaseGil unlocked(large);
        inside = picking(bytes)(values, line.outer, line.length, bytes, positions, count, out);
    }
    return inside ? result.give() : nullptr;
}

// index_select(self, dim, index)
PyObject* index_select(PyObject* const* args) {
    PyArrayObject *x = plain_values(args[0]), *index = plain(args[2], int64_descr);
    int axis = 0;
    if (!x || !index || PyArray_NDIM(index) > 1 || PyArray_NDIM(x) > most_dims ||
        !as_axis(args[1], PyArray_NDIM(x), axis))
        return nullptr;
    npy_intp shape[most_dims];
    for (int i = 0; i < PyArray_NDIM(x); ++i) shape[i] = i == axis ? PyArray_SIZE(index) : PyArray_DIM(x, i);
    return picked(x, axis, index, PyArray_NDIM(x), shape);
}

// take(self, index): of the flat array; indices from the end are the body's matter
PyObject* take(PyObject* const* args) {
    PyArrayObject *x = plain_values(args[0]), *index = plain(args[1], int64_descr);
    if (!x || !index || PyArray_SIZE(x) == 0 || PyArray_SIZE(index) == 0) return nullptr;
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(index), PyArray_DIMS(index)));
    if (!result) return nullptr;
    const npy_intp bytes = PyArray_ITEMSIZE(x), length = PyArray_SIZE(x), count = PyArray_SIZE(index);
    bool inside;
    {
        ReleaseGil unlocked(count >= thread_threshold);
        inside = picking(bytes)(PyArray_BYTES(x), 1, length, bytes, data_of<int64_t>(index), count,
                                PyArray_BYTES(result.get()));
    }
    return inside ? result.give() : nullptr;
}

// embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse)
PyObject* embedding(PyObject* const* args) {
    PyArrayObject *weight = plain_values(args[0]), *indices = plain(args[1], int64_descr);
    npy_intp padding = 0, shape[most_dims];
    if (!weight || !indices || PyArray_NDIM(weight) != 2 || PyArray_NDIM(indices) >= most_dims) return nullptr;
    if (!as_index(args[2], padding) || !PyBool_Check(args[3]) || args[4] != Py_False) return nullptr;
    const int type = PyArray_TYPE(weight);
    if (PyTypeNum_ISUNSIGNED(type) && type != NPY_UBYTE) return nullptr;  // refused by the body
    const int ndim = PyArray_NDIM(indices);
    for (int i = 0; i < ndim; ++i) shape[i] = PyArray_DIM(indices, i);
    shape[ndim] = PyArray_DIM(weight, 1);
    return picked(weight, 0, indices, ndim + 1, shape);
}

Methods read_methods({
    WENGERT_ENTRY(gather, "(self, dim, index, sparse_grad)", on_contiguous<direct<4, gather_card>>),
    WENGERT_ENTRY(scatter_source_rule, "(grad, dim, index, src_shape)", on_contiguous<direct<4, scatter_source_rule>>),
    WENGERT_ENTRY(index_select, "(self, dim, index)", on_contiguous<direct<3, index_select>>),
    WENGERT_ENTRY(take, "(self, index)", on_contiguous<direct<2, take>>),
    WENGERT_ENTRY(embedding, "(weight, indices, padding_idx, scale_grad_by_freq, sparse)",
                  on_contiguous<direct<5, embedding>>),
});

}  // namespace
}  // namespace wengert
