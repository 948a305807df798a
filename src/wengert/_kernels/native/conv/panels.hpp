// Convolution and its gradients as matrix products without im2col (`linalg/packed.hpp`): the elements that the kernels
// meet at each position are read from framed images. No Python here.
#pragma once

#include <cstring>

#include "conv/geometry.hpp"
#include "conv/unpacked.hpp"
#include "linalg/packed.hpp"

namespace wengert {

// ---- the positions that a product computes --------------------------------------------------------------------------
// Planes, rows and columns of positions: their numbers, and the steps between them in a frame and in the result.
struct Lattice {
    index_t count[axes], source[axes], target[axes];

    // From the first place of a plane to its last, in a frame.
    index_t span() const { return (count[1] - 1) * source[1] + count[2]; }
};
inline Lattice forward_lattice(const Geometry& g, const VolumeFrame& f) {
    return {{g.out[0], g.out[1], g.out[2]}, {plane_step(g, f), row_step(g, f), 1}, {g.area(), g.out[2], 1}};
}
inline Lattice backward_lattice(const Geometry& g, const VolumeFrame& f, const Part& part) {
    return {{part.along[0]->count, part.along[1]->count, part.columns()},
            {f.plane.plane(), f.plane.pitch(), 1},
            {g.stride[0] * g.size[1] * g.size[2], g.stride[1] * g.size[2], g.stride[2]}};
}

// Whether `rows` rows of results cost less if whole planes are computed, including the elements between two rows of
// positions: vectors are then read without packing, while rows shorter than a vector are packed run by run. Costs are
// in multiplications of vectors.
inline bool worth_whole_planes(const Lattice& l, index_t rows, index_t lanes) {
    if (l.source[1] == l.count[2] || l.count[2] % lanes == 0 || l.span() < lanes) return false;
    constexpr index_t packed_run = 5;
    const index_t positions = l.count[1] * l.count[2], runs = 2 * lanes / l.count[2] + 1;
    return pieces_of(l.span(), lanes) * lanes * rows < positions * (rows + packed_run * runs);
}

struct ProductPositions {
    Indices source, target;  // the columns of a product's right factor, and of its target
    index_t per_image;       // of an image

