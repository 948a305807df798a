// Attention block by block, as cards of torch's name have it: softmax(query @ key.T * scale + mask) @ value, with the
// softmax running along the keys. Scores are computed transposed, (keys, a panel of queries): maxima and sums are then
// taken over lanes, and weights have the layout of the next product's factor. For the dispatcher only. Source: Dao, Fu,
// Ermon, Rudra and Ré, FlashAttention (2022); Rabe and Staats, Self-attention does not need O(n^2) memory (2021).
#include "attention/tiles.hpp"
#include "binding/dense.hpp"

namespace wengert {
namespace {

// A new array with the order of dimensions of `like`, without gaps.
PyArrayObject* new_in_order(PyArrayObject* like) {
    for (int i = 0; i < 4; ++i)
        if (PyArray_STRIDE(like, i) <= 0) return new_array(PyArray_DESCR(like), PyArray_NDIM(like), PyArray_DIMS(like));
    if (dense(reinterpret_cast<PyObject*>(like))) return new_dense(like);
    PyArrayObject* result = new_array(PyArray_DESCR(like), PyArray_NDIM(like), PyArray_DIMS(like));
    if (!result) return nullptr;
    int order[4] = {0, 1, 2, 3};
    std::stable_sort(order, order + 4, [=](int a, int b) { return PyArray_STRIDE(like, a) > PyArray_STRIDE(like, b); });
    npy_intp step = PyArray_ITEMSIZE(like);
    for (int i = 3; i >= 0; --i) {
        PyArray_STRIDES(result)[order[i]] = step;
        step *= PyArray_DIM(like, order[i]);
    }
    PyArray_UpdateFlags(result, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
    return result;
}

// Some panels of queries of one head, all keys.
template <class T> class Forward {
public:
    Forward(const Attention<T>& attention, const HeadArray<T>& out, T* logsumexp)
        : a_(attention),
          out_(out),
          logsumexp_(logsumexp),
          width_(width_of_panel<T>()),
          rows_(whole_rows<T>(attention.size)),
          scores_of_(attention),
          sizes_(attention.size, attention.query.step[3]),
          steps_(attention.queries, attention.query.step[2]),
          key_sizes_(attention.size, attention.key.step[3]),
          key_steps_(attention.keys, attention.key.step[2]),
          value_sizes_(attention.size, attention.value.step[3]),
          value_steps_(attention.keys, attention.value.step[2]),
          queries_(memory(query_panels * attention.size)),
          sums_(memory(query_panels * rows_)),
          scores_(memory(whole_rows<T>(key_block))),
          greatest_(memory(query_panels)),
          totals_(memory(query_panels)) {}

    void run(npy_intp batch, npy_intp head, npy_intp first) {
        const npy_intp panels = std::min(query_panels, pieces_of(a_.queries - first, width_)),
                       key_head = a_.key_head(head);
        greatest_.fill(-std::numeric_limits<T>::infinity());
        totals_.fill(0);
        sums_.fill(0);
        for (npy_intp p = 0; p < panels; ++p) pack_query(a_.query.head(batch, head), first, p);
        for (npy_intp key = 0; key < a_.keys; key += key_block) {
            const npy_intp keys = std::min(key_block, a_.keys - key);
            if (scores_of_.visible(first, panels * width_, key, keys) == 0) break;
            Packed<T> left(keys, a_.size), right(a_.size, keys);
            left.fill({a_.key.head(batch, key_head), key_sizes_[0], key_steps_[key], 0}, 0, left.panels());
            right.fill({a_.value.head(batch, key_head), value_steps_[key], value_sizes_[0], 0}, 0, right.panels());
            for (npy_intp p = 0; p < panels; ++p) go_on(left, right, batch, head, first, p, key, keys);
        }
        for (npy_intp p = 0; p < panels; ++p) finish(batch, head, first, p);
    }

private:
    Room<T> memory(npy_intp rows) const { return Room<T>(rows * width_); }
    npy_intp used(npy_intp query) const { return std::min(width_, a_.queries - query); }
    void pack_query(const T* head, npy_intp first, npy_intp p) {
        T* panel = queries_.data() + p * a_.size * width_;
        pack_panel<T>(head, sizes_, a_.size, steps_, first + p * width_, used(first + p * width_), panel);
        loops<T>().binary[MULTIPLY](panel, 1, &a_.scale, 0, panel, a_.size * width_);
    }
    void go_on(const Packed<T>& left, const Packed<T>& right, npy_intp batch, npy_intp head, npy_intp first, npy_intp p,
               npy_intp key, npy_intp keys) {
        const npy_intp query = first + p * width_, visible = scores_of_.visible(query, used(query), key, keys);
        if (visible == 0) return;
        multiply_panel(left, visible, queries_.data() + p * a_.size * width_, a_.size, scores_.data(), false);
        scores_of_.restrict_to(scores_.data(), batch, head, query, used(query), key, visible);
        T factor[Panel::most_columns], *sums = sums_.data() + p * rows_ * width_;
        loops<T>().attention_weigh(scores_.data(), visible, greatest_.data() + p * width_, totals_.data() + p * width_,
                                   factor);
        if (key > 0 && std::any_of(factor, factor + width_, [](T f) { return f != 1; }))
            loops<T>().scale_columns(sums, a_.size, factor);
        multiply_panel(right, a_.size, scores_.data(), visible, sums, true);
    }
    void finish(npy_intp batch, npy_intp head, npy_intp first, npy_intp p) {
        const npy_intp query = first + p * width_;
        T factor[Panel::most_columns], *sums = sums_.data() + p * rows_ * width_;
        for (npy_intp j = 0; j < width_; ++j) {
            const T total = totals_[p * width_ + j], greatest = greatest_[p * width_ + j];
            factor[j] = total == 0 ? T(0) : 1 / total;
            if (j < used(query))
                logsumexp_[(batch * a_.heads + head) * a_.queries + query + j] =
                    total == 0 ? T(0) : greatest + std::log(total);
        }
        loops<T>().scale_columns(sums, a_.size, factor);
        store_transposed<T>(sums, a_.size, used(query), 1, out_.head(batch, head) + query * out_.step[2], out_.step[2],
                            out_.step[3]);
    }
    const Attention<T>& a_;
    const HeadArray<T>& out_;
    T* logsumexp_;
    npy_intp width_, rows_;
    Scores<T> scores_of_;
    Offsets sizes_, steps_, key_sizes_, key_steps_, value_sizes_, value_steps_;
    Room<T> queries_, sums_, scores_, greatest_, totals_;
};

// _scaled_dot_product_flash_attention_for_cpu(query, key, value, dropout_p, is_causal, attn_mask, scale): result and
// logsumexp
template <class T> PyObject* forward(PyObject* const* args) {
    Attention<T> a;
    if (!a.read(args) || !a.read_options(args[3], args[4], args[5], args[6])) return nullptr;
    Owned results[2] = {Owned(new_in_order(reinterpret_cast<PyArrayObject*>(args[0]))),
                        Owned(new_array(descr_of<T>(), 3, a.query.shape))};
    HeadArray<T> out;
    if (!results[0] || !results[1] || !read_heads(reinterpret_cast<PyObject*>(results[0].get()), out)) return nullptr;
    T* logsumexp = data_of<T>(results[1].get());
    const npy_intp block = query_panels * width_of_panel<T>(), blocks = pieces_of(a.queries, block),
                   all = a.batches * a.heads * blocks;
    {
        ReleaseGil unlocked((Size(a.batches) * a.heads * a.work()).value_or_most() >= thread_threshold);
        parallel_for(all, a.work() / blocks, [&](npy_intp first, npy_intp last) {
            Forward<T> worker(a, out, logsumexp);
            for (npy_intp at = first; at < last; ++at)
                worker.run(at / blocks / a.heads, at / blocks % a.heads, at % blocks * block);
        });
    }
    return give_tuple(results, 2);
}

Methods tile_methods({
    WENGERT_ENTRY(attention_in_blocks, "(query, key, value, dropout_p, is_causal, attn_mask, scale)",
                  direct<7, by_element<forward<float>, forward<double>>>),
});

}  // namespace
}  // namespace wengert
