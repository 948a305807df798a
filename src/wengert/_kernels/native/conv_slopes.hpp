// The gradient of kernels as a product whose left factor is not packed: what each element of a kernel saw, place by place, is read where
// it lies in framed images. Slopes are its right factor, by vectors of kernels; so they alone are packed, once. No Python here.
#pragma once

#include <algorithm>

#include "conv_places.hpp"

namespace wengert {

// Whether kernels fill half a vector, and there are places enough that what is packed less is more than what is turned round at the end:
// an element for each kernel and each of its elements.
template <class T>
bool worth_kernel_tiles(const Geometry& g) {
    constexpr index_t least_places = 2;  // for each kernel
    return g.group_kernels() * 2 >= loops<T>().lanes && g.images * g.places() >= least_places * g.group_kernels();
}

// The slopes of some images, (places, kernels) for each group, block by block of the places, in panels of two vectors of kernels; the
// last panel of a group may have one. Lanes for which there is no kernel hold the last one's.
template <class T>
class SlopePanels {
public:
    SlopePanels(const Geometry& g, index_t images)
        : g_(g), lanes_(loops<T>().lanes), vectors_(pieces_of(g.group_kernels(), lanes_)), room_(images * g.places()),
          from_(grid(images, g.kernels * g.places(), 1, 0, g.places(), 1)), memory_(scratch<T>(room_ * g.groups * vectors_ * lanes_)) {}
    index_t panels() const { return pieces_of(vectors_, 2); }  // of a group
    index_t vectors(index_t p) const { return vectors_ - 2 * p < 2 ? 1 : 2; }
    // Panel `p` of a group, from place `k` on, where a block begins.
    T* panel(index_t group, index_t p, index_t k) const {
        const index_t depth = std::min(packed_depth, room_ - k);
        return memory_.get() + (group * room_ * vectors_ + k * vectors_ + 2 * p * depth) * lanes_;
    }
    void fill(const T* grad, index_t images) {
        const index_t blocks = pieces_of(room_, packed_depth), places = images * g_.places();
        parallel_for(g_.groups * blocks * panels(), packed_depth * 4 * lanes_, [&](index_t first, index_t last) {
            for (index_t item = first; item < last; ++item) {
                const index_t k = item / panels() % blocks * packed_depth;
                if (k < places) fill_panel(grad, item / panels() / blocks, item % panels(), k, std::min(packed_depth, places - k));
            }
        });
    }

private:
    void fill_panel(const T* grad, index_t group, index_t p, index_t k, index_t depth) const {
        index_t columns[Panel::most_columns];
        for (index_t j = 0; j < vectors(p) * lanes_; ++j) {
            const index_t kernel = 2 * p * lanes_ + j;
            columns[j] = (group * g_.group_kernels() + std::min(kernel, g_.group_kernels() - 1)) * g_.places();
        }
        if (vectors(p) == 2)
            loops<T>().pack_columns(grad, from_.data() + k, depth, columns, nullptr, 0, panel(group, p, k));
        else
            loops<T>().pack_vector(grad, from_.data() + k, depth, columns, panel(group, p, k));
    }
    const Geometry& g_;
    index_t lanes_, vectors_, room_;
    Indices from_;
    Scratch<T> memory_;
};

// The sums: tiles of `packed_rows` elements of kernels and of a panel of kernels, panel by panel.
template <class T>
class KernelTiles {
public:
    KernelTiles(const Geometry& g, const SlopePanels<T>& slopes, const VolumeFrame& frame)
        : g_(g), slopes_(slopes), height_(loops<T>().packed_rows), rows_(pieces_of(g.terms(), height_)), taps_(input_taps(g, frame)),
          group_size_(g.group_channels * frame.volume()), sums_(scratch<T>(count() * size())) {
        taps_.resize(static_cast<size_t>(rows_ * height_), taps_.back());
    }
    index_t count() const { return g_.groups * slopes_.panels() * rows_; }
    index_t size() const { return height_ * 2 * loops<T>().lanes; }
    // Adds what `places` places give to tiles [begin, end), or begins them with it.
    void run(const T* seen, const Indices& at, index_t places, bool add, index_t begin, index_t end) {
        for (index_t k = 0; k < places; k += packed_depth)
            for (index_t tile = begin; tile < end; ++tile) {
                const index_t p = tile / rows_ % slopes_.panels(), group = tile / rows_ / slopes_.panels();
                const index_t *rows = at.data() + k, *columns = taps_.data() + tile % rows_ * height_;
                loops<T>().lying_tile[slopes_.vectors(p) - 1](seen + group * group_size_, rows, columns, slopes_.panel(group, p, k),
                                                              std::min(packed_depth, places - k), sums_.get() + tile * size(), add || k > 0);
            }
    }
    void write(T* out, index_t begin, index_t end) const {
        for (index_t tile = begin; tile < end; ++tile) {
            const index_t p = tile / rows_ % slopes_.panels(), group = tile / rows_ / slopes_.panels(), term = tile % rows_ * height_;
            const index_t width = slopes_.vectors(p) * loops<T>().lanes, kernel = p * 2 * loops<T>().lanes;
            const index_t terms = std::min(height_, g_.terms() - term), kernels = std::min(width, g_.group_kernels() - kernel);
            T* to = out + (group * g_.group_kernels() + kernel) * g_.terms() + term;
            loops<T>().turn_matrix(sums_.get() + tile * size(), width, terms, kernels, to, g_.terms());
        }
    }

private:
    const Geometry& g_;
    const SlopePanels<T>& slopes_;
    index_t height_, rows_;
    Indices taps_;
    index_t group_size_;
    Scratch<T> sums_;
};

template <class T>
void backward_weight_tiles(const Geometry& g, const T* grad, const T* x, T* out) {
    Framed<T> seen = framed_images<T>(input_frame(g), g.images, g.channels, g.size, g.places());
    const Indices at = Places(forward_lattice(g, seen.frame), 0, seen.images, seen.image_size(), 0).seen;
    SlopePanels<T> slopes(g, seen.images);
    KernelTiles<T> tiles(g, slopes, seen.frame);
    for (index_t first = 0; first < g.images; first += seen.images) {
        const index_t images = std::min(seen.images, g.images - first);
        seen.fill(x + first * g.channels * g.volume(), images);
        slopes.fill(grad + first * g.kernels * g.places(), images);
        parallel_for(tiles.count(), (Size(images) * g.places() * 2 * loops<T>().lanes).value_or_most(), [&](index_t begin, index_t end) {
            tiles.run(seen.data, at, images * g.places(), first > 0, begin, end);
        });
    }
    parallel_for(tiles.count(), tiles.size(), [&](index_t begin, index_t end) { tiles.write(out, begin, end); });
}

}  // namespace wengert