    // For images with the given steps. Whole planes are covered by vectors of `lanes` neighbours; with `lanes` 0 only
    // the positions themselves are listed.
    ProductPositions(const Lattice& l, index_t lanes, index_t images, index_t source_step, index_t target_step) {
        for (index_t plane = 0; plane < l.count[0]; ++plane)
            if (lanes)
                add_vectors(l, plane * l.source[0], plane * l.target[0], lanes);
            else
                add_positions(l, plane * l.source[0], plane * l.target[0]);
        per_image = static_cast<index_t>(source.size());
        source.resize(static_cast<size_t>(images * per_image)), target.resize(static_cast<size_t>(images * per_image));
        for (index_t n = 1; n < images; ++n)
            for (index_t i = 0; i < per_image; ++i) {
                source[static_cast<size_t>(n * per_image + i)] = source[static_cast<size_t>(i)] + n * source_step;
                const index_t to = target[static_cast<size_t>(i)];
                target[static_cast<size_t>(n * per_image + i)] = to == nowhere ? nowhere : to + n * target_step;
            }
    }

private:
    void add(index_t from, index_t to) { source.push_back(from), target.push_back(to); }
    void add_positions(const Lattice& l, index_t from, index_t to) {
        for (index_t r = 0; r < l.count[1]; ++r)
            for (index_t c = 0; c < l.count[2]; ++c)
                add(from + r * l.source[1] + c, to + r * l.target[1] + c * l.target[2]);
    }
    // The last vector ends at the last position and may overlap the one before.
    void add_vectors(const Lattice& l, index_t from, index_t to, index_t lanes) {
        const index_t span = l.span();
        for (index_t done = 0; done < span;) {
            const index_t begin = done + lanes <= span ? done : span - lanes;
            for (index_t i = begin; i < begin + lanes; ++i) {
                const index_t r = i / l.source[1], c = i % l.source[1];
                add(from + i, i >= done && c < l.count[2] ? to + r * l.target[1] + c * l.target[2] : nowhere);
            }
            done = begin + lanes;
        }
    }
};

// Those for a left factor of `rows` panels.
template <class T>
ProductPositions positions_of(const Lattice& l, const RowPanels<T>& rows, index_t images, index_t source_step,
                              index_t target_step) {
    const index_t lanes = loops<T>().lanes;
    const bool whole_planes = rows.panels() <= few_panels && worth_whole_planes(l, rows.rows(), lanes);
    return ProductPositions(l, whole_planes ? lanes : 0, images, source_step, target_step);
}

// ---- the products ---------------------------------------------------------------------------------------------------
template <class T> void forward_panels(const Geometry& g, const T* x, const T* weight, const T* bias, T* out) {
    const index_t outputs = g.group_kernels(), terms = g.terms(), positions = g.positions();
    Framed<T> frames = framed_images<T>(input_frame(g), g.images, g.channels, g.size, positions);
    const ProductPositions at = positions_of(forward_lattice(g, frames.frame), RowPanels<T>(outputs), frames.images,
                                             frames.image_size(), g.kernels * positions);
    const Indices taps = input_taps(g, frames.frame);
    const Indices along = grid(1, 0, 1, 0, terms, 1), across = grid(1, 0, 1, 0, outputs, terms);
    const bool unpacked = worth_unpacked<T>(outputs, g.images * at.per_image);
    std::vector<Packed<T>> kernels;
    for (index_t group = 0; !unpacked && group < g.groups; ++group) {
        kernels.emplace_back(outputs, terms);
        kernels.back().fill({weight + group * outputs * terms, along.data(), across.data(), outputs * terms});
    }
    for (index_t first = 0; first < g.images; first += frames.images) {
        const index_t images = g.images - first < frames.images ? g.images - first : frames.images;
        frames.fill(x + first * g.channels * g.volume(), images);
        for (index_t group = 0; group < g.groups; ++group) {
            const index_t skipped = group * g.group_channels * frames.frame.volume();
            const Spread<T> input = {frames.data + skipped, taps.data(), at.source.data(),
                                     frames.size(images) - skipped};
            T* results = out + (first * g.kernels + group * outputs) * positions;
            const Target<T> target = {results, positions, at.target.data(), bias ? bias + group * outputs : nullptr,
                                      false};
            if (unpacked)
                multiply_unpacked({weight + group * outputs * terms, along.data(), across.data(), outputs * terms},
                                  outputs, terms, input, images * at.per_image, target);
            else
                multiply_packed(kernels[static_cast<size_t>(group)], input, images * at.per_image, target);
        }
    }
}

template <class T> void backward_input_panels(const Geometry& g, const T* grad, const T* weight, T* out) {
    const Parts parts(g);
    const index_t outputs = g.group_kernels(), inputs = g.group_channels, volume = g.volume();
    Framed<T> frames = framed_images<T>(parts.frame, g.images, g.kernels, g.out, volume);
    const Indices across = grid(1, 0, 1, 0, inputs, g.elements());
    if (!parts.all_reached()) std::memset(out, 0, static_cast<size_t>(g.images * g.channels * volume) * sizeof(T));
    const bool unpacked = worth_unpacked<T>(inputs, g.images * volume);
    const auto kernels_of = [&](const Part& part, index_t group) {
        const index_t skipped = group * outputs * g.terms();
        return Spread<T>{weight + skipped, part.weights.data(), across.data(), g.kernels * g.terms() - skipped};
    };
    std::vector<Packed<T>> kernels;
    for (const Part& part : parts.list)
        for (index_t group = 0; !unpacked && group < g.groups; ++group) {
            kernels.emplace_back(inputs, part.depth());
            kernels.back().fill(kernels_of(part, group));
        }
    for (index_t first = 0; first < g.images; first += frames.images) {
        const index_t images = g.images - first < frames.images ? g.images - first : frames.images;
        frames.fill(grad + first * g.kernels * g.positions(), images);
        auto packed = kernels.begin();
        for (const Part& part : parts.list) {
            const Lattice lattice = backward_lattice(g, parts.frame, part);
            const ProductPositions at =
                positions_of(lattice, RowPanels<T>(inputs), images, frames.image_size(), g.channels * volume);
            for (index_t group = 0; group < g.groups; ++group) {
                const index_t skipped = group * outputs * frames.frame.volume();
                const Spread<T> grads = {frames.data + skipped, part.grads.data(), at.source.data(),
                                         frames.size(images) - skipped};
                T* results = out + (first * g.channels + group * inputs) * volume + part.origin;
                const Target<T> target = {results, volume, at.target.data(), nullptr, false};
                if (unpacked)
                    multiply_unpacked(kernels_of(part, group), inputs, part.depth(), grads, images * at.per_image,
                                      target);
                else
                    multiply_packed(*packed++, grads, images * at.per_image, target);
            }
        }
    }
}

template <class T> void backward_weight_panels(const Geometry& g, const T* grad, const T* x, T* out) {
    const index_t outputs = g.group_kernels(), terms = g.terms(), positions = g.positions();
    Framed<T> frames = framed_images<T>(input_frame(g), g.images, g.channels, g.size, positions);
    const Indices at = ProductPositions(forward_lattice(g, frames.frame), 0, frames.images, frames.image_size(), 0)
                           .source,
                  taps = input_taps(g, frames.frame);
    const Indices along = grid(frames.images, g.kernels * positions, 1, 0, positions, 1),
                  across = grid(1, 0, 1, 0, outputs, positions);
    const Indices to = grid(1, 0, 1, 0, terms, 1);
    for (index_t first = 0; first < g.images; first += frames.images) {
        const index_t images = g.images - first < frames.images ? g.images - first : frames.images;
        frames.fill(x + first * g.channels * g.volume(), images);
        Packed<T> packed_grads(outputs, images * positions);
        for (index_t group = 0; group < g.groups; ++group) {
            const index_t skipped = group * g.group_channels * frames.frame.volume();
            const index_t before = (first * g.kernels + group * outputs) * positions;
            packed_grads.fill({grad + before, along.data(), across.data(), g.images * g.kernels * positions - before});
            const Spread<T> input = {frames.data + skipped, at.data(), taps.data(), frames.size(images) - skipped};
            multiply_packed(packed_grads, input, terms,
                            {out + group * outputs * terms, terms, to.data(), nullptr, first > 0});
        }
    }
}

}  // namespace wengert
