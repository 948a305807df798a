// Shared by both directions of attention: the strides of heads, and panels of packed factors. No matrix of all weights
// is written down.
#pragma once

#include "binding/direct.hpp"
#include "linalg/packed.hpp"

#include <algorithm>
#include <vector>

namespace wengert {

constexpr npy_intp key_block = 128;  // keys at a time, so that what belongs to them stays in a processor's second cache
constexpr npy_intp query_panels = 16;  // panels of queries at a time

// One tensor of the heads, (batch, heads, steps, size) in whatever order; null data for a mask that is not there.
template <class T> struct HeadArray {
    T* data = nullptr;
    npy_intp shape[4], step[4];
    T* head(npy_intp batch, npy_intp number) const { return data + batch * step[0] + number * step[1]; }
};
template <class T> inline bool read_heads(PyObject* object, HeadArray<T>& heads) {
    PyArrayObject* array = aligned(object, descr_of<T>());
    if (!array || PyArray_NDIM(array) != 4 || PyArray_SIZE(array) == 0) return false;
    heads.data = data_of<T>(array);
    for (int i = 0; i < 4; ++i) {
        const npy_intp stride = PyArray_STRIDE(array, i), bytes = sizeof(T);
        if (stride % bytes) return false;
        heads.shape[i] = PyArray_DIM(array, i), heads.step[i] = stride / bytes;
    }
    return true;
}

// The arguments of a call. A mask of two or four dimensions broadcasts: its steps are 0 where it repeats.
template <class T> struct Attention {
    HeadArray<T> query, key, value, mask;
    npy_intp batches, heads, key_heads, queries, keys, size;
    T scale;
    bool causal;

    // (query, key, value, ...): the heads; and separately the options.
    bool read(PyObject* const* tensors) {
        if (!read_heads(tensors[0], query) || !read_heads(tensors[1], key) || !read_heads(tensors[2], value))
            return false;
        batches = query.shape[0], heads = query.shape[1], queries = query.shape[2], size = query.shape[3];
        key_heads = key.shape[1], keys = key.shape[2];
        return std::equal(key.shape, key.shape + 4, value.shape) && key.shape[0] == batches && key.shape[3] == size &&
               heads % key_heads == 0;
    }
    bool read_options(PyObject* dropout, PyObject* is_causal, PyObject* attn_mask, PyObject* scale_option) {
        double probability = 0, factor = 1 / std::sqrt(static_cast<double>(size));
        if (!as_number(dropout, probability) || probability != 0 || !as_flag(is_causal, causal)) return false;
        if (scale_option != Py_None && !as_number(scale_option, factor)) return false;
        scale = static_cast<T>(factor);
        return attn_mask == Py_None || read_mask(attn_mask);
    }
    npy_intp work() const { return (Size(queries) * keys * size).value_or_most() / 2; }  // of one head, in additions
    npy_intp key_head(npy_intp head) const { return head / (heads / key_heads); }

private:
    bool read_mask(PyObject* object) {
        PyArrayObject* array = aligned(object, descr_of<T>());
        if (!array || (PyArray_NDIM(array) != 2 && PyArray_NDIM(array) != 4)) return false;
        const npy_intp wanted[4] = {batches, heads, queries, keys};
        const int missing = 4 - PyArray_NDIM(array);
        mask.data = data_of<T>(array);
        for (int i = 0; i < 4; ++i) {
            const npy_intp length = i < missing ? 1 : PyArray_DIM(array, i - missing), bytes = sizeof(T);
            const npy_intp stride = length == 1 ? 0 : PyArray_STRIDE(array, i - missing);
            if ((length != 1 && length != wanted[i]) || stride % bytes) return false;
            mask.step[i] = stride / bytes;
        }
        return true;
    }
};

// Panels' worth of numbers, of which nothing is said at first.
template <class T> class Room {
public:
    explicit Room(npy_intp count) : count_(count), memory_(scratch<T>(count)) {}
    T* data() const { return memory_.get(); }
    T& operator[](npy_intp i) const { return memory_[static_cast<size_t>(i)]; }
    void fill(T value) { std::fill_n(memory_.get(), count_, value); }

private:
    npy_intp count_;
    Scratch<T> memory_;
};

// Multiples of a step, as tables of offsets for factors of any strides.
class Offsets {
public:
    Offsets(npy_intp count, npy_intp step) : positions_(static_cast<size_t>(count)) {
        for (npy_intp i = 0; i < count; ++i) positions_[static_cast<size_t>(i)] = i * step;
    }
    const index_t* operator[](npy_intp i) const { return positions_.data() + i; }

private:
    std::vector<index_t> positions_;
};

template <class T> inline npy_intp width_of_panel() { return 2 * loops<T>().lanes; }
template <class T> inline npy_intp whole_rows(npy_intp rows) {
    return pieces_of(rows, loops<T>().packed_rows) * loops<T>().packed_rows;
}

// A panel of a right factor, (depth, a panel's width): `used` columns from `first` on, the last of them again behind
// these.
template <class T>
inline void pack_panel(const T* data, const Offsets& rows, npy_intp depth, const Offsets& columns, npy_intp first,
                       npy_intp used, T* out) {
    index_t from[Panel::most_columns];
    for (npy_intp j = 0; j < width_of_panel<T>(); ++j) from[j] = *columns[first + (j < used ? j : used - 1)];
    loops<T>().pack_columns(data, rows[0], depth, from, nullptr, 0, out);
}
// out = or += left' panel, all rows of the left factor, in rows of a panel's width.
template <class T>
inline void multiply_panel(const Packed<T>& left, npy_intp rows, const T* panel, npy_intp depth, T* out, bool add) {
    const npy_intp width = width_of_panel<T>();
    for (npy_intp k = 0; k < depth; k += packed_depth)
        for (npy_intp p = 0; p < left.panels() && left.row_of(p) < rows; ++p)
            left.multiply(k, p, std::min<npy_intp>(depth - k, packed_depth), panel + k * width, nullptr, width / 2,
                          out + left.row_of(p) * width, width, nullptr, add || k > 0);
}
// (rows, a panel's width) transposed: column j, times `scale`, goes to out + j * step.
template <class T>
inline void store_transposed(const T* panel, npy_intp rows, npy_intp used, T scale, T* out, npy_intp step,
                             npy_intp inner) {
    const npy_intp width = width_of_panel<T>();
    for (npy_intp j = 0; j < used; ++j)
        for (npy_intp r = 0; r < rows; ++r) out[j * step + r * inner] = panel[r * width + j] * scale;
}

// The scores of a panel of queries with a block of keys: those of keys that a query may not look at are -inf.
template <class T> class Scores {
public:
    Scores(const Attention<T>& attention)
        : a_(attention),
          keys_(attention.keys, attention.mask.step[3]),
          queries_(attention.queries, attention.mask.step[2]),
          shifts_(attention.mask.data ? key_block * width_of_panel<T>() : 0) {}
    void restrict_to(T* scores, npy_intp batch, npy_intp head, npy_intp query, npy_intp used, npy_intp key,
                     npy_intp keys) {
        const npy_intp width = width_of_panel<T>();
        if (a_.mask.data) {
            const T* mask = a_.mask.head(batch, head) + *keys_[key];
            index_t from[Panel::most_columns];
            for (npy_intp j = 0; j < width; ++j) from[j] = *queries_[query + (j < used ? j : used - 1)];
            loops<T>().pack_columns(mask, keys_[0], keys, from, nullptr, 0, shifts_.data());
            loops<T>().binary[ADD](scores, 1, shifts_.data(), 1, scores, keys * width);
        }
        for (npy_intp k = std::max<npy_intp>(query + 1 - key, 0); a_.causal && k < keys; ++k)
            for (npy_intp j = 0; j < width && query + j < key + k; ++j)
                scores[k * width + j] = -std::numeric_limits<T>::infinity();
    }
    // How many keys of a block any of `used` queries may look at.
    npy_intp visible(npy_intp query, npy_intp used, npy_intp key, npy_intp keys) const {
        return a_.causal ? std::max<npy_intp>(std::min(keys, query + used - key), 0) : keys;
    }

private:
    const Attention<T>& a_;
    Offsets keys_, queries_;
    Room<T> shifts_;
};

}  // namespace wengert
