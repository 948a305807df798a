// The gradients of attention, block by block: weights are formed again from the scores and their logsumexp. A thread
// takes all queries of one head of the keys, so that each element is one sum in one order. For the dispatcher only.
// Source: Dao, Fu, Ermon, Rudra and Ré, FlashAttention (2022), algorithm 4.
#include "attention/tiles.hpp"

namespace wengert {
namespace {

// The additional inputs of the backward pass, and its results.
template <class T> struct Gradients {
    HeadArray<T> grad, out, query, key, value;
    const T* logsumexp;
    npy_intp statistics[3];  // steps of logsumexp
};

// One head of keys and values, with all heads of queries that it serves.
template <class T> class Backward {
public:
    Backward(const Attention<T>& attention, const Gradients<T>& gradients)
        : a_(attention),
          s_(gradients),
          width_(width_of_panel<T>()),
          rows_(whole_rows<T>(attention.size)),
          panels_(pieces_of(attention.queries, width_)),
          scores_of_(attention),
          steps_(attention.queries, attention.query.step[2]),
          sizes_(attention.size, attention.query.step[3]),
          key_steps_(attention.keys, attention.key.step[2]),
          key_sizes_(attention.size, attention.key.step[3]),
          value_steps_(attention.keys, attention.value.step[2]),
          value_sizes_(attention.size, attention.value.step[3]),
          grad_steps_(attention.queries, gradients.grad.step[2]),
          grad_sizes_(attention.size, gradients.grad.step[3]),
          along_(width_, 1),
          across_(key_block + width_, width_),
          scaled_(attention.queries * attention.size),
          scaled_steps_(attention.queries, attention.size),
          scaled_sizes_(attention.size, 1),
          queries_(memory(panels_ * a_.size)),
          grads_(memory(panels_ * a_.size)),
          query_sums_(memory(panels_ * rows_)),
          logsumexp_(memory(panels_)),
          inner_(memory(panels_)),
          scores_(memory(whole_rows<T>(key_block) + width_)),
          score_grads_(memory(whole_rows<T>(key_block) + width_)),
          block_weights_(memory(key_panels() * query_panels * width_)),
          block_grads_(memory(key_panels() * query_panels * width_)),
          key_sums_(memory(pieces_of(attention.keys, width_) * rows_)),
          value_sums_(memory(pieces_of(attention.keys, width_) * rows_)) {}

    void run(npy_intp batch, npy_intp key_head) {
        key_sums_.fill(0);
        value_sums_.fill(0);
        const npy_intp group_size = a_.heads / a_.key_heads;
        for (npy_intp head = key_head * group_size; head < (key_head + 1) * group_size; ++head)
            run_head(batch, head, key_head);
        for (npy_intp p = 0; p < pieces_of(a_.keys, width_); ++p) {
            const npy_intp key = p * width_, used = std::min(width_, a_.keys - key);
            store(key_sums_, p, used, T(1), s_.key, s_.key.head(batch, key_head) + key * s_.key.step[2]);
            store(value_sums_, p, used, T(1), s_.value, s_.value.head(batch, key_head) + key * s_.value.step[2]);
        }
    }

private:
    static npy_intp key_panels() { return pieces_of(key_block, width_of_panel<T>()); }
    Room<T> memory(npy_intp rows) const { return Room<T>(rows * width_); }
    npy_intp used(npy_intp query) const { return std::min(width_, a_.queries - query); }
    void store(const Room<T>& sums, npy_intp p, npy_intp used, T scale, const HeadArray<T>& target, T* out) const {
        store_transposed<T>(sums.data() + p * rows_ * width_, a_.size, used, scale, out, target.step[2],
                            target.step[3]);
    }

    void run_head(npy_intp batch, npy_intp head, npy_intp key_head) {
        query_sums_.fill(0);
        prepare(batch, head);
        for (npy_intp key = 0; key < a_.keys; key += key_block) {
            const npy_intp keys = std::min(key_block, a_.keys - key);
            Packed<T> left(keys, a_.size), values(keys, a_.size), keys_transposed(a_.size, keys);
            left.fill({a_.key.head(batch, key_head), key_sizes_[0], key_steps_[key], 0}, 0, left.panels());
            values.fill({a_.value.head(batch, key_head), value_sizes_[0], value_steps_[key], 0}, 0, values.panels());
            keys_transposed.fill({a_.key.head(batch, key_head), key_steps_[key], key_sizes_[0], 0}, 0,
                                 keys_transposed.panels());
            for (npy_intp first = 0; first < panels_; first += query_panels) {
                const npy_intp last = std::min(first + query_panels, panels_);
                if (scores_of_.visible(first * width_, (last - first) * width_, key, keys) == 0) continue;
                for (npy_intp p = first; p < last; ++p)
                    run_panel(left, values, keys_transposed, batch, head, p, p - first, key, keys);
                sum_block(batch, head, first, last, key, keys);
            }
        }
        for (npy_intp p = 0; p < panels_; ++p)
            store(query_sums_, p, used(p * width_), a_.scale, s_.query,
                  s_.query.head(batch, head) + p * width_ * s_.query.step[2]);
    }
    // Panels of queries and gradients; of each query its logsumexp, and the product of result and gradient. Unused
    // columns get weight zero.
    void prepare(npy_intp batch, npy_intp head) {
        const T *grad = s_.grad.head(batch, head), *out = s_.out.head(batch, head);
        for (npy_intp p = 0; p < panels_; ++p) {
            T* panel = queries_.data() + p * a_.size * width_;
            pack_panel<T>(a_.query.head(batch, head), sizes_, a_.size, steps_, p * width_, used(p * width_), panel);
            loops<T>().binary[MULTIPLY](panel, 1, &a_.scale, 0, panel, a_.size * width_);
            pack_panel<T>(grad, grad_sizes_, a_.size, grad_steps_, p * width_, used(p * width_),
                          grads_.data() + p * a_.size * width_);
        }
        for (npy_intp query = 0; query < panels_ * width_; ++query) {
            const bool real = query < a_.queries;
            T total = 0;
            for (npy_intp e = 0; real && e < a_.size; ++e)
                total += grad[query * s_.grad.step[2] + e * s_.grad.step[3]] *
                         out[query * s_.out.step[2] + e * s_.out.step[3]];
            inner_[query] = total;
            logsumexp_[query] =
                real ? s_.logsumexp[batch * s_.statistics[0] + head * s_.statistics[1] + query * s_.statistics[2]]
                     : std::numeric_limits<T>::infinity();
            if (!real) continue;
            const T* row = a_.query.head(batch, head) + query * a_.query.step[2];
            for (npy_intp e = 0; e < a_.size; ++e) scaled_[query * a_.size + e] = row[e * a_.query.step[3]] * a_.scale;
        }
    }
    // Weights and their gradients for one panel of queries and a block of keys; their contribution to the queries; both
    // transposed into the block.
    void run_panel(const Packed<T>& left, const Packed<T>& values, const Packed<T>& keys_transposed, npy_intp batch,
                   npy_intp head, npy_intp p, npy_intp at, npy_intp key, npy_intp keys) {
        const npy_intp query = p * width_, visible = scores_of_.visible(query, used(query), key, keys);
        T *scores = scores_.data(), *score_grads = score_grads_.data();
        if (visible > 0) {
            multiply_panel(left, visible, queries_.data() + p * a_.size * width_, a_.size, scores, false);
            multiply_panel(values, visible, grads_.data() + p * a_.size * width_, a_.size, score_grads, false);
            scores_of_.restrict_to(scores, batch, head, query, used(query), key, visible);
            loops<T>().attention_scores_backward(scores, score_grads, visible, logsumexp_.data() + query,
                                                 inner_.data() + query);
            multiply_panel(keys_transposed, a_.size, score_grads, visible, query_sums_.data() + p * rows_ * width_,
                           true);
        }
        const npy_intp padded_keys = pieces_of(keys, width_) * width_;
        std::fill(scores + visible * width_, scores + padded_keys * width_, T(0));
        std::fill(score_grads + visible * width_, score_grads + padded_keys * width_, T(0));
        for (npy_intp k = 0; k < padded_keys / width_; ++k) {
            const npy_intp position = (k * query_panels + at) * width_ * width_;
            loops<T>().pack_columns(scores + k * width_ * width_, along_[0], width_, across_[0], nullptr, 0,
                                    block_weights_.data() + position);
            loops<T>().pack_columns(score_grads + k * width_ * width_, along_[0], width_, across_[0], nullptr, 0,
                                    block_grads_.data() + position);
        }
    }
    // The contribution of a block of queries to a block of keys and values.
    void sum_block(npy_intp batch, npy_intp head, npy_intp first, npy_intp last, npy_intp key, npy_intp keys) {
        const npy_intp query = first * width_, queries = std::min(last * width_, a_.queries) - query;
        Packed<T> grads(a_.size, queries), scaled(a_.size, queries);
        grads.fill({s_.grad.head(batch, head), grad_steps_[query], grad_sizes_[0], 0}, 0, grads.panels());
        scaled.fill({scaled_.data(), scaled_steps_[query], scaled_sizes_[0], 0}, 0, scaled.panels());
        for (npy_intp k = 0; k < pieces_of(keys, width_); ++k) {
            const npy_intp position = k * query_panels * width_ * width_, at = (key / width_ + k) * rows_ * width_;
            multiply_panel(grads, a_.size, block_weights_.data() + position, queries, value_sums_.data() + at, true);
            multiply_panel(scaled, a_.size, block_grads_.data() + position, queries, key_sums_.data() + at, true);
        }
    }
    const Attention<T>& a_;
    const Gradients<T>& s_;
    npy_intp width_, rows_, panels_;
    Scores<T> scores_of_;
    Offsets steps_, sizes_, key_steps_, key_sizes_, value_steps_, value_sizes_, grad_steps_, grad_sizes_, along_,
        across_;
    Room<T> scaled_;
    Offsets scaled_steps_, scaled_sizes_;
    Room<T> queries_, grads_, query_sums_, logsumexp_, inner_, scores_, score_grads_, block_weights_, block_grads_,
        key_sums_, value_sums_;
};

// attention_in_blocks_backward(grad, query, key, value, out, logsumexp, dropout_p, is_causal, attn_mask, scale):
// gradients of the three
template <class T> PyObject* backward(PyObject* const* args) {
    Attention<T> a;
    Gradients<T> s;
    if (!a.read(args + 1) || !a.read_options(args[6], args[7], args[8], args[9])) return nullptr;
    if (!read_heads(args[0], s.grad) || !read_heads(args[4], s.out)) return nullptr;
    if (!std::equal(s.grad.shape, s.grad.shape + 4, a.query.shape) ||
        !std::equal(s.out.shape, s.out.shape + 4, a.query.shape))
        return nullptr;
    PyArrayObject* statistics = aligned(args[5], descr_of<T>());
    if (!statistics || PyArray_NDIM(statistics) != 3 ||
        !std::equal(a.query.shape, a.query.shape + 3, PyArray_DIMS(statistics)))
        return nullptr;
    s.logsumexp = data_of<T>(statistics);
    for (int i = 0; i < 3; ++i) {
        if (PyArray_STRIDE(statistics, i) % static_cast<npy_intp>(sizeof(T))) return nullptr;
        s.statistics[i] = PyArray_STRIDE(statistics, i) / static_cast<npy_intp>(sizeof(T));
    }
    Owned results[3] = {Owned(new_array(descr_of<T>(), 4, a.query.shape)),
                        Owned(new_array(descr_of<T>(), 4, a.key.shape)),
                        Owned(new_array(descr_of<T>(), 4, a.key.shape))};
    HeadArray<T>* targets[3] = {&s.query, &s.key, &s.value};
    for (int i = 0; i < 3; ++i)
        if (!results[i] || !read_heads(reinterpret_cast<PyObject*>(results[i].get()), *targets[i])) return nullptr;
    {
        ReleaseGil unlocked((Size(a.batches) * a.heads * a.work()).value_or_most() >= thread_threshold);
        parallel_for(a.batches * a.key_heads, (Size(a.work()) * 3 * (a.heads / a.key_heads)).value_or_most(),
                     [&](npy_intp first, npy_intp last) {
                         Backward<T> worker(a, s);
                         for (npy_intp at = first; at < last; ++at) worker.run(at / a.key_heads, at % a.key_heads);
                     });
    }
    return give_tuple(results, 3);
}

Methods backward_methods({
    WENGERT_ENTRY(attention_in_blocks_backward,
                  "(grad, query, key, value, out, logsumexp, dropout_p, is_causal, attn_mask, scale)",
                  direct<10, by_element<backward<float>, backward<double>>>),
});

}  // namespace
}  // namespace wengert
