// Many elements written at indices: blocks of a row-major target, by threads. Shared by `index_put`, `index_copy` and
// related functions.
#pragma once

#include "binding/elements.hpp"

#include <vector>

namespace wengert {

// The step of a walk in row-major order through some dimensions; false if it has none that is always the same.
inline bool find_step(int ndim, const npy_intp* shape, const npy_intp* strides, npy_intp& step) {
    bool known = false;
    npy_intp next = step = 0;
    for (int i = ndim - 1; i >= 0; --i) {
        if (shape[i] == 1) continue;
        if (!known)
            step = strides[i];
        else if (strides[i] != next)
            return false;
        known = true, next = strides[i] * shape[i];
    }
    return true;
}

// `run` times the same element.
inline void fill_run(char* to, const char* element, npy_intp bytes, npy_intp run) {
    copy_element(to, element, bytes);
    for (npy_intp done = 1; done < run; done *= 2)
        std::memcpy(to + done * bytes, to, static_cast<size_t>(std::min(done, run - done) * bytes));
}

// What is written: an array of `ndim` dimensions, of which `lead` are whole dimensions of the target, `named` those of
// the positions, and the others the dimensions behind these.
struct Blocks {
    int lead, named, ndim;
    const npy_intp *shape, *strides;
    const char* from;

    // False, with nothing written, for a target or an array of other strides. If a position is repeated the last value
    // stays: each position is written by one thread.
    bool write(PyArrayObject* target, const std::vector<npy_intp>& offsets) const {
        const npy_intp item = PyArray_ITEMSIZE(target), outer = product(0, lead), run = product(lead + named, ndim);
        npy_intp outer_step, step, inner_step;
        if (!is_contiguous(target) || !has_step(0, lead, outer_step) || !has_step(lead, lead + named, step) ||
            !has_step(lead + named, ndim, inner_step))
            return false;
        if (offsets.empty()) return true;
        const bool same = run > 1 && inner_step == 0;
        if (run > 1 && !same && inner_step != item) return false;
        const npy_intp bytes = run * item, outer_bytes = PyArray_NBYTES(target) / outer,
                       count = static_cast<npy_intp>(offsets.size());
        const ReleaseGil unlocked((Size(outer) * count * run).value_or_most() >= thread_threshold);
        const auto put = [=, &offsets](auto copy) {
            const Written written{PyArray_BYTES(target), from,  offsets.data(), outer, count,
                                  outer_bytes,           bytes, outer_step,     step};
            written.by_threads(copy);
        };
        if (same)
            put([=](char* to, const char* element) { fill_run(to, element, item, run); });
        else if (bytes == 4)
            put([](char* to, const char* element) { std::memcpy(to, element, 4); });
        else if (bytes == 8)
            put([](char* to, const char* element) { std::memcpy(to, element, 8); });
        else
            put([=](char* to, const char* part) { std::memcpy(to, part, static_cast<size_t>(bytes)); });
        return true;
    }

private:
    // `outer` larger blocks of `outer_bytes` bytes, with blocks of `bytes` at the positions.
    struct Written {
        char* to;
        const char* from;
        const npy_intp* positions;
        npy_intp outer, count, outer_bytes, bytes, outer_step, step;

        template <class Copy> void by_threads(const Copy& copy) const {
            const npy_intp cost = (Size(count) * (bytes / 8 + 1)).value_or_most();
            // Short blocks of a larger one are written one by one: a branch on their position would be mispredicted.
            if (outer > 1 || bytes < 64)
                return parallel_for(outer, cost, [this, &copy](npy_intp begin, npy_intp end) {
                    for (npy_intp o = begin; o < end; ++o)
                        for (npy_intp k = 0; k < count; ++k)
                            copy(to + o * outer_bytes + positions[k], from + o * outer_step + k * step);
                });
            const npy_intp rows = outer_bytes / bytes;
            parallel_for(rows, cost / rows + 1,
                         [this, &copy](npy_intp begin, npy_intp end) {  // each piece reads all places
                             for (npy_intp k = 0; k < count; ++k)
                                 if (positions[k] >= begin * bytes && positions[k] < end * bytes)
                                     copy(to + positions[k], from + k * step);
                         });
        }
    };
    npy_intp product(int first, int last) const {
        npy_intp result = 1;
        for (int i = first; i < last; ++i) result *= shape[i];
        return result;
    }
    bool has_step(int first, int last, npy_intp& step) const {
        return find_step(last - first, shape + first, strides + first, step);
    }
};

}  // namespace wengert
