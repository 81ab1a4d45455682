#include "backends/vulkan/lower/gemm/packed_weights.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace nnrt::vulkan {
namespace {

struct PackPush {
  uint32_t count = 0;
  uint32_t rows = 0, inner = 0, wide = 0;
  uint32_t matrix_stride = 0, row_stride = 0, step = 0;
};

// Writes consecutive blocks of `wide` vec4, from number `first` on.
void pack_blocks(const std::byte* from, const PackedWeights& packing, size_t first, std::span<std::byte> to) {
  const size_t lanes = size_t{4} * packing.wide, block_bytes = lanes * sizeof(float);
  for (size_t line = first / packing.inner, k = first % packing.inner; !to.empty(); ++line, k = 0) {
    const size_t m = line / packing.blocks(), row = line % packing.blocks() * lanes;
    const size_t rows = std::min<size_t>(lanes, packing.rows - row);
    const size_t source = m * packing.matrix_stride + row * packing.row_stride;
    for (; k < packing.inner && !to.empty(); ++k, to = to.subspan(block_bytes)) {
      const bool is_padding = k % packing.wide_run >= packing.run;
      const size_t own = k / packing.wide_run * packing.run + k % packing.wide_run;
      const size_t count = is_padding ? 0 : rows;
      for (size_t lane = 0; lane < count; ++lane) {
        std::memcpy(to.data() + lane * sizeof(float),
                    from + (source + lane * packing.row_stride + own * packing.step) * sizeof(float),
                    sizeof(float));
      }
      std::fill_n(to.data() + count * sizeof(float), (lanes - count) * sizeof(float), std::byte{});
    }
  }
}

Packing packed_on_host(const std::byte* from, const PackedWeights& packing) {
  const uint64_t block_bytes = uint64_t{4} * packing.wide * sizeof(float);
  return {packing.count() * 4 * sizeof(float), block_bytes,
          [from, packing, block_bytes](uint64_t offset, std::span<std::byte> to) {
            pack_blocks(from, packing, offset / block_bytes, to);
          }};
}

}  // namespace

Result<Buffer> pack_weights(const LoweringContext& context, size_t i, const PackedWeights& packing) {
  const uint64_t count = packing.count();
  if (count > uint64_t(std::numeric_limits<int32_t>::max()) / 4) {
    return unsupported("A packed operand has more elements (", 4 * count, ") than a GPU kernel can index.");
  }
  if (context.node.input(i).is_constant()) {
    const std::string form = cat("vec4 ", packing.matrices, "x", packing.rows, "x", packing.inner, " by ",
                                 packing.matrix_stride, ",", packing.row_stride, ",", packing.step, " wide ",
                                 packing.wide, " runs ", packing.run, ",", packing.wide_run);
    const std::byte* data = context.node.input(i).data->data();
    return context.sink.packed(context.node.node().inputs[i], form, packed_on_host(data, packing),
                               count * 4 * sizeof(float));
  }
  const Buffer to = context.sink.scratch(size_t(count) * 4 * sizeof(float));
  context.sink.add(Dispatch{.shader = "pack_weights_f32",
                            .constants = {},
                            .push = Push(PackPush{uint32_t(count), packing.rows, packing.inner, packing.wide,
                                                  packing.matrix_stride, packing.row_stride, packing.step}),
                            .buffers = {context.input(i), to},
                            .threads = threads_for(uint32_t(count), context.plan),
                            .local = {kGroup, 1, 1}});
  return to;
}

}  // namespace nnrt::vulkan
