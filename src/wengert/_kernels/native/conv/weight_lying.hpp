// The gradient of kernels as a product whose left factor is not packed: what each element of a kernel saw, place by
// place, is read where it lies in framed images (`conv/lying.hpp`). Slopes are its right factor, by vectors of kernels.
// No Python here.
#pragma once

#include <algorithm>

#include "conv/places.hpp"
#include "conv/lying.hpp"

namespace wengert {

// Whether kernels fill half a vector, and there are places enough that what is packed less is more than what is turned
// round at the end: an element for each kernel and each of its elements.
template <class T> bool worth_kernel_tiles(const Geometry& g) {
    constexpr index_t least_places = 2;  // for each kernel
    return g.group_kernels() * 2 >= loops<T>().lanes && g.images * g.places() >= least_places * g.group_kernels();
}

template <class T> void backward_weight_tiles(const Geometry& g, const T* grad, const T* x, T* out) {
    const index_t outputs = g.group_kernels(), terms = g.terms(), places = g.places();
    Framed<T> seen = framed_images<T>(input_frame(g), g.images, g.channels, g.size, places);
    const Indices at = Places(forward_lattice(g, seen.frame), 0, seen.images, seen.image_size(), 0).seen;
    const Indices along = grid(seen.images, g.kernels * places, 1, 0, places, 1),
                  across = grid(1, 0, 1, 0, outputs, places);
    RightPanels<T> slopes(g.groups, seen.images * places, outputs);
    LyingTiles<T> tiles(slopes, input_taps(g, seen.frame));
    for (index_t first = 0; first < g.images; first += seen.images) {
        const index_t images = std::min(seen.images, g.images - first), before = first * g.kernels * places;
        seen.fill(x + first * g.channels * g.volume(), images);
        slopes.fill({grad + before, along.data(), across.data(), g.images * g.kernels * places - before},
                    outputs * places, images * places);
        tiles.run(seen.data, at.data(), g.group_channels * seen.frame.volume(), images * places, first > 0);
    }
    tiles.each([&](index_t group, index_t term, index_t count, index_t panel, const T* sums) {
        const index_t lanes = loops<T>().lanes, width = slopes.vectors(panel) * lanes, kernel = panel * 2 * lanes;
        T* to = out + (group * outputs + kernel) * terms + term;
        loops<T>().turn_matrix(sums, width, count, std::min(width, outputs - kernel), to, terms);
    });
}

}  // namespace wengert
