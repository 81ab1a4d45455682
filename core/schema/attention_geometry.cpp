#include "core/schema/attention_geometry.h"

#include <algorithm>
#include <cmath>

namespace nnrt {

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
  work.keeps_nan = !attrs.flag(Attr::zero_nan);
  return work;
}

}  // namespace nnrt
