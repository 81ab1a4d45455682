#include "backends/vulkan/lower/data_movement/interleave_copy.h"

#include "backends/vulkan/lower/common/lowering_common.h"

#include <limits>

namespace nnrt::vulkan {
namespace {

struct InterleavePush {
  uint32_t work = 0, count = 0, pairs = 0;
  std::array<uint32_t, 2> offsets{}, rows{};
  uint32_t step = 0;
};

std::optional<InterleavedCopy::Source> source_of(const CopiedRegion& part) {
  const CopyRegion& region = part.region;
  if (region.from_strides.back() != 1 || region.from_offset < 0) return std::nullopt;
  const int64_t row = region.shape.size() == 2 ? region.from_strides[0] : 0;
  if (row < 0) return std::nullopt;
  return InterleavedCopy::Source{part.source, region.from_offset, row};
}

// What interleave.comp reads from each tensor at a time.
enum Unit : uint32_t { elements, vectors, words };

// Returns whether the rows of both sources are aligned to `lanes` elements.
bool divides(const InterleavedCopy& interleaved, int64_t lanes) {
  const auto begins = [&](const InterleavedCopy::Source& source) {
    return source.offset % lanes == 0 && source.row % lanes == 0;
  };
  return interleaved.pairs % lanes == 0 && begins(interleaved.first) && begins(interleaved.second);
}

Unit unit_of(const InterleavedCopy& interleaved, uint32_t element_bytes) {
  if (divides(interleaved, 16 / element_bytes)) return vectors;
  return element_bytes < 4 && divides(interleaved, 4 / element_bytes) ? words : elements;
}

}  // namespace

std::optional<InterleavedCopy> interleaved_copy_of(const std::vector<CopiedRegion>& parts, int64_t elements) {
  if (parts.size() != 2) return std::nullopt;
  const bool swapped = parts[0].region.to_offset != 0;
  const CopiedRegion& even = parts[swapped ? 1 : 0];
  const CopiedRegion& odd = parts[swapped ? 0 : 1];
  const Shape& shape = even.region.shape;
  InterleavedCopy interleaved{.rows = shape.size() == 2 ? shape[0] : 1, .pairs = shape.back()};
  const Strides dense = shape.size() == 2 ? Strides{2 * interleaved.pairs, 2} : Strides{2};
  const bool alternate = even.region.to_offset == 0 && odd.region.to_offset == 1 &&
                         odd.region.shape == shape && even.region.to_strides == dense &&
                         odd.region.to_strides == dense;
  const auto first = source_of(even), second = source_of(odd);
  const bool is_all = elements > 0 && 2 * interleaved.rows * interleaved.pairs == elements;
  if (!alternate || !is_all || !first || !second || elements > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  interleaved.first = *first;
  interleaved.second = *second;
  return interleaved;
}

void add_interleaved_copy(const LoweringContext& context, const InterleavedCopy& interleaved, Buffer to) {
  const auto element_bytes = uint32_t(size_of(context.node.dtype()));
  const Unit unit = unit_of(interleaved, element_bytes);
  const uint32_t lanes = unit == elements ? 1 : (unit == words ? 4 : 16) / element_bytes;
  const auto count = uint32_t(interleaved.rows * interleaved.pairs) / lanes;
  const uint32_t work = unit == vectors ? count : divide_up(count, 8 / (element_bytes * lanes));
  const Walk walk = walk_of({work}, context.plan);
  InterleavePush push{
      .work = work, .count = count, .pairs = uint32_t(interleaved.pairs) / lanes, .step = walk.step};
  push.offsets = {uint32_t(interleaved.first.offset) / lanes, uint32_t(interleaved.second.offset) / lanes};
  push.rows = {uint32_t(interleaved.first.row) / lanes, uint32_t(interleaved.second.row) / lanes};
  context.sink.add(Dispatch{.shader = "interleave",
                            .constants = {element_bytes, unit},
                            .push = Push(push),
                            .buffers = {{Buffer::Space::tensor, interleaved.first.tensor},
                                        {Buffer::Space::tensor, interleaved.second.tensor},
                                        to},
                            .threads = threads_for(walk.count, context.plan),
                            .local = {kGroup, 1, 1}});
}

}  // namespace nnrt::vulkan
