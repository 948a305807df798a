// Planes with padding around them, and the offsets at which windows that slide over them read. No Python here.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "base/simd.hpp"

namespace wengert {

using Indices = std::vector<index_t>;

// A plane with padding: `first` rows and columns of padding before it (if negative, so many are left out). Every
// `step[0]`th row is taken. Columns that are `step[1]` apart are stored next to each other, so that vectors read
// neighbours in spite of a stride: `phases` groups of `width` columns.
struct Frame {
    index_t height, width, phases = 1, first[2] = {0, 0}, step[2] = {1, 1};
    index_t pitch() const { return phases * width; }
    index_t plane() const { return height * pitch(); }
    // Whether a plane of this size is its own frame.
    bool is_plain(index_t rows, index_t columns) const {
        return height == rows && width == columns && phases == 1 && !first[0] && !first[1] && step[0] == 1 &&
               step[1] == 1;
    }
};

// Elements `step` apart from x[-first] on, `count` of them; `padding` for those that lie outside of [0, length).
template <class T>
void frame_row(const T* x, index_t length, index_t first, index_t step, index_t count, T* out, T padding) {
    index_t begin = first > 0 ? (first - 1) / step + 1 : 0,
            end = length - 1 + first < 0 ? 0 : (length - 1 + first) / step + 1;
    if (end > count) end = count;
    if (begin > end) begin = end;
    for (index_t c = 0; c < begin; ++c) out[c] = padding;
    if (step == 1)
        std::memcpy(out + begin, x + begin - first, static_cast<size_t>(end - begin) * sizeof(T));
    else if (step == 2)
        loops<T>().take_seconds(x + begin * 2 - first, out + begin, end - begin);
    else
        for (index_t c = begin; c < end; ++c) out[c] = x[c * step - first];
    for (index_t c = end; c < count; ++c) out[c] = padding;
}
template <class T>
void frame_plane(const T* plane, index_t height, index_t width, const Frame& f, T* out, T padding = T(0)) {
    for (index_t i = 0; i < f.height; ++i) {
        const index_t row = i * f.step[0] - f.first[0];
        if (row < 0 || row >= height) {
            for (index_t c = 0; c < f.pitch(); ++c) *out++ = padding;
            continue;
        }
        for (index_t phase = 0; phase < f.phases; ++phase, out += f.width)
            frame_row(plane + row * width, width, f.first[1] - phase, f.step[1], f.width, out, padding);
    }
}

// A volume with padding, likewise: `before` planes of padding before the first plane, every `step`th is taken.
struct VolumeFrame {
    Frame plane;
    index_t depth = 1, before = 0, step = 1;
    index_t volume() const { return depth * plane.plane(); }
    // Whether a volume of this depth, height and width is its own frame.
    bool is_plain(const index_t* size) const {
        return depth == size[0] && !before && step == 1 && plane.is_plain(size[1], size[2]);
    }
};
// Plane `d` of the frame.
template <class T> void frame_slice(const T* volume, const index_t* size, const VolumeFrame& f, index_t d, T* out) {
    const index_t from = d * f.step - f.before;
    if (from < 0 || from >= size[0])
        std::memset(out, 0, static_cast<size_t>(f.plane.plane()) * sizeof(T));
    else
        frame_plane(volume + from * size[1] * size[2], size[1], size[2], f.plane, out);
}
template <class T> void frame_volume(const T* volume, const index_t* size, const VolumeFrame& f, T* out) {
    for (index_t d = 0; d < f.depth; ++d) frame_slice(volume, size, f, d, out + d * f.plane.plane());
}

// The offsets image * image_step + row * row_step + column * column_step, image by image.
inline Indices grid(index_t images, index_t image_step, index_t rows, index_t row_step, index_t columns,
                    index_t column_step) {
    Indices offsets(static_cast<size_t>(images * rows * columns));
    index_t* at = offsets.data();
    for (index_t n = 0; n < images; ++n)
        for (index_t r = 0; r < rows; ++r)
            for (index_t c = 0; c < columns; ++c) *at++ = n * image_step + r * row_step + c * column_step;
    return offsets;
}

// All sums of an element of `outer` and an element of `inner`.
inline Indices sums(const Indices& outer, const Indices& inner) {
    Indices offsets;
    offsets.reserve(outer.size() * inner.size());
    for (const index_t first : outer)
        for (const index_t second : inner) offsets.push_back(first + second);
    return offsets;
}

// Vectors that cover rows of positions: the offset of each in a frame, and in rows of `pitch` elements. The last vector
// of a row may extend beyond its end.
struct Cover {
    Indices from, to;
    index_t pitch, rows;
    index_t size() const { return rows * pitch; }
    index_t vectors() const { return static_cast<index_t>(from.size()); }
};
inline Cover cover_rows(const Indices& rows, index_t columns, index_t lanes) {
    Cover cover = {{}, {}, (columns + lanes - 1) / lanes * lanes, static_cast<index_t>(rows.size())};
    for (index_t r = 0; r < cover.rows; ++r)
        for (index_t c = 0; c < columns; c += lanes) {
            cover.from.push_back(rows[static_cast<size_t>(r)] + c);
            cover.to.push_back(r * cover.pitch + c);
        }
    return cover;
}
inline Cover cover_rows(index_t rows, index_t columns, index_t row_step, index_t lanes) {
    return cover_rows(grid(1, 0, rows, row_step, 1, 0), columns, lanes);
}

template <class T> std::unique_ptr<T[]> plane_memory(const Frame& f, index_t more) {
    return std::unique_ptr<T[]>(new T[static_cast<size_t>(f.plane() + loops<T>().lanes + more)]());
}

}  // namespace wengert
