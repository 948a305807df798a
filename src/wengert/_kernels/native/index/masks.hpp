// Elements under a mask of the same shape, in row-major order, in pieces that threads share. Another thread may rewrite
// the mask between two reads: reading and writing is bounded by the first count.
#pragma once

#include "binding/direct.hpp"

#include <algorithm>
#include <vector>

namespace wengert {

class Selected {
public:
    Selected(const npy_bool* mask, npy_intp count)
        : mask_(mask), count_(count), firsts_(static_cast<size_t>((count + piece - 1) / piece) + 1) {
        npy_intp* counts = firsts_.data();
        parallel_for(pieces(), piece / 4, [=](npy_intp begin, npy_intp end) {
            for (npy_intp at = begin; at < end; ++at) {
                npy_intp held = 0;
                for (npy_intp i = at * piece, last = std::min(i + piece, count_); i < last; ++i) held += mask_[i] != 0;
                counts[at + 1] = held;
            }
        });
        for (size_t at = 1; at < firsts_.size(); ++at) firsts_[at] += firsts_[at - 1];
    }
    npy_intp total() const { return firsts_.back(); }

    // body(begin, end, first, last): elements [begin, end), of which those with numbers [first, last) are held
    template <class Body> void for_each_piece(const Body& body) const {
        parallel_for(pieces(), piece, [&](npy_intp begin, npy_intp end) {
            for (npy_intp at = begin; at < end; ++at)
                body(at * piece, std::min((at + 1) * piece, count_), firsts_[static_cast<size_t>(at)],
                     firsts_[static_cast<size_t>(at) + 1]);
        });
    }

    // out[k] = x[i] for the k-th selected i
    template <class T> void pick(const T* x, T* out) const {
        for_each_piece([=](npy_intp begin, npy_intp end, npy_intp first, npy_intp last) {
            npy_intp k = first;
            for (npy_intp i = begin; i < end && k < last; ++i) {
                out[k] = x[i];
                k += mask_[i] != 0;
            }
            for (; k < last; ++k) out[k] = T{};
        });
    }
    // whole[i] = values[k] for the k-th i that is held, else base[i], or zero without a base
    template <class T> void put(const T* values, const T* base, T* target) const {
        for_each_piece([=](npy_intp begin, npy_intp end, npy_intp first, npy_intp last) {
            npy_intp k = first;
            const T none{};
            for (npy_intp i = begin; i < end; ++i) {
                const bool held = mask_[i] != 0 && k < last;
                const T value = *(k < last ? values + k : &none), other = base ? base[i] : none;
                target[i] = held ? value : other;
                k += held;
            }
        });
    }

private:
    static constexpr npy_intp piece = 1 << 14;
    npy_intp pieces() const { return static_cast<npy_intp>(firsts_.size()) - 1; }
    const npy_bool* mask_;
    npy_intp count_;
    std::vector<npy_intp> firsts_;  // how many are held before each piece
};

// One value for all elements of `target` that are held.
template <class T> void fill_held(T* target, const npy_bool* held, npy_intp count, T value) {
    for (npy_intp i = 0; i < count; ++i) target[i] = held[i] ? value : target[i];
}

// 16 bytes that are moved together.
struct Wide {
    uint64_t low, high;
};
// use(element) with an unsigned number as large as the elements of an array; null if there is none.
template <class Use> PyObject* with_element(PyArrayObject* array, const Use& use) {
    if (PyDataType_REFCHK(PyArray_DESCR(array))) return nullptr;
    switch (PyArray_ITEMSIZE(array)) {
        case 1: return use(uint8_t{});
        case 2: return use(uint16_t{});
        case 4: return use(uint32_t{});
        case 8: return use(uint64_t{});
        case 16: return PyArray_TYPE(array) == NPY_CDOUBLE ? use(Wide{}) : nullptr;
    }
    return nullptr;
}

// The elements of `x` under a mask of its shape; null for what is unusual.
inline PyObject* held_elements(PyArrayObject* x, PyArrayObject* mask) {
    const npy_intp count = PyArray_SIZE(x);
    if (count == 0 || !same_shape(x, mask)) return nullptr;
    return with_element(x, [=](auto element) -> PyObject* {
        using T = decltype(element);
        const npy_bool* held = data_of<npy_bool>(mask);
        const Selected selected(held, count);
        const npy_intp total = selected.total();
        Owned result(new_array(PyArray_DESCR(x), 1, &total));
        if (!result) return nullptr;
        {
            ReleaseGil unlocked(count >= thread_threshold);
            selected.pick(data_of<T>(x), data_of<T>(result.get()));
        }
        return result.give();
    });
}

}  // namespace wengert
