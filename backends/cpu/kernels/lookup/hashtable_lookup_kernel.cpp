#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/lookup/lookup_kernels.h"

#include <cstring>

namespace nnrt::cpu {

// Keys are sorted in ascending order.
Status hashtable_lookup(const KernelArgs& args) {
  const Shape& values = args.node.shape(2);
  const size_t bytes = size_t(product(values, 1, values.size())) * size_of(args.node.dtype(2));
  const int64_t count = element_count(args.node.shape(0)).value_or(0);
  const auto* const lookups = args.input<int32_t>(0);
  const auto* const first = args.input<int32_t>(1);
  const auto* const last = first + values[0];
  if (!std::is_sorted(first, last)) return invalid("The keys do not ascend.");
  const auto fill = int(args.node.attrs().integer(Attr::fill_byte));
  std::vector<float> hits;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t* const key = std::lower_bound(first, last, lookups[i]);
    const bool hit = key != last && *key == lookups[i];
    std::byte* const y = args.out[0] + size_t(i) * bytes;
    if (hit) {
      std::memcpy(y, args.in[2] + size_t(key - first) * bytes, bytes);
    } else {
      std::memset(y, fill, bytes);
    }
    hits.push_back(hit ? 1 : 0);
  }
  from_floats(args.node.output(1), hits, args.out[1], args.pool);
  return {};
}

}  // namespace nnrt::cpu
