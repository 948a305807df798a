// Batches of small matrices, the last two axes of arrays in any order: each is read into scratch in row-major order,
// worked on there, and written to a result that lies column by column, as LAPACK's do, or row by row. No Python in what
// works on one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "linalg/product.hpp"

namespace wengert {

constexpr npy_intp most_side = 16;  // of larger ones LAPACK makes up for its calls
template <class T> using Space = T[most_side * most_side];

// The last two axes of an array. Strides of single rows and columns are the body's to choose: where that matters, each
// is 2 at least.
template <class T> class Matrices {
public:
    npy_intp rows = 0, columns = 0, count = 1;

    // Those that are small.
    bool read(PyObject* object) { return read_any(object) && std::max(rows, columns) <= most_side; }
    bool read_square(PyObject* object) { return read(object) && rows == columns; }
    bool read_any(PyObject* object, npy_intp least = 2) {
        array_ = aligned(object, descr_of<T>());
        lead_ = array_ ? PyArray_NDIM(array_) - 2 : -1;
        if (lead_ < 0 || lead_ + 2 > most_dims) return false;
        rows = PyArray_DIM(array_, lead_), columns = PyArray_DIM(array_, lead_ + 1);
        Size lengths(1);
        for (int i = 0; i < lead_; ++i) lengths = lengths * PyArray_DIM(array_, i);
        if (!lengths.fits()) return false;
        count = lengths.value();
        return count > 0 && std::min(rows, columns) >= least;
    }
    int lead() const { return lead_; }
    const npy_intp* shape() const { return PyArray_DIMS(array_); }
    bool same_lead(const Matrices& other) const {
        return lead_ == other.lead_ && std::equal(shape(), shape() + lead_, other.shape());
    }
    bool same_shape(const Matrices& other) const {
        return same_lead(other) && rows == other.rows && columns == other.columns;
    }

    // Matrix number `at`, or its transpose, row by row.
    template <class Out> void load(npy_intp at, Out* to, bool turned = false) const {
        const npy_intp step = PyArray_STRIDE(array_, lead_), along = PyArray_STRIDE(array_, lead_ + 1),
                       size = sizeof(T);
        const char* place = place_of(at);
        const npy_intp to_row = turned ? 1 : columns, to_column = turned ? rows : 1;
        if constexpr (std::is_same_v<Out, T>) {
            const T* from = reinterpret_cast<const T*>(place);
            if (along == size && step % size == 0) return load_lines(from, step / size, rows, columns, to, turned);
            if (step == size && along % size == 0) return load_lines(from, along / size, columns, rows, to, !turned);
        }
        for (npy_intp i = 0; i < rows; ++i)
            for (npy_intp j = 0; j < columns; ++j)
                to[i * to_row + j * to_column] =
                    static_cast<Out>(*reinterpret_cast<const T*>(place + i * step + j * along));
    }
    // Matrix number `at` where it lies; false if that is not at whole elements.
    bool find(npy_intp at, Factor<T>& factor) const {
        factor.data = reinterpret_cast<const T*>(place_of(at));
        return step_along<T>(array_, lead_, factor.row) && step_along<T>(array_, lead_ + 1, factor.column);
    }

private:
    static void load_lines(const T* from, npy_intp pitch, npy_intp lines, npy_intp length, T* to, bool turned) {
        if (turned) return loops<T>().turn_matrix(from, pitch, lines, length, to, lines);
        for (npy_intp i = 0; i < lines; ++i) std::copy_n(from + i * pitch, length, to + i * length);
    }
    const char* place_of(npy_intp at) const {
        const char* place = PyArray_BYTES(array_);
        for (int i = lead_ - 1; i >= 0; --i) {
            place += at % PyArray_DIM(array_, i) * PyArray_STRIDE(array_, i);
            at /= PyArray_DIM(array_, i);
        }
        return place;
    }
    PyArrayObject* array_ = nullptr;  // not owned
    int lead_ = -1;
};

// New arrays with the leading lengths of `like` and `more` behind them, row by row.
template <class T>
inline PyArrayObject* new_rows(const Matrices<T>& like, PyArray_Descr* descr, std::initializer_list<npy_intp> more) {
    npy_intp shape[most_dims];
    const int lead = like.lead();
    std::copy(like.shape(), like.shape() + lead, shape);
    std::copy(more.begin(), more.end(), shape + lead);
    return new_array(descr, lead + static_cast<int>(more.size()), shape);
}
// New matrices, as many as `like` has, that lie column by column.
template <class T> inline PyArrayObject* new_columns(const Matrices<T>& like, npy_intp rows, npy_intp columns) {
    Owned made(new_rows(like, descr_of<T>(), {columns, rows}));
    if (!made) return nullptr;
    return reinterpret_cast<PyArrayObject*>(PyArray_SwapAxes(made.get(), like.lead(), like.lead() + 1));
}
// A 32-bit integer for each matrix (`more`: several), zeros unless they are written.
template <class T> inline PyArrayObject* new_marks(const Matrices<T>& like, std::initializer_list<npy_intp> more) {
    PyArray_Descr* descr = PyArray_DescrFromType(NPY_INT32);
    PyArrayObject* made = new_rows(like, descr, more);
    Py_DECREF(descr);
    if (made) std::fill_n(data_of<int32_t>(made), PyArray_SIZE(made), 0);
    return made;
}
template <class From, class T> inline void store_columns(const From* from, npy_intp rows, npy_intp columns, T* to) {
    if constexpr (std::is_same_v<From, T>) return loops<T>().turn_matrix(from, columns, rows, columns, to, rows);
    for (npy_intp i = 0; i < rows; ++i)
        for (npy_intp j = 0; j < columns; ++j) to[j * rows + i] = static_cast<T>(from[i * columns + j]);
}
template <class From, class T> inline void store_rows(const From* from, npy_intp rows, npy_intp columns, T* to) {
    for (npy_intp i = 0; i < rows * columns; ++i) to[i] = static_cast<T>(from[i]);
}

// Those that are larger than what is worked on in scratch, where vectors are wide enough for the blocks of
// linalg/blocked.hpp.
template <class T> inline bool read_large(PyObject* object, Matrices<T>& a) {
    return loops<float>().lanes >= wide_lanes && a.read_any(object) && std::max(a.rows, a.columns) > most_side &&
           std::max(a.rows, a.columns) < 1 << 30;
}
// Elements, and multiplications of a product with as many columns as `width`, for what decides about threads.
template <class T> inline npy_intp volume(const Matrices<T>& a) { return (Size(a.rows) * a.columns).value_or_most(); }
template <class T> inline npy_intp work(const Matrices<T>& a, npy_intp width) {
    return (Size(a.rows) * a.columns * width).value_or_most();
}

// The part of the largest value up to which values count as zero, unless the program says otherwise.
template <class T> inline double own_tolerance(const Matrices<T>& a) {
    return static_cast<double>(std::numeric_limits<T>::epsilon()) * static_cast<double>(std::max(a.rows, a.columns));
}

// An output that is not asked for.
template <class T> inline PyArrayObject* nothing(PyArray_Descr* descr = descr_of<T>()) {
    const npy_intp none = 0;
    return new_array(descr, 1, &none);
}

// The second function where the first one leaves the call to others.
template <PyObject* (*first)(PyObject* const*), PyObject* (*second)(PyObject* const*)>
PyObject* either(PyObject* const* args) {
    PyObject* made = first(args);
    return made || PyErr_Occurred() ? made : second(args);
}

// The entry of `direct_name`: small matrices by `name`, larger ones by `large_name`.
#define WENGERT_EITHER(count, name, arguments) \
    direct_method( \
        "direct_" #name, \
        direct<count, \
               by_element<either<name<float>, large_##name<float>>, either<name<double>, large_##name<double>>>>, \
        #name arguments ", or NotImplemented"),

// Calls `treat(number)` for each matrix, threads share them; false if one of them was refused.
template <class Treat> inline bool for_each_matrix(npy_intp count, npy_intp work, Treat treat) {
    std::atomic<bool> fine{true};
    ReleaseGil unlocked((Size(count) * work).value_or_most() >= thread_threshold);
    parallel_for(count, work, [&](npy_intp begin, npy_intp end) {
        for (npy_intp at = begin; at < end && fine.load(std::memory_order_relaxed); ++at)
            if (!treat(at)) fine.store(false, std::memory_order_relaxed);
    });
    return fine.load();
}

template <class T> inline void turn(const T* a, npy_intp rows, npy_intp columns, T* out) {
    store_columns(a, rows, columns, out);
}
// out = a b
template <class T>
inline void multiply_small(const T* a, const T* b, npy_intp rows, npy_intp depth, npy_intp columns, T* out) {
    for (npy_intp i = 0; i < rows; ++i) {
        T* row = out + i * columns;
        std::fill(row, row + columns, T(0));
        for (npy_intp k = 0; k < depth; ++k)
            for (npy_intp j = 0; j < columns; ++j) row[j] += a[i * depth + k] * b[k * columns + j];
    }
}

// ---- triangular systems --------------------------------------------------------------------------------------------
// X of A X = B in the place of B; the other triangle is not read, a zero on the diagonal divides.
template <class T> inline void substitute(const T* a, npy_intp side, bool upper, bool unit, T* b, npy_intp width) {
    for (npy_intp done = 0; done < side; ++done) {
        const npy_intp i = upper ? side - 1 - done : done, first = upper ? i + 1 : 0, last = upper ? side : i;
        T* row = b + i * width;
        for (npy_intp k = first; k < last; ++k) {
            const T factor = a[i * side + k];
            for (npy_intp j = 0; j < width; ++j) row[j] -= factor * b[k * width + j];
        }
        if (unit) continue;
        for (npy_intp j = 0; j < width; ++j) row[j] /= a[i * side + i];
    }
}
// X of X A = B in the place of B, of `height` rows.
template <class T>
inline void substitute_right(const T* a, npy_intp side, bool upper, bool unit, T* b, npy_intp height) {
    Space<T> turned_a, turned_b;
    turn(a, side, side, turned_a);
    turn(b, height, side, turned_b);
    substitute(turned_a, side, !upper, unit, turned_b, height);
    turn(turned_b, side, height, b);
}

// Whether a triangle, of which nothing else is read, divides without zeros and holds no infinities.
template <class T> inline bool divides(const T* a, npy_intp side, bool upper, bool unit) {
    for (npy_intp i = 0; i < side; ++i) {
        if (!all_finite(a + i * side + (upper ? i : 0), upper ? side - i : i + 1)) return false;
        if (!unit && a[i * side + i] == 0) return false;
    }
    return true;
}

// ---- factors -------------------------------------------------------------------------------------------------------
// L of A = L L' in the place of A, of which the lower triangle is read; false if A is not positive definite.
template <class T> inline bool factor_cholesky(T* a, npy_intp side) {
    for (npy_intp j = 0; j < side; ++j) {
        T* own = a + j * side;
        T rest = own[j];
        for (npy_intp k = 0; k < j; ++k) rest -= own[k] * own[k];
        if (!(rest > 0) || !std::isfinite(rest)) return false;
        own[j] = std::sqrt(rest);
        std::fill(own + j + 1, own + side, T(0));
        for (npy_intp i = j + 1; i < side; ++i) {
            T value = a[i * side + j];
            for (npy_intp k = 0; k < j; ++k) value -= a[i * side + k] * own[k];
            a[i * side + j] = value / own[j];
        }
    }
    return true;
}
// L and U of A = P L U in the place of A, and the rows that were exchanged, from 1 on; false if a pivot is zero or not
// finite.
template <class T> inline bool factor_lu(T* a, npy_intp rows, npy_intp columns, int32_t* pivots) {
    if (!all_finite(a, rows * columns)) return false;
    for (npy_intp j = 0; j < std::min(rows, columns); ++j) {
        npy_intp best = j;
        for (npy_intp i = j + 1; i < rows; ++i)
            if (std::fabs(a[i * columns + j]) > std::fabs(a[best * columns + j])) best = i;
        pivots[j] = static_cast<int32_t>(best + 1);
        const T pivot = a[best * columns + j];
        if (pivot == 0 || !std::isfinite(pivot)) return false;
        if (best != j) std::swap_ranges(a + j * columns, a + (j + 1) * columns, a + best * columns);
        for (npy_intp i = j + 1; i < rows; ++i) {
            T* row = a + i * columns;
            const T factor = row[j] /= pivot;
            for (npy_intp k = j + 1; k < columns; ++k) row[k] -= factor * a[j * columns + k];
        }
    }
    return true;
}
// X of A X = B in the place of B, by the factors of a square A.
template <class T> inline void solve_factored(const T* lu, npy_intp side, const int32_t* pivots, T* b, npy_intp width) {
    for (npy_intp i = 0; i < side; ++i)
        if (pivots[i] - 1 != i) std::swap_ranges(b + i * width, b + (i + 1) * width, b + (pivots[i] - 1) * width);
    substitute(lu, side, false, true, b, width);
    substitute(lu, side, true, false, b, width);
}

}  // namespace wengert
