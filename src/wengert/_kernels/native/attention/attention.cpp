// Attention of few steps: softmax(query @ key.T / sqrt(size)) @ value. For the dispatcher only.
#include "binding/direct.hpp"

#include <cmath>
#include <vector>

namespace wengert {
namespace {

constexpr npy_intp most_work = 1 << 16;  // multiplications; beyond, products of matrices are faster

// Heads (..., steps, size) of queries, keys and values, as many of each.
struct Heads {
    npy_intp count = 1, queries, keys, size, width;

    bool read(PyArrayObject* query, PyArrayObject* key, PyArrayObject* value) {
        const int ndim = PyArray_NDIM(query);
        if (ndim < 2 || ndim > most_dims || PyArray_NDIM(key) != ndim || PyArray_NDIM(value) != ndim) return false;
        for (int i = 0; i < ndim - 2; ++i) {
            const npy_intp length = PyArray_DIM(query, i);
            if (PyArray_DIM(key, i) != length || PyArray_DIM(value, i) != length) return false;
            count *= length;
        }
        queries = PyArray_DIM(query, ndim - 2), size = PyArray_DIM(query, ndim - 1);
        keys = PyArray_DIM(key, ndim - 2), width = PyArray_DIM(value, ndim - 1);
        if (PyArray_DIM(key, ndim - 1) != size || PyArray_DIM(value, ndim - 2) != keys) return false;
        const Size work = Size(count) * queries * keys * (Size(size) + width);
        return count > 0 && queries > 0 && keys > 0 && size > 0 && width > 0 && work.fits() &&
               work.value() <= most_work;
    }
};

// attention(query, key, value)
template <class T> PyObject* attention(PyObject* const* args) {
    PyArrayObject *query = plain(args[0], descr_of<T>()), *key = plain(args[1], descr_of<T>()),
                  *value = plain(args[2], descr_of<T>());
    Heads h;
    if (!query || !key || !value || !h.read(query, key, value)) return nullptr;
    npy_intp shape[most_dims];
    const int ndim = PyArray_NDIM(query);
    for (int i = 0; i < ndim; ++i) shape[i] = i < ndim - 1 ? PyArray_DIM(query, i) : h.width;
    Owned result(new_zeros(descr_of<T>(), ndim, shape));
    if (!result) return nullptr;
    std::vector<T> scores(static_cast<size_t>(h.keys)), scaled_query(static_cast<size_t>(h.size));
    const T factor = static_cast<T>(1 / std::sqrt(static_cast<double>(h.size)));
    for (npy_intp row = 0; row < h.count * h.queries; ++row) {
        const npy_intp head = row / h.queries;
        const T *query_row = data_of<T>(query) + row * h.size, *keys = data_of<T>(key) + head * h.keys * h.size;
        const T* values = data_of<T>(value) + head * h.keys * h.width;
        T* out = data_of<T>(result.get()) + row * h.width;
        for (npy_intp e = 0; e < h.size; ++e) scaled_query[static_cast<size_t>(e)] = query_row[e] * factor;
        for (npy_intp j = 0; j < h.keys; ++j) {
            T total = 0;
            for (npy_intp e = 0; e < h.size; ++e) total += scaled_query[static_cast<size_t>(e)] * keys[j * h.size + e];
            scores[static_cast<size_t>(j)] = total;
        }
        loops<T>().softmax_row(scores.data(), scores.data(), h.keys);
        for (npy_intp j = 0; j < h.keys; ++j) {
            const T weight = scores[static_cast<size_t>(j)];
            for (npy_intp e = 0; e < h.width; ++e) out[e] += weight * values[j * h.width + e];
        }
    }
    return result.give();
}

Methods attention_methods({
    WENGERT_ENTRY(attention, "(query, key, value)", direct<3, by_element<attention<float>, attention<double>>>),
});

}  // namespace
}  // namespace wengert
