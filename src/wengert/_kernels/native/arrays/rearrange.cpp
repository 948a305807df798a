// Copies with rearranged elements, of any dtype without references: flip, rot90, roll, triangles. For the dispatcher
// only.
#include "binding/memory_order.hpp"

#include <algorithm>
#include <cstring>

namespace wengert {
namespace {

using Call = PyObject* const*;

PyArrayObject* plain_values(PyObject* object) {
    PyArrayObject* array = plain(object);
    return array && !PyDataType_REFCHK(PyArray_DESCR(array)) && PyArray_SIZE(array) > 0 && PyArray_NDIM(array) > 0
               ? array
               : nullptr;
}

// One integer or a tuple of them; how many, or -1.
int as_numbers(PyObject* object, npy_intp* numbers) {
    if (PyLong_CheckExact(object)) return as_index(object, *numbers) ? 1 : -1;
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) > most_dims) return -1;
    const int count = static_cast<int>(PyTuple_GET_SIZE(object));
    for (int i = 0; i < count; ++i)
        if (!PyLong_CheckExact(PyTuple_GET_ITEM(object, i)) || !as_index(PyTuple_GET_ITEM(object, i), numbers[i]))
            return -1;
    return count;
}

// The source of each element: along each dimension the index of the first one, from which indices run forwards,
// wrapping around, or backwards.
struct Paths {
    int ndim = 0;
    npy_intp shape[most_dims], start[most_dims];
    bool backwards[most_dims];

    bool begin(int count, const npy_intp* lengths) {
        if (count > most_dims) return false;
        ndim = count;
        std::copy(lengths, lengths + count, shape);
        std::fill(start, start + count, 0);
        std::fill(backwards, backwards + count, false);
        return true;
    }
    bool moves(int dim) const { return backwards[dim] || start[dim] != 0; }
    npy_intp source(int dim, npy_intp index) const {
        if (backwards[dim]) return shape[dim] - 1 - index;
        const npy_intp room = shape[dim] - start[dim];
        return index < room ? start[dim] + index : index - room;
    }
};

// The C library copies some thousands of bytes by one instruction, which is slow where the two begin at different
// places in a line of the cache: here vectors are copied, one by one.
void copy_bytes(char* to, const char* from, npy_intp count) {
    constexpr npy_intp line = 64;
    npy_intp at = 0;
    for (; at + line <= count; at += line) std::memcpy(to + at, from + at, line);
    std::memcpy(to + at, from + at, static_cast<size_t>(count - at));
}

// A row of `count` elements.
struct Row {
    npy_intp count, start;
    bool backwards;
};
// Those from `begin` to `end` of what is written.
template <class T> void copy_row(T* to, const T* from, Row row, npy_intp begin, npy_intp end) {
    if (row.backwards) {
        for (npy_intp i = begin; i < end; ++i) to[i] = from[row.count - 1 - i];
    } else {
        constexpr npy_intp size = sizeof(T);
        const npy_intp wrap_point = std::max(begin, std::min(end, row.count - row.start));
        copy_bytes(reinterpret_cast<char*>(to + begin), reinterpret_cast<const char*>(from + row.start + begin),
                   (wrap_point - begin) * size);
        copy_bytes(reinterpret_cast<char*>(to + wrap_point),
                   reinterpret_cast<const char*>(from + wrap_point - (row.count - row.start)),
                   (end - wrap_point) * size);
    }
}
struct Wide {
    uint64_t low, high;
};
void copy_elements(npy_intp bytes, char* to, const char* from, Row row, npy_intp begin, npy_intp end) {
    const auto copy = [=](auto element) {
        using T = decltype(element);
        copy_row(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(from), row, begin, end);
    };
    switch (bytes) {
        case 1: return copy(uint8_t{});
        case 2: return copy(uint16_t{});
        case 4: return copy(uint32_t{});
        case 8: return copy(uint64_t{});
        default: return copy(Wide{});
    }
}

