// Batches of small matrices, the last two axes of arrays of any strides. A matrix is copied to the stack in row-major
// order, factored or solved there, and written to a result in column-major order, as LAPACK's are, or in row-major
// order. The functions on a single matrix call no Python.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "linalg/product.hpp"

namespace wengert {

constexpr npy_intp most_side = 16;  // for larger ones the time of a call of LAPACK does not count
template <class T> using Space = T[most_side * most_side];

// The matrices in the last two axes of an array. By default both lengths are 2 at least, since the strides of a result
// with a single row or column are chosen in Python.
template <class T> class Matrices {
public:
    npy_intp rows = 0, columns = 0, count = 1;

    // Read small matrices; false if they are larger or not of type T.
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

    // Copy matrix number `at`, or its transpose, in row-major order.
    template <class Out> void load(npy_intp at, Out* to, bool transposed = false) const {
        const npy_intp step = PyArray_STRIDE(array_, lead_), along = PyArray_STRIDE(array_, lead_ + 1),
                       size = sizeof(T);
        const char* address = address_of(at);
        const npy_intp to_row = transposed ? 1 : columns, to_column = transposed ? rows : 1;
        if constexpr (std::is_same_v<Out, T>) {
            const T* from = reinterpret_cast<const T*>(address);
            if (along == size && step % size == 0) return load_lines(from, step / size, rows, columns, to, transposed);
            if (step == size && along % size == 0)
                return load_lines(from, along / size, columns, rows, to, !transposed);
        }
        for (npy_intp i = 0; i < rows; ++i)
            for (npy_intp j = 0; j < columns; ++j)
                to[i * to_row + j * to_column] =
                    static_cast<Out>(*reinterpret_cast<const T*>(address + i * step + j * along));
    }
    // Matrix number `at` in place; false if its strides are not multiples of the size of an element.
    bool find(npy_intp at, Factor<T>& factor) const {
        factor.data = reinterpret_cast<const T*>(address_of(at));
        return step_along<T>(array_, lead_, factor.row) && step_along<T>(array_, lead_ + 1, factor.column);
    }

private:
    static void load_lines(const T* from, npy_intp pitch, npy_intp lines, npy_intp length, T* to, bool transposed) {
        if (transposed) return loops<T>().transpose_matrix(from, pitch, lines, length, to, lines);
        for (npy_intp i = 0; i < lines; ++i) std::copy_n(from + i * pitch, length, to + i * length);
    }
    const char* address_of(npy_intp at) const {
        const char* address = PyArray_BYTES(array_);
        for (int i = lead_ - 1; i >= 0; --i) {
            address += at % PyArray_DIM(array_, i) * PyArray_STRIDE(array_, i);
            at /= PyArray_DIM(array_, i);
        }
        return address;
    }
    PyArrayObject* array_ = nullptr;  // not owned
    int lead_ = -1;
};

// A new row-major array with the leading lengths of `like` and `more` after them.
template <class T>
inline PyArrayObject* new_rows(const Matrices<T>& like, PyArray_Descr* descr, std::initializer_list<npy_intp> more) {
    npy_intp shape[most_dims];
    const int lead = like.lead();
    std::copy(like.shape(), like.shape() + lead, shape);
    std::copy(more.begin(), more.end(), shape + lead);
    return new_array(descr, lead + static_cast<int>(more.size()), shape);
}
// New column-major matrices, as many as `like` has.
template <class T> inline PyArrayObject* new_columns(const Matrices<T>& like, npy_intp rows, npy_intp columns) {
    Owned result(new_rows(like, descr_of<T>(), {columns, rows}));
    if (!result) return nullptr;
    return reinterpret_cast<PyArrayObject*>(PyArray_SwapAxes(result.get(), like.lead(), like.lead() + 1));
}
// Zeros of int32, one for each matrix, or several (`more`).
template <class T> inline PyArrayObject* new_marks(const Matrices<T>& like, std::initializer_list<npy_intp> more) {
    PyArray_Descr* descr = PyArray_DescrFromType(NPY_INT32);
    PyArrayObject* result = new_rows(like, descr, more);
    Py_DECREF(descr);
    if (result) std::fill_n(data_of<int32_t>(result), PyArray_SIZE(result), 0);
    return result;
}
template <class From, class T> inline void store_columns(const From* from, npy_intp rows, npy_intp columns, T* to) {
    if constexpr (std::is_same_v<From, T>) return loops<T>().transpose_matrix(from, columns, rows, columns, to, rows);
    for (npy_intp i = 0; i < rows; ++i)
        for (npy_intp j = 0; j < columns; ++j) to[j * rows + i] = static_cast<T>(from[i * columns + j]);
}
template <class From, class T> inline void store_rows(const From* from, npy_intp rows, npy_intp columns, T* to) {
    for (npy_intp i = 0; i < rows * columns; ++i) to[i] = static_cast<T>(from[i]);
}

// Read matrices that are larger than the small ones; false where vectors are too narrow for linalg/blocked.hpp.
template <class T> inline bool read_large(PyObject* object, Matrices<T>& a) {
    return loops<float>().lanes >= wide_lanes && a.read_any(object) && std::max(a.rows, a.columns) > most_side &&
           std::max(a.rows, a.columns) < 1 << 30;
}
// The number of elements, and of the multiplications of a product with `width` columns: the cost for threads.
template <class T> inline npy_intp volume(const Matrices<T>& a) { return (Size(a.rows) * a.columns).value_or_most(); }
template <class T> inline npy_intp work(const Matrices<T>& a, npy_intp width) {
    return (Size(a.rows) * a.columns * width).value_or_most();
}

// The default tolerance: singular values up to this fraction of the largest one count as zero.
template <class T> inline double default_tolerance(const Matrices<T>& a) {
    return static_cast<double>(std::numeric_limits<T>::epsilon()) * static_cast<double>(std::max(a.rows, a.columns));
}

// An empty array, for an output that was not asked for.
template <class T> inline PyArrayObject* empty_output(PyArray_Descr* descr = descr_of<T>()) {
    const npy_intp none = 0;
    return new_array(descr, 1, &none);
}

// The results of lstsq: the solutions, and the ranks between two outputs that were not asked for.
template <class T> class Solutions {
public:
    Solutions(const Matrices<T>& a, const Matrices<T>& b)
        : results_{Owned(new_columns(b, a.columns, b.columns)), Owned(empty_output<T>()),
                   Owned(new_rows(a, int64_descr, {})), Owned(empty_output<T>())} {}
    bool all() const { return results_[0] && results_[1] && results_[2] && results_[3]; }
    T* values() { return data_of<T>(results_[0].get()); }
    int64_t* ranks() { return data_of<int64_t>(results_[2].get()); }
    PyObject* give() { return give_tuple(results_, 4); }

private:
    Owned results_[4];
};

// The entry of `direct_name`: matrices by `name` for the element type of argument number `at`.
#define WENGERT_OF_MATRICES(count, name, arguments, at) \
    WENGERT_ENTRY(name, arguments, direct<count, by_element<name<float>, name<double>, at>>)

// The entry of `direct_name`: small matrices by `name`, larger ones by `large_name`.
#define WENGERT_EITHER(count, name, arguments) \
    WENGERT_ENTRY( \
        name, arguments, \
        direct<count, \
               by_element<either<name<float>, large_##name<float>>, either<name<double>, large_##name<double>>>>)

// Call `treat(index)` for each matrix, shared by the threads; false if one of the calls returned false.
template <class Treat> inline bool for_each_matrix(npy_intp count, npy_intp work, Treat treat) {
    std::atomic<bool> accepted{true};
    ReleaseGil unlocked((Size(count) * work).value_or_most() >= thread_threshold);
    parallel_for(count, work, [&](npy_intp begin, npy_intp end) {
        for (npy_intp at = begin; at < end && accepted.load(std::memory_order_relaxed); ++at)
            if (!treat(at)) accepted.store(false, std::memory_order_relaxed);
    });
    return accepted.load();
}

template <class T> inline void transpose(const T* a, npy_intp rows, npy_intp columns, T* out) {
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
// Solve A X = B in place, A being triangular; the other triangle is not read, zeros on the diagonal give infinities.
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
// Solve X A = B in place, B having `height` rows.
template <class T>
inline void substitute_right(const T* a, npy_intp side, bool upper, bool unit, T* b, npy_intp height) {
    Space<T> transposed_a, transposed_b;
    transpose(a, side, side, transposed_a);
    transpose(b, height, side, transposed_b);
    substitute(transposed_a, side, !upper, unit, transposed_b, height);
    transpose(transposed_b, side, height, b);
}

// Whether a triangle is finite and has no zero on its diagonal (not read if `unit`); nothing else is read.
template <class T> inline bool divides(const T* a, npy_intp side, bool upper, bool unit) {
    for (npy_intp i = 0; i < side; ++i) {
        if (!all_finite(a + i * side + (upper ? i : 0), upper ? side - i : i + 1)) return false;
        if (!unit && a[i * side + i] == 0) return false;
    }
    return true;
}

// ---- factors -------------------------------------------------------------------------------------------------------
// Replace A by the L of A = L L'; only the lower triangle is read. False if A is not positive definite.
template <class T> inline bool factor_cholesky(T* a, npy_intp side) {
    for (npy_intp j = 0; j < side; ++j) {
        T* row = a + j * side;
        T rest = row[j];
        for (npy_intp k = 0; k < j; ++k) rest -= row[k] * row[k];
        if (!(rest > 0) || !std::isfinite(rest)) return false;
        row[j] = std::sqrt(rest);
        std::fill(row + j + 1, row + side, T(0));
        for (npy_intp i = j + 1; i < side; ++i) {
            T value = a[i * side + j];
            for (npy_intp k = 0; k < j; ++k) value -= a[i * side + k] * row[k];
            a[i * side + j] = value / row[j];
        }
    }
    return true;
}
// Replace A by the L and U of A = P L U, with the pivots counted from 1; false if a pivot is zero or not finite.
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
// Solve A X = B in place, with the LU factors of a square A.
template <class T> inline void solve_factored(const T* lu, npy_intp side, const int32_t* pivots, T* b, npy_intp width) {
    for (npy_intp i = 0; i < side; ++i)
        if (pivots[i] - 1 != i) std::swap_ranges(b + i * width, b + (i + 1) * width, b + (pivots[i] - 1) * width);
    substitute(lu, side, false, true, b, width);
    substitute(lu, side, true, false, b, width);
}

}  // namespace wengert
