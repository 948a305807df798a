// Convolutions whose every channel has one kernel of its own (depthwise): plane by plane, by vectors of places. No Python here.
#pragma once

#include "conv_core.hpp"
#include "conv_input.hpp"

namespace wengert {

template <class T>
void single_forward(const Geometry& g, const T* x, const T* weight, const T* bias, T* out) {
    const Frame f = input_frame(g);
    const Cover cover = cover_rows(g.out_height, g.out_width, (g.rows == 1 ? 1 : g.stride[0]) * f.pitch(), loops<T>().lanes);
    const Indices taps = input_taps(g, f);
    const bool direct = cover.pitch == g.out_width;
    parallel_for(g.images * g.channels, g.places() * g.depth() / 2 + f.plane(), [&](index_t begin, index_t end) {
        const std::unique_ptr<T[]> memory = plane_memory<T>(f, cover.size());
        T* rows = memory.get() + f.plane() + loops<T>().lanes;
        for (index_t p = begin; p < end; ++p) {
            const index_t c = p % g.channels;
            T *result = out + p * g.places(), *target = direct ? result : rows;
            frame_plane(x + p * g.height * g.width, g.height, g.width, f, memory.get());
            loops<T>().correlate_plane(memory.get(), cover.from.data(), cover.vectors(), taps.data(), weight + c * g.depth(), g.depth(),
                                       bias ? bias[c] : T(0), target, cover.to.data());
            for (index_t r = 0; !direct && r < g.out_height; ++r)
                std::memcpy(result + r * g.out_width, rows + r * cover.pitch, static_cast<size_t>(g.out_width) * sizeof(T));
        }
    });
}

template <class T>
void single_backward_input(const Geometry& g, const T* grad, const T* weight, T* out) {
    const Phases down = phases_along(g, 0), right = phases_along(g, 1);
    const Frame f = gradient_frame(down, right);
    const std::vector<Part> parts = parts_of(g, down, right, f);
    std::vector<Cover> covers;
    for (const Part& part : parts) covers.push_back(cover_rows(part.down->count, part.right->count, f.pitch(), loops<T>().lanes));
    parallel_for(g.images * g.channels, g.places() * g.depth() / 2 + f.plane(), [&](index_t begin, index_t end) {
        const std::unique_ptr<T[]> memory = plane_memory<T>(f, covers[0].size());  // no part is larger than the first
        std::vector<T> weights(static_cast<size_t>(g.depth()));
        T* rows = memory.get() + f.plane() + loops<T>().lanes;
        for (index_t p = begin; p < end; ++p) {
            frame_plane(grad + p * g.places(), g.out_height, g.out_width, f, memory.get());
            for (size_t i = 0; i < parts.size(); ++i) {
                const Part& part = parts[i];
                const Cover& cover = covers[i];
                T* result = out + p * g.height * g.width + part.origin;
                const index_t depth = static_cast<index_t>(part.seen.size()), count = part.right->count, step = g.stride[1];
                for (index_t t = 0; t < depth; ++t) weights[static_cast<size_t>(t)] = weight[p % g.channels * g.depth() + part.weights[static_cast<size_t>(t)]];
                loops<T>().correlate_plane(memory.get(), cover.from.data(), cover.vectors(), part.seen.data(), weights.data(), depth, T(0),
                                           rows, cover.to.data());
                for (index_t r = 0; r < part.down->count; ++r)
                    for (index_t c = 0; c < count; ++c) result[r * g.stride[0] * g.width + c * step] = rows[r * cover.pitch + c];
            }
        }
    });
}

// False where a sum is no number: a zero behind a row's end may have met an infinity, which the twin does not multiply.
template <class T>
bool single_backward_weight(const Geometry& g, const T* grad, const T* x, T* out) {
    const Frame f = input_frame(g);
    const Cover cover = cover_rows(g.out_height, g.out_width, (g.rows == 1 ? 1 : g.stride[0]) * f.pitch(), loops<T>().lanes);
    const Indices taps = input_taps(g, f);
    const bool direct = cover.pitch == g.out_width;
    std::vector<double> totals(static_cast<size_t>(g.channels * g.depth()), 0.0);
    parallel_for(g.channels, g.images * (g.places() * g.depth() / 2 + f.plane()), [&](index_t begin, index_t end) {
        const std::unique_ptr<T[]> memory = plane_memory<T>(f, cover.size());
        T* rows = memory.get() + f.plane() + loops<T>().lanes;
        for (index_t c = begin; c < end; ++c)
            for (index_t n = 0; n < g.images; ++n) {
                const index_t p = n * g.channels + c;
                const T* slopes = grad + p * g.places();
                frame_plane(x + p * g.height * g.width, g.height, g.width, f, memory.get());
                for (index_t r = 0; !direct && r < g.out_height; ++r)
                    std::memcpy(rows + r * cover.pitch, slopes + r * g.out_width, static_cast<size_t>(g.out_width) * sizeof(T));
                loops<T>().plane_products(direct ? slopes : rows, cover.to.data(), memory.get(), cover.from.data(), cover.vectors(),
                                          taps.data(), g.depth(), totals.data() + c * g.depth());
            }
    });
    bool numbers = true;
    for (size_t i = 0; i < totals.size(); ++i) {
        numbers = numbers && totals[i] == totals[i];
        out[i] = static_cast<T>(totals[i]);
    }
    return numbers;
}

}  // namespace wengert
