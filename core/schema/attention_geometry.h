// The geometry of ATTENTION, shared by its CPU kernel and its GPU lowering.
#pragma once

#include "core/schema/node_view.h"
#include "core/schema/schema.h"

#include <array>
#include <cstdint>

namespace nnrt {

// Which rows of SOFTMAX and ATTENTION are zeros.
enum class ZeroRows : uint8_t {
  none,    // such rows are NaN
  masked,  // those whose scores are all minus infinity
  nan,     // also those whose scores have NaN or infinity
};
// Attr::zero_nan. The flag of clients zeroes every NaN row of a SOFTMAX, but only masked rows of an
// ATTENTION; the number 2 does what the flag does for the other operator.
ParamRow zero_nan_param(Param type, bool fallback);
Status check_zero_nan(const NodeView& node);
ZeroRows zero_rows_of(Op op, const Attrs& attrs);
AttrValue zero_rows_attr(Op op, ZeroRows rows);

// Query heads of a group share a key head. Their queries are contiguous and form the rows of one matrix.
struct Attention {
  int64_t batch = 0, key_heads = 0, group = 0;  // group: query heads per key head
  int64_t queries = 0, keys = 0, size = 0, value_size = 0;
  double scale = 1;
  bool is_causal = false;
  int64_t shift = 0;  // if causal, query i sees keys up to i + shift
  bool has_mask = false;
  std::array<int64_t, 4> mask_strides{};  // by batch, head, query and key; 0 if broadcast
  ZeroRows zero_rows = ZeroRows::none;

  int64_t rows() const { return group * queries; }
  int64_t matrices() const { return batch * key_heads; }
  // The number of leading keys that a row sees, not counting the mask.
  int64_t seen_by(int64_t row) const;
};

// Shapes must be known.
Attention attention_of(const NodeView& node);

}  // namespace nnrt
