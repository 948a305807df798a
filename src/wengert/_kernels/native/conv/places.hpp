// The places that a convolution's packed products compute: where the kernels see them in framed images, and where
// results go. No Python here.
#pragma once

#include "conv/core.hpp"
#include "conv/input.hpp"
#include "linalg/packed.hpp"

namespace wengert {

// Planes, rows and columns of places: how many, and the steps from one to the next in a frame and in what is made.
struct Lattice {
    index_t count[axes], seen[axes], made[axes];

    // From the first place of a plane to its last, in a frame.
    index_t span() const { return (count[1] - 1) * seen[1] + count[2]; }
};
inline Lattice forward_lattice(const Geometry& g, const VolumeFrame& f) {
    return {{g.out[0], g.out[1], g.out[2]}, {plane_step(g, f), row_step(g, f), 1}, {g.area(), g.out[2], 1}};
}
inline Lattice backward_lattice(const Geometry& g, const VolumeFrame& f, const Part& part) {
    return {{part.along[0]->count, part.along[1]->count, part.columns()},
            {f.plane.plane(), f.plane.pitch(), 1},
            {g.stride[0] * g.size[1] * g.size[2], g.stride[1] * g.size[2], g.stride[2]}};
}

// Whether `rows` rows of results cost less if planes are computed whole, with what lies between two rows of places:
// vectors are then read where they lie, while rows that fill none are packed run by run. In multiplications of vectors.
inline bool worth_whole_planes(const Lattice& l, index_t rows, index_t lanes) {
    if (l.seen[1] == l.count[2] || l.count[2] % lanes == 0 || l.span() < lanes) return false;
    constexpr index_t packed_run = 5;
    const index_t places = l.count[1] * l.count[2], runs = 2 * lanes / l.count[2] + 1;
    return pieces_of(l.span(), lanes) * lanes * rows < places * (rows + packed_run * runs);
}

struct Places {
    Indices seen, made;  // the columns of a product's right factor, and of its target
    index_t each;        // of an image

    // Of images that are steps apart. Whole planes are vectors of `lanes` neighbours, otherwise (`lanes` 0) there are
    // only places.
    Places(const Lattice& l, index_t lanes, index_t images, index_t seen_step, index_t made_step) {
        for (index_t plane = 0; plane < l.count[0]; ++plane)
            if (lanes)
                add_vectors(l, plane * l.seen[0], plane * l.made[0], lanes);
            else
                add_places(l, plane * l.seen[0], plane * l.made[0]);
        each = static_cast<index_t>(seen.size());
        seen.resize(static_cast<size_t>(images * each)), made.resize(static_cast<size_t>(images * each));
        for (index_t n = 1; n < images; ++n)
            for (index_t i = 0; i < each; ++i) {
                seen[static_cast<size_t>(n * each + i)] = seen[static_cast<size_t>(i)] + n * seen_step;
                const index_t to = made[static_cast<size_t>(i)];
                made[static_cast<size_t>(n * each + i)] = to == nowhere ? nowhere : to + n * made_step;
            }
    }

private:
    void add(index_t from, index_t to) { seen.push_back(from), made.push_back(to); }
    void add_places(const Lattice& l, index_t from, index_t to) {
        for (index_t r = 0; r < l.count[1]; ++r)
            for (index_t c = 0; c < l.count[2]; ++c) add(from + r * l.seen[1] + c, to + r * l.made[1] + c * l.made[2]);
    }
    // The last vector ends at the last place, and does again some of what the one before did.
    void add_vectors(const Lattice& l, index_t from, index_t to, index_t lanes) {
        const index_t span = l.span();
        for (index_t done = 0; done < span;) {
            const index_t begin = done + lanes <= span ? done : span - lanes;
            for (index_t i = begin; i < begin + lanes; ++i) {
                const index_t r = i / l.seen[1], c = i % l.seen[1];
                add(from + i, i >= done && c < l.count[2] ? to + r * l.made[1] + c * l.made[2] : nowhere);
            }
            done = begin + lanes;
        }
    }
};

// Those for a left factor of `rows` panels.
template <class T>
Places places_of(const Lattice& l, const RowPanels<T>& rows, index_t images, index_t seen_step, index_t made_step) {
    const index_t lanes = loops<T>().lanes;
    const bool whole = rows.panels() <= few_panels && worth_whole_planes(l, rows.rows(), lanes);
    return Places(l, whole ? lanes : 0, images, seen_step, made_step);
}

}  // namespace wengert
