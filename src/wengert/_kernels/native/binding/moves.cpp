// Elements copied between memory of any strides: rows that are contiguous on both sides as a whole, others element by
// element in the order of the target.
#include "binding/moves.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace wengert {
namespace {

// The dimensions of a copy, ordered by the strides of the target, the outermost first: without those of length 1, and
// with dimensions merged that both sides can walk as one.
struct Paths {
    int ndim = 0;
    npy_intp shape[NPY_MAXDIMS], to[NPY_MAXDIMS], from[NPY_MAXDIMS];

    Paths(int dims, const npy_intp* lengths, const npy_intp* to_strides, const npy_intp* from_strides) {
        int order[NPY_MAXDIMS], count = 0;
        for (int dim = 0; dim < dims; ++dim) {
            if (lengths[dim] == 1) continue;
            int at = count++;
            for (; at > 0 && std::abs(to_strides[order[at - 1]]) < std::abs(to_strides[dim]); --at)
                order[at] = order[at - 1];
            order[at] = dim;
        }
        for (int i = 0; i < count; ++i) add(lengths[order[i]], to_strides[order[i]], from_strides[order[i]]);
        if (ndim == 0) add(1, 0, 0);
    }
    npy_intp rows() const {
        npy_intp count = 1;
        for (int dim = 0; dim < ndim - 1; ++dim) count *= shape[dim];
        return count;
    }

private:
    void add(npy_intp length, npy_intp to_stride, npy_intp from_stride) {
        if (ndim > 0 && to[ndim - 1] == to_stride * length && from[ndim - 1] == from_stride * length) {
            shape[ndim - 1] *= length, to[ndim - 1] = to_stride, from[ndim - 1] = from_stride;
            return;
        }
        shape[ndim] = length, to[ndim] = to_stride, from[ndim++] = from_stride;
    }
};

// Rows of elements and the strides between rows and within them.
struct Side {
    npy_intp row, step;
};

template <size_t bytes>
void repeat_rows(char* to, Side written, const char* from, Side read, npy_intp rows, npy_intp count) {
    struct Value {
        char data[bytes];
    } value;
    for (npy_intp row = 0; row < rows; ++row, to += written.row, from += read.row) {
        std::memcpy(&value, from, bytes);
        if (written.step == static_cast<npy_intp>(bytes))
            for (npy_intp i = 0; i < count; ++i) std::memcpy(to + i * static_cast<npy_intp>(bytes), &value, bytes);
        else
            for (npy_intp i = 0; i < count; ++i) std::memcpy(to + i * written.step, &value, bytes);
    }
}

// A transposing copy, by tiles of a cache line in some rows, so that few pages are in use.
template <size_t bytes>
void transpose_rows(char* to, Side written, const char* from, Side read, npy_intp rows, npy_intp count) {
    constexpr npy_intp line = std::max<npy_intp>(64 / static_cast<npy_intp>(bytes), 4), band = 64;
    const auto tile = [=](npy_intp top, npy_intp bottom, npy_intp first, auto length) {
        for (npy_intp row = top; row < bottom; ++row) {
            char* target = to + row * written.row + first * written.step;
            const char* source = from + row * read.row + first * read.step;
            for (npy_intp i = 0; i < length; ++i) std::memcpy(target + i * written.step, source + i * read.step, bytes);
        }
    };
    for (npy_intp top = 0; top < rows; top += band) {
        const npy_intp bottom = std::min(top + band, rows);
        npy_intp first = 0;
        for (; first + line <= count; first += line) tile(top, bottom, first, std::integral_constant<npy_intp, line>());
        if (first < count) tile(top, bottom, first, count - first);
    }
}

template <size_t bytes>
void move_rows(char* to, Side written, const char* from, Side read, npy_intp rows, npy_intp count) {
    constexpr npy_intp size = bytes;
    if (written.step == size && read.step == size) {
        for (npy_intp row = 0; row < rows; ++row)
            std::memcpy(to + row * written.row, from + row * read.row, static_cast<size_t>(count * size));
    } else if (read.step == 0) {
        repeat_rows<bytes>(to, written, from, read, rows, count);
    } else if (std::abs(read.row) < std::abs(read.step)) {
        transpose_rows<bytes>(to, written, from, read, rows, count);
    } else {
        for (npy_intp row = 0; row < rows; ++row)
            for (npy_intp i = 0; i < count; ++i)
                std::memcpy(to + row * written.row + i * written.step, from + row * read.row + i * read.step, bytes);
    }
}
void move_any(npy_intp size, char* to, Side written, const char* from, Side read, npy_intp rows, npy_intp count) {
    for (npy_intp row = 0; row < rows; ++row)
        for (npy_intp i = 0; i < count; ++i)
            std::memcpy(to + row * written.row + i * written.step, from + row * read.row + i * read.step,
                        static_cast<size_t>(size));
}
void move_table(npy_intp size, char* to, Side written, const char* from, Side read, npy_intp rows, npy_intp count) {
    switch (size) {
        case 1: return move_rows<1>(to, written, from, read, rows, count);
        case 2: return move_rows<2>(to, written, from, read, rows, count);
        case 4: return move_rows<4>(to, written, from, read, rows, count);
        case 8: return move_rows<8>(to, written, from, read, rows, count);
        case 16: return move_rows<16>(to, written, from, read, rows, count);
        default: return move_any(size, to, written, from, read, rows, count);
    }
}

// The rows from `begin` to `end`, as many together as lie in one table.
void move_part(const Paths& paths, char* to, const char* from, npy_intp itemsize, npy_intp begin, npy_intp end) {
    const int last = paths.ndim - 1, above = std::max(last - 1, 0);
    const Side written = {last ? paths.to[above] : 0, paths.to[last]},
               read = {last ? paths.from[above] : 0, paths.from[last]};
    const npy_intp together = last ? paths.shape[above] : 1;
    for (npy_intp row = begin; row < end;) {
        const npy_intp within = row % together, many = std::min(end - row, together - within);
        npy_intp target = within * written.row, source = within * read.row, rest = row / together;
        for (int dim = above - 1; dim >= 0; rest /= paths.shape[dim--]) {
            target += rest % paths.shape[dim] * paths.to[dim];
            source += rest % paths.shape[dim] * paths.from[dim];
        }
        move_table(itemsize, to + target, written, from + source, read, many, paths.shape[last]);
        row += many;
    }
}

}  // namespace

void move_elements(int ndim, const npy_intp* shape, char* to, const npy_intp* to_strides, const char* from,
                   const npy_intp* from_strides, npy_intp itemsize) {
    if (std::find(shape, shape + ndim, npy_intp{0}) != shape + ndim) return;
    Paths paths(ndim, shape, to_strides, from_strides);
    const npy_intp rows = paths.rows(), length = paths.shape[paths.ndim - 1];
    if (rows * length < thread_threshold) return move_part(paths, to, from, itemsize, 0, rows);
    const ReleaseGil unlocked(true);
    if (rows > 1) {
        parallel_for(rows, length,
                     [=, &paths](npy_intp begin, npy_intp end) { move_part(paths, to, from, itemsize, begin, end); });
    } else {
        const Side written = {0, paths.to[0]}, read = {0, paths.from[0]};
        parallel_for(length, 1, [=](npy_intp begin, npy_intp end) {
            move_table(itemsize, to + begin * written.step, written, from + begin * read.step, read, 1, end - begin);
        });
    }
}

}  // namespace wengert