PyObject* rearranged(PyArrayObject* x, Paths paths) {
    const npy_intp itemsize = PyArray_ITEMSIZE(x);
    if (itemsize != 1 && itemsize != 2 && itemsize != 4 && itemsize != 8 && itemsize != 16) return nullptr;
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    while (paths.ndim > 1 && !paths.moves(paths.ndim - 1) &&
           !paths.moves(paths.ndim - 2)) {  // dimensions behind, as one
        paths.shape[paths.ndim - 2] *= paths.shape[paths.ndim - 1];
        --paths.ndim;
    }
    const int last = paths.ndim - 1;
    const npy_intp length = paths.shape[last], bytes = length * itemsize, rows = PyArray_NBYTES(x) / bytes;
    const char* from = PyArray_BYTES(x);
    char* to = PyArray_BYTES(result.get());
    const ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    const Row full_row{length, paths.start[last], paths.backwards[last]};
    if (rows == 1) {
        parallel_for(length, itemsize / 8 + 1,
                     [=](npy_intp begin, npy_intp end) { copy_elements(itemsize, to, from, full_row, begin, end); });
        return result.give();
    }
    parallel_for(rows, bytes / 8 + 1, [=, &paths](npy_intp begin, npy_intp end) {
        npy_intp index[most_dims];
        for (npy_intp dim = last - 1, rest = begin; dim >= 0; rest /= paths.shape[dim--])
            index[dim] = rest % paths.shape[dim];
        for (npy_intp row = begin; row < end; ++row) {
            npy_intp source = 0;
            for (int dim = 0; dim < last; ++dim) source = source * paths.shape[dim] + paths.source(dim, index[dim]);
            copy_elements(itemsize, to + row * bytes, from + source * bytes, full_row, 0, length);
            for (int dim = last - 1; dim >= 0 && ++index[dim] == paths.shape[dim]; --dim) index[dim] = 0;
        }
    });
    return result.give();
}

// flip(self, dims)
PyObject* flip(Call args) {
    PyArrayObject* x = plain_values(args[0]);
    Paths paths;
    npy_intp dims[most_dims];
    const int count = as_numbers(args[1], dims);
    if (!x || count < 1 || !paths.begin(PyArray_NDIM(x), PyArray_DIMS(x))) return nullptr;
    for (int i = 0; i < count; ++i) {
        if (dims[i] < -paths.ndim || dims[i] >= paths.ndim) return nullptr;
        bool& backwards = paths.backwards[dims[i] < 0 ? dims[i] + paths.ndim : dims[i]];
        if (backwards) return nullptr;  // named twice
        backwards = true;
    }
    return rearranged(x, paths);
}

// rot90(self, k, dims): flipped, and then the dimensions exchanged as a view.
PyObject* rot90(Call args) {
    PyArrayObject* x = plain_values(args[0]);
    Paths paths;
    npy_intp turns = 0, dims[most_dims];
    if (!x || !as_index(args[1], turns) || as_numbers(args[2], dims) != 2 ||
        !paths.begin(PyArray_NDIM(x), PyArray_DIMS(x)))
        return nullptr;
    for (int at = 0; at < 2; ++at) {
        if (dims[at] < -paths.ndim || dims[at] >= paths.ndim) return nullptr;
        if (dims[at] < 0) dims[at] += paths.ndim;
    }
    if (dims[0] == dims[1]) return nullptr;
    turns = (turns % 4 + 4) % 4;
    paths.backwards[dims[0]] = turns == 2 || turns == 3;
    paths.backwards[dims[1]] = turns == 1 || turns == 2;
    Owned flipped(reinterpret_cast<PyArrayObject*>(rearranged(x, paths)));
    if (!flipped || turns % 2 == 0) return flipped.give();
    return PyArray_SwapAxes(flipped.get(), static_cast<int>(dims[0]), static_cast<int>(dims[1]));
}

