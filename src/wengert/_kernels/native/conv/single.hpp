// Convolutions whose every channel has one kernel of its own (depthwise): channel by channel, by vectors of places. No
// Python here.
#pragma once

#include "conv/geometry.hpp"

namespace wengert {

// A framed volume, and behind it rows of whole vectors.
template <class T> struct FramedRows {
    FramedRows(const VolumeFrame& frame, index_t rows_size)
        : memory(new T[static_cast<size_t>(frame.volume() + loops<T>().lanes + rows_size)]()),
          volume(memory.get()),
          rows(volume + frame.volume() + loops<T>().lanes) {}
    std::unique_ptr<T[]> memory;
    T *volume, *rows;
};

template <class T> void single_forward(const Geometry& g, const T* x, const T* weight, const T* bias, T* out) {
    const VolumeFrame f = input_frame(g);
    const Cover cover = cover_rows(input_rows(g, f), g.out[2], loops<T>().lanes);
    const Indices taps = input_taps(g, f);
    const bool direct = cover.pitch == g.out[2];
    parallel_for(g.images * g.channels, g.positions() * g.terms() / 2 + f.volume(), [&](index_t begin, index_t end) {
        const FramedRows<T> framed(f, cover.size());
        for (index_t p = begin; p < end; ++p) {
            const index_t c = p % g.channels;
            T *result = out + p * g.positions(), *target = direct ? result : framed.rows;
            frame_volume(x + p * g.volume(), g.size, f, framed.volume);
            loops<T>().correlate_plane(framed.volume, cover.from.data(), cover.vectors(), taps.data(),
                                       weight + c * g.terms(), g.terms(), bias ? bias[c] : T(0), target,
                                       cover.to.data());
            for (index_t r = 0; !direct && r < cover.rows; ++r)
                std::memcpy(result + r * g.out[2], framed.rows + r * cover.pitch,
                            static_cast<size_t>(g.out[2]) * sizeof(T));
        }
    });
}

template <class T> void single_backward_input(const Geometry& g, const T* grad, const T* weight, T* out) {
    const Parts parts(g);
    const VolumeFrame& f = parts.frame;
    std::vector<Cover> covers;
    std::vector<Indices> rows;
    for (const Part& part : parts.list) {
        covers.push_back(cover_rows(parts.framed_rows(part), part.columns(), loops<T>().lanes));
        rows.push_back(parts.result_rows(g, part));
    }
    parallel_for(g.images * g.channels, g.positions() * g.terms() / 2 + f.volume(), [&](index_t begin, index_t end) {
        const FramedRows<T> framed(f, covers[0].size());  // no part is larger than the first
        std::vector<T> weights(static_cast<size_t>(g.terms()));
        for (index_t p = begin; p < end; ++p) {
            frame_volume(grad + p * g.positions(), g.out, f, framed.volume);
            for (size_t i = 0; i < covers.size(); ++i) {
                const Part& part = parts.list[i];
                const Cover& cover = covers[i];
                const index_t depth = static_cast<index_t>(part.grads.size()), count = part.columns(),
                              step = g.stride[2];
                for (index_t t = 0; t < depth; ++t)
                    weights[static_cast<size_t>(t)] =
                        weight[p % g.channels * g.terms() + part.weights[static_cast<size_t>(t)]];
                loops<T>().correlate_plane(framed.volume, cover.from.data(), cover.vectors(), part.grads.data(),
                                           weights.data(), depth, T(0), framed.rows, cover.to.data());
                for (index_t r = 0; r < cover.rows; ++r) {
                    T* result = out + p * g.volume() + part.origin + rows[i][static_cast<size_t>(r)];
                    for (index_t c = 0; c < count; ++c) result[c * step] = framed.rows[r * cover.pitch + c];
                }
            }
        }
    });
}

// False if a sum is NaN: a zero behind the end of a row may have been multiplied by an infinity that the twin does not
// read.
template <class T> bool single_backward_weight(const Geometry& g, const T* grad, const T* x, T* out) {
    const VolumeFrame f = input_frame(g);
    const Cover cover = cover_rows(input_rows(g, f), g.out[2], loops<T>().lanes);
    const Indices taps = input_taps(g, f);
    const bool direct = cover.pitch == g.out[2];
    std::vector<double> totals(static_cast<size_t>(g.channels * g.terms()), 0.0);
    parallel_for(g.channels, g.images * (g.positions() * g.terms() / 2 + f.volume()), [&](index_t begin, index_t end) {
        const FramedRows<T> framed(f, cover.size());
        for (index_t c = begin; c < end; ++c)
            for (index_t n = 0; n < g.images; ++n) {
                const index_t p = n * g.channels + c;
                const T* grads = grad + p * g.positions();
                frame_volume(x + p * g.volume(), g.size, f, framed.volume);
                for (index_t r = 0; !direct && r < cover.rows; ++r)
                    std::memcpy(framed.rows + r * cover.pitch, grads + r * g.out[2],
                                static_cast<size_t>(g.out[2]) * sizeof(T));
                loops<T>().plane_products(direct ? grads : framed.rows, cover.to.data(), framed.volume,
                                          cover.from.data(), cover.vectors(), taps.data(), g.terms(),
                                          totals.data() + c * g.terms());
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
