// Convolution and its gradients as products of matrices that nobody writes down (`linalg/packed.hpp`): what the kernels
// see at each place is read where it lies in framed images. No Python here.
#pragma once

#include <cstring>

#include "conv/places.hpp"
#include "conv/lying.hpp"

namespace wengert {

template <class T> void forward_panels(const Geometry& g, const T* x, const T* weight, const T* bias, T* out) {
    const index_t outputs = g.group_kernels(), terms = g.terms(), places = g.places();
    Framed<T> seen = framed_images<T>(input_frame(g), g.images, g.channels, g.size, places);
    const Places at = places_of(forward_lattice(g, seen.frame), RowPanels<T>(outputs), seen.images, seen.image_size(),
                                g.kernels * places);
    const Indices taps = input_taps(g, seen.frame);
    const Indices along = grid(1, 0, 1, 0, terms, 1), across = grid(1, 0, 1, 0, outputs, terms);
    const bool lying = worth_lying<T>(outputs, g.images * at.each);
    std::vector<Packed<T>> kernels;
    for (index_t group = 0; !lying && group < g.groups; ++group) {
        kernels.emplace_back(outputs, terms);
        kernels.back().fill({weight + group * outputs * terms, along.data(), across.data(), outputs * terms});
    }
    for (index_t first = 0; first < g.images; first += seen.images) {
        const index_t images = g.images - first < seen.images ? g.images - first : seen.images;
        seen.fill(x + first * g.channels * g.volume(), images);
        for (index_t group = 0; group < g.groups; ++group) {
            const index_t skipped = group * g.group_channels * seen.frame.volume();
            const Spread<T> input = {seen.data + skipped, taps.data(), at.seen.data(), seen.size(images) - skipped};
            T* results = out + (first * g.kernels + group * outputs) * places;
            const Target<T> target = {results, places, at.made.data(), bias ? bias + group * outputs : nullptr, false};
            if (lying)
                multiply_lying({weight + group * outputs * terms, along.data(), across.data(), outputs * terms},
                               outputs, terms, input, images * at.each, target);
            else
                multiply_packed(kernels[static_cast<size_t>(group)], input, images * at.each, target);
        }
    }
}

template <class T> void backward_input_panels(const Geometry& g, const T* grad, const T* weight, T* out) {
    const Parts parts(g);
    const index_t outputs = g.group_kernels(), inputs = g.group_channels, volume = g.volume();
    Framed<T> seen = framed_images<T>(parts.frame, g.images, g.kernels, g.out, volume);
    const Indices across = grid(1, 0, 1, 0, inputs, g.elements());
    if (!parts.all_reached()) std::memset(out, 0, static_cast<size_t>(g.images * g.channels * volume) * sizeof(T));
    const bool lying = worth_lying<T>(inputs, g.images * volume);
    const auto kernels_of = [&](const Part& part, index_t group) {
        const index_t skipped = group * outputs * g.terms();
        return Spread<T>{weight + skipped, part.weights.data(), across.data(), g.kernels * g.terms() - skipped};
    };
    std::vector<Packed<T>> kernels;
    for (const Part& part : parts.each)
        for (index_t group = 0; !lying && group < g.groups; ++group) {
            kernels.emplace_back(inputs, part.depth());
            kernels.back().fill(kernels_of(part, group));
        }
    for (index_t first = 0; first < g.images; first += seen.images) {
        const index_t images = g.images - first < seen.images ? g.images - first : seen.images;
        seen.fill(grad + first * g.kernels * g.places(), images);
        auto packed = kernels.begin();
        for (const Part& part : parts.each) {
            const Lattice lattice = backward_lattice(g, parts.frame, part);
            const Places at = places_of(lattice, RowPanels<T>(inputs), images, seen.image_size(), g.channels * volume);
            for (index_t group = 0; group < g.groups; ++group) {
                const index_t skipped = group * outputs * seen.frame.volume();
                const Spread<T> slopes = {seen.data + skipped, part.seen.data(), at.seen.data(),
                                          seen.size(images) - skipped};
                T* results = out + (first * g.channels + group * inputs) * volume + part.origin;
                const Target<T> target = {results, volume, at.made.data(), nullptr, false};
                if (lying)
                    multiply_lying(kernels_of(part, group), inputs, part.depth(), slopes, images * at.each, target);
                else
                    multiply_packed(*packed++, slopes, images * at.each, target);
            }
        }
    }
}

template <class T> void backward_weight_panels(const Geometry& g, const T* grad, const T* x, T* out) {
    const index_t outputs = g.group_kernels(), terms = g.terms(), places = g.places();
    Framed<T> seen = framed_images<T>(input_frame(g), g.images, g.channels, g.size, places);
    const Indices at = Places(forward_lattice(g, seen.frame), 0, seen.images, seen.image_size(), 0).seen,
                  taps = input_taps(g, seen.frame);
    const Indices along = grid(seen.images, g.kernels * places, 1, 0, places, 1),
                  across = grid(1, 0, 1, 0, outputs, places);
    const Indices to = grid(1, 0, 1, 0, terms, 1);
    for (index_t first = 0; first < g.images; first += seen.images) {
        const index_t images = g.images - first < seen.images ? g.images - first : seen.images;
        seen.fill(x + first * g.channels * g.volume(), images);
        Packed<T> slopes(outputs, images * places);
        for (index_t group = 0; group < g.groups; ++group) {
            const index_t skipped = group * g.group_channels * seen.frame.volume();
            const index_t before = (first * g.kernels + group * outputs) * places;
            slopes.fill({grad + before, along.data(), across.data(), g.images * g.kernels * places - before});
            const Spread<T> input = {seen.data + skipped, at.data(), taps.data(), seen.size(images) - skipped};
            multiply_packed(slopes, input, terms,
                            {out + group * outputs * terms, terms, to.data(), nullptr, first > 0});
        }
    }
}

}  // namespace wengert