// roll(self, shifts, dims); without dimensions of the flat array
PyObject* roll(Call args) {
    PyArrayObject* x = plain_values(args[0]);
    Paths paths;
    npy_intp shifts[most_dims], dims[most_dims];
    const int count = as_numbers(args[1], shifts);
    int named = args[2] == Py_None ? 0 : as_numbers(args[2], dims);
    if (!x || count < 1 || named < 0) return nullptr;
    const npy_intp size = PyArray_SIZE(x);
    if (!(named ? paths.begin(PyArray_NDIM(x), PyArray_DIMS(x)) : paths.begin(1, &size))) return nullptr;
    if (named == 0) dims[named++] = 0;
    if (named != count) return nullptr;
    for (int i = 0; i < count; ++i) {
        if (dims[i] < -paths.ndim || dims[i] >= paths.ndim) return nullptr;
        const npy_intp dim = dims[i] < 0 ? dims[i] + paths.ndim : dims[i], length = paths.shape[dim];
        const npy_intp back = (length - shifts[i] % length) % length;
        paths.start[dim] = (paths.start[dim] + back) % length;
    }
    return rearranged(x, paths);
}

// tril, triu: (self, diagonal)
template <bool lower> PyObject* triangle(Call args, PyArrayObject* target) {
    PyArrayObject* x = plain_values(args[0]);
    npy_intp diagonal = 0;
    if (!x || PyArray_NDIM(x) < 2 || !as_index(args[1], diagonal)) return nullptr;
    const npy_intp height = PyArray_DIM(x, PyArray_NDIM(x) - 2), width = PyArray_DIM(x, PyArray_NDIM(x) - 1);
    diagonal = std::max(-height, std::min(diagonal, width));
    Owned result(target_or_new(target, x));
    if (!result) return nullptr;
    const npy_intp bytes = width * PyArray_ITEMSIZE(x), itemsize = PyArray_ITEMSIZE(x), rows = PyArray_SIZE(x) / width;
    const char* from = PyArray_BYTES(x);
    char* to = PyArray_BYTES(result.get());
    const ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    parallel_for(rows, bytes / 8 + 1, [=](npy_intp begin, npy_intp end) {
        for (npy_intp row = begin; row < end; ++row) {
            const npy_intp edge =
                std::max<npy_intp>(0, std::min(width, row % height + diagonal + (lower ? 1 : 0))) * itemsize;
            char* out = to + row * bytes;
            const char* in = from + row * bytes;
            if (lower) {
                if (!target) std::memcpy(out, in, static_cast<size_t>(edge));
                std::memset(out + edge, 0, static_cast<size_t>(bytes - edge));
            } else {
                std::memset(out, 0, static_cast<size_t>(edge));
                if (!target) std::memcpy(out + edge, in + edge, static_cast<size_t>(bytes - edge));
            }
        }
    });
    return result.give();
}

Methods rearrange_methods({
    WENGERT_ENTRY(flip, "(self, dims)", on_contiguous<direct<2, flip>, few_with_gaps>),
    WENGERT_ENTRY(roll, "(self, shifts, dims)", on_contiguous<direct<3, roll>, few_with_gaps>),
    WENGERT_ENTRY(rot90, "(self, k, dims)", on_contiguous<direct<3, rot90>, few_with_gaps>),
    WENGERT_ENTRY(tril_, "(self, diagonal): None", direct<2, in_place<triangle<true>>>),
    WENGERT_ENTRY(tril, "(self, diagonal)", on_contiguous<direct<2, newly<triangle<true>>>>),
    WENGERT_ENTRY(triu_, "(self, diagonal): None", direct<2, in_place<triangle<false>>>),
    WENGERT_ENTRY(triu, "(self, diagonal)", on_contiguous<direct<2, newly<triangle<false>>>>),
});

}  // namespace
}  // namespace wengert
