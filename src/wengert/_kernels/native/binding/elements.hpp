// Elements of any dtype without references, copied one by one between memory of any strides.
#pragma once

#include "binding/direct.hpp"

#include <algorithm>
#include <cstring>

namespace wengert {

// For more elements NumPy's loops, which release the lock, take no longer.
constexpr npy_intp most_elements = 1 << 15;

// Walks `ndim` dimensions in row-major order: body(offset in the first operand, offset in the second).
template <class Body>
void walk(int ndim, const npy_intp* shape, const npy_intp* first, const npy_intp* second, npy_intp x, npy_intp y,
          const Body& body) {
    if (ndim == 0) {
        body(x, y);
        return;
    }
    for (npy_intp i = 0; i < *shape; ++i, x += *first, y += *second)
        walk(ndim - 1, shape + 1, first + 1, second + 1, x, y, body);
}

// One element of `bytes`; those of the common dtypes without a call.
inline void copy_element(char* to, const char* from, npy_intp bytes) {
    if (bytes == 4)
        std::memcpy(to, from, 4);
    else if (bytes == 8)
        std::memcpy(to, from, 8);
    else
        std::memcpy(to, from, static_cast<size_t>(bytes));
}

inline bool is_contiguous(PyArrayObject* array) { return (PyArray_FLAGS(array) & NPY_ARRAY_C_CONTIGUOUS) != 0; }
inline bool holds_numbers(PyArrayObject* array) {
    const int type = PyArray_TYPE(array);
    return PyTypeNum_ISNUMBER(type) || PyTypeNum_ISBOOL(type);
}

// The memory range of an array's elements; false if it overflows an address.
inline bool find_extent(PyArrayObject* array, const char*& begin, const char*& end) {
    begin = end = PyArray_BYTES(array);
    if (is_contiguous(array)) {
        end += PyArray_NBYTES(array);
        return true;
    }
    Size below(0), above(PyArray_ITEMSIZE(array));
    for (int i = 0; i < PyArray_NDIM(array); ++i) {
        Size& side = PyArray_STRIDE(array, i) < 0 ? below : above;
        side = side + Size(PyArray_DIM(array, i) - 1) * PyArray_STRIDE(array, i);
    }
    if (!below.fits() || !above.fits()) return false;
    if (PyArray_SIZE(array) > 0) begin += below.value(), end += above.value();
    return true;
}
inline bool are_disjoint(PyArrayObject* a, PyArrayObject* b) {
    const char *a_begin, *a_end, *b_begin, *b_end;
    if (!find_extent(a, a_begin, a_end) || !find_extent(b, b_begin, b_end)) return false;
    return a_end <= b_begin || b_end <= a_begin;
}

// Whether no two elements share memory: each stride is at least the extent covered by the smaller ones.
inline bool has_own_elements(PyArrayObject* array) {
    if (is_contiguous(array)) return true;
    int order[NPY_MAXDIMS], count = 0;
    for (int i = 0; i < PyArray_NDIM(array); ++i)
        if (PyArray_DIM(array, i) != 1) order[count++] = i;
    const auto step = [=](int i) {
        const npy_intp stride = PyArray_STRIDE(array, i);
        return (stride < 0 ? Size(0) - stride : Size(stride)).value_or_most();
    };
    std::sort(order, order + count, [=](int i, int j) { return step(i) < step(j); });
    Size extent(PyArray_ITEMSIZE(array));
    for (int at = 0; at < count; ++at) {
        if (step(order[at]) < extent.value_or_most()) return false;
        extent = extent + Size(step(order[at])) * (PyArray_DIM(array, order[at]) - 1);
    }
    return true;
}

// An array of numbers that may be written to element by element, in whatever order.
inline PyArrayObject* as_target(PyObject* object) {
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    return writeable(array) && holds_numbers(array) && has_own_elements(array) ? array : nullptr;
}
// A source for a target: of its dtype, in disjoint memory.
inline PyArrayObject* as_source(PyObject* object, PyArrayObject* target) {
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    return PyArray_DESCR(array) == PyArray_DESCR(target) && are_disjoint(array, target) ? array : nullptr;
}

// The strides of an array broadcast to `shape`; false if it does not broadcast.
inline bool stretch(PyArrayObject* array, int ndim, const npy_intp* shape, npy_intp* strides) {
    const int pad = ndim - PyArray_NDIM(array);
    if (pad < 0) return false;
    for (int i = 0; i < ndim; ++i) {
        strides[i] = 0;
        if (i < pad || PyArray_DIM(array, i - pad) == 1) continue;
        if (PyArray_DIM(array, i - pad) != shape[i]) return false;
        strides[i] = PyArray_STRIDE(array, i - pad);
    }
    return true;
}

// One value, as an element of a dtype: a number, or an array of the dtype without dimensions.
class Element {
public:
    // Zero, where it is read from nothing.
    bool read(PyArrayObject* target, PyObject* value) {
        const auto bytes = static_cast<size_t>(PyArray_ITEMSIZE(target));
        if (bytes > sizeof data_) return false;
        if (!value) return true;
        if (PyArray_CheckExact(value)) {
            auto* array = reinterpret_cast<PyArrayObject*>(value);
            if (PyArray_NDIM(array) != 0 || PyArray_DESCR(array) != PyArray_DESCR(target)) return false;
            std::memcpy(data_, PyArray_DATA(array), bytes);
            return true;
        }
        PyArray_Descr* descr = PyArray_DESCR(target);
        if (descr == float_descr) return read_real<float>(value);
        if (descr == double_descr) return read_real<double>(value);
        npy_intp integer = 0;
        if (descr == int64_descr) return as_index(value, integer) && store(static_cast<int64_t>(integer));
        bool truth = false;
        return descr == bool_descr && as_flag(value, truth) && store(static_cast<npy_bool>(truth));
    }
    const char* data() const { return data_; }

private:
    template <class T> bool read_real(PyObject* value) {
        constexpr int64_t exact = int64_t(1) << 53;  // further ones NumPy does not round twice
        npy_intp integer = 0;
        if (PyFloat_CheckExact(value)) {
            const double number = PyFloat_AS_DOUBLE(value);
            const bool refused =
                std::isfinite(number) && std::fabs(number) > static_cast<double>(std::numeric_limits<T>::max());
            return !refused && store(static_cast<T>(number));
        }
        return as_index(value, integer) && integer >= -exact && integer <= exact && store(static_cast<T>(integer));
    }
    template <class T> bool store(T value) {
        std::memcpy(data_, &value, sizeof value);
        return true;
    }
    char data_[2 * sizeof(npy_longdouble)] = {};
};

}  // namespace wengert
