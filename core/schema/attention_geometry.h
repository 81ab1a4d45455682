// The work of ATTENTION, for its CPU kernel and its GPU lowering.
#pragma once

#include "core/schema/node_view.h"

#include <array>
#include <cstdint>

namespace nnrt {

// Heads of a group share a key head. Their queries lie one behind the other: they are the rows of one matrix.
struct Attention {
  int64_t batch = 0, key_heads = 0, group = 0;  // query heads for each key head
  int64_t queries = 0, keys = 0, size = 0, value_size = 0;
  double scale = 1;
  bool is_causal = false;
  int64_t shift = 0;  // query i sees keys up to i + shift, if it is causal
  bool has_mask = false;
  std::array<int64_t, 4> mask_strides{};  // by batch, head, query and key; 0 where it is broadcast
  bool keeps_nan = false;                 // rows that see nothing are NaN, as those of SOFTMAX

  int64_t rows() const { return group * queries; }
  int64_t matrices() const { return batch * key_heads; }
  // Returns how many of the keys, from the first one on, a row of a matrix sees as far as the mask lets it.
  int64_t seen_by(int64_t row) const;
};

// The shapes are known.
Attention attention_of(const NodeView& node);

}  // namespace nnrt
