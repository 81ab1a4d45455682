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

Bytes packed_on_host(const std::byte* from, const PackedWeights& packing) {
  Bytes bytes(packing.count() * 4 * sizeof(float));
  const uint32_t lanes = 4 * packing.wide;
  std::byte* to = bytes.data();
  for (size_t m = 0; m < packing.matrices; ++m) {
    for (size_t row = 0; row < size_t(packing.blocks()) * lanes; row += lanes) {
      const size_t rows = std::min<size_t>(lanes, packing.rows - row);
      const size_t source = m * packing.matrix_stride + row * packing.row_stride;
      for (size_t k = 0; k < packing.inner; ++k, to += lanes * sizeof(float)) {
        if (k % packing.wide_run >= packing.run) continue;
        const size_t own = k / packing.wide_run * packing.run + k % packing.wide_run;
        for (size_t lane = 0; lane < rows; ++lane) {
          std::memcpy(to + lane * sizeof(float),
                      from + (source + lane * packing.row_stride + own * packing.step) * sizeof(float),
                      sizeof(float));
        }
      }
    }
  }
  return bytes;
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
    return context.sink.packed(
        context.node.node().inputs[i], form, [data, packing] { return packed_on_host(data, packing); },
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
