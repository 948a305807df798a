// Elements at places that an index array names along an axis: what gather, scatter and their like share.
#pragma once

#include "direct.hpp"

#include <algorithm>
#include <atomic>

namespace wengert {

constexpr npy_intp strip_bytes = 1 << 16;  // of the indexed array that one strip of neighbouring lines may reach
constexpr npy_intp strip_least = 64;       // lines in a strip: with fewer, reading the index waits for each of its rows

// body(offset in the indexed array, offset in the index) for each index, in the order of the indices for each place. `line` is that of
// the indexed array, `count` the length of the index along the axis; the other lengths are the same. An index is loaded once, checked
// and used; false if one lies outside. Lines are visited in strips, so that what their indices point at stays near.
template <class Body>
bool at_places(const int64_t* index, const Line& line, npy_intp count, npy_intp bytes, const Body& body) {
    if (line.outer == 0 || line.inner == 0) return true;
    const npy_intp fitting = strip_bytes / std::max<npy_intp>((Size(line.length) * bytes).value_or_most(), 1);
    const npy_intp width = std::min(line.inner, std::max(fitting, strip_least)), strips = (line.inner + width - 1) / width;
    std::atomic<bool> inside{true};
    parallel_for(line.outer * strips, (Size(count) * width).value_or_most(), [=, &inside](npy_intp begin, npy_intp end) {
        // Copies of our own: what is stored might lie where they were captured.
        const Body visit = body;
        const int64_t* const indices = index;
        const npy_intp length = line.length, inner = line.inner, many = count;
        bool all_inside = true;
        const auto one = [&](npy_intp at, npy_intp start, npy_intp step) {
            const int64_t place = load_once(indices + at);
            if (static_cast<uint64_t>(place) < static_cast<uint64_t>(length)) visit(start + place * step, at);
            else all_inside = false;
        };
        for (npy_intp strip = begin; strip < end; ++strip) {
            const npy_intp o = strip / strips, first = strip % strips * width, last = std::min(first + width, inner);
            if (inner == 1)
                for (npy_intp i = 0; i < many; ++i) one(o * many + i, o * length, 1);
            else
                for (npy_intp i = 0; i < many; ++i)
                    for (npy_intp j = first; j < last; ++j) one((o * many + i) * inner + j, o * length * inner + j, inner);
        }
        if (!all_inside) inside.store(false, std::memory_order_relaxed);
    });
    return inside.load();
}

}  // namespace wengert
