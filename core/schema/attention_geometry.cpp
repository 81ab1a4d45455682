#include "core/schema/attention_geometry.h"

#include "core/schema/rules.h"

#include <algorithm>
#include <cmath>

namespace nnrt {

namespace {

constexpr int64_t kOfOther = 2;

}  // namespace

ParamRow zero_nan_param(Param type, bool fallback) {
  ParamRow row = flag_param(type, Attr::zero_nan, fallback);
  row.dtypes = row.dtypes | DType::i8;
  return row;
}

Status check_zero_nan(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  const int64_t value = attrs.has(Attr::zero_nan) ? attrs.integer(Attr::zero_nan) : 0;
  if (value >= 0 && value <= kOfOther) return {};
  return invalid("ZERO_NAN (", value, ") is outside [0, ", kOfOther, "].");
}

ZeroRows zero_rows_of(Op op, const Attrs& attrs) {
  if (!attrs.is_set(Attr::zero_nan)) return ZeroRows::none;
  const bool is_of_other = attrs.integer(Attr::zero_nan) == kOfOther;
  return (op == Op::softmax) == is_of_other ? ZeroRows::masked : ZeroRows::nan;
}

AttrValue zero_rows_attr(Op op, ZeroRows rows) {
  const bool is_of_other = rows == (op == Op::softmax ? ZeroRows::masked : ZeroRows::nan);
  const int64_t value = rows == ZeroRows::none ? 0 : is_of_other ? kOfOther : 1;
  return {.dtype = DType::i8, .integers = {value}, .floats = {}};
}

int64_t Attention::seen_by(int64_t row) const {
  return is_causal ? std::clamp<int64_t>(row % queries + shift + 1, 0, keys) : keys;
}

Attention attention_of(const NodeView& node) {
  constexpr size_t kMask = 3;
  const Shape &query = node.shape(0), &key = node.shape(1);
  const Attrs& attrs = node.attrs();
  const int64_t heads = query[1], causal = attrs.integer(Attr::causal);
  Attention work{.batch = query[0],
                 .key_heads = key[1],
                 .group = key[1] == 0 ? 0 : heads / key[1],
                 .queries = query[2],
                 .keys = key[2],
                 .size = query[3],
                 .value_size = node.shape(2)[3]};
  work.scale = attrs.has(Attr::scale) ? attrs.real(Attr::scale) : 1 / std::sqrt(double(work.size));
  work.is_causal = causal != 0;
  work.shift = causal == 2 ? work.keys - work.queries : 0;
  work.has_mask = node.input_count() > kMask;
  if (work.has_mask) {
    const Strides strides =
        broadcast_strides(node.shape(kMask), {work.batch, heads, work.queries, work.keys});
    std::ranges::copy(strides, work.mask_strides.begin());
  }
  work.zero_rows = zero_rows_of(Op::attention, attrs);
  return work;
}

}  // namespace nnrt
