#include "backends/vulkan/lower/fours.h"

#include "backends/vulkan/lower/common.h"
#include "core/text.h"

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

Bytes packed_on_host(const std::byte* from, const Fours& fours) {
  Bytes bytes(fours.count() * 4 * sizeof(float));
  const uint32_t lanes = 4 * fours.wide;
  std::byte* to = bytes.data();
  for (size_t m = 0; m < fours.matrices; ++m) {
    for (size_t row = 0; row < size_t(fours.blocks()) * lanes; row += lanes) {
      const size_t rows = std::min<size_t>(lanes, fours.rows - row);
      const size_t source = m * fours.matrix_stride + row * fours.row_stride;
      for (size_t k = 0; k < fours.inner; ++k, to += lanes * sizeof(float)) {
        if (k % fours.wide_run >= fours.run) continue;
        const size_t own = k / fours.wide_run * fours.run + k % fours.wide_run;
        for (size_t lane = 0; lane < rows; ++lane) {
          std::memcpy(to + lane * sizeof(float),
                      from + (source + lane * fours.row_stride + own * fours.step) * sizeof(float),
                      sizeof(float));
        }
      }
    }
  }
  return bytes;
}

}  // namespace

Result<Buffer> pack_fours(const LoweringContext& context, size_t i, const Fours& fours) {
  const uint64_t count = fours.count();
  if (count > uint64_t(std::numeric_limits<int32_t>::max()) / 4) {
    return unsupported("A packed operand has more elements (", 4 * count, ") than a GPU kernel counts.");
  }
  if (context.node.input(i).is_constant()) {
    const std::string form = cat("fours ", fours.matrices, "x", fours.rows, "x", fours.inner, " by ",
                                 fours.matrix_stride, ",", fours.row_stride, ",", fours.step, " wide ",
                                 fours.wide, " runs ", fours.run, ",", fours.wide_run);
    const std::byte* data = context.node.input(i).data->data();
    return context.sink.packed(
        context.node.node().inputs[i], form, [data, fours] { return packed_on_host(data, fours); },
        count * 4 * sizeof(float));
  }
  const Buffer to = context.sink.scratch(size_t(count) * 4 * sizeof(float));
  context.sink.add(Dispatch{.shader = "pack_f32",
                            .constants = {},
                            .push = Push(PackPush{uint32_t(count), fours.rows, fours.inner, fours.wide,
                                                  fours.matrix_stride, fours.row_stride, fours.step}),
                            .buffers = {context.input(i), to},
                            .threads = threads_for(uint32_t(count), context.plan),
                            .local = {kGroup, 1, 1}});
  return to;
}

}  // namespace nnrt::vulkan
