#include "backends/vulkan/lower/weave.h"

#include "backends/vulkan/lower/common.h"

#include <limits>

namespace nnrt::vulkan {
namespace {

struct WeavePush {
  uint32_t work = 0, count = 0, pairs = 0;
  std::array<uint32_t, 2> offsets{}, rows{};
  uint32_t step = 0;
};

std::optional<Weave::Source> source_of(const Part& part) {
  const CopyRegion& region = part.region;
  if (region.from_strides.back() != 1 || region.from_offset < 0) return std::nullopt;
  const int64_t row = region.shape.size() == 2 ? region.from_strides[0] : 0;
  if (row < 0) return std::nullopt;
  return Weave::Source{part.source, region.from_offset, row};
}

}  // namespace

std::optional<Weave> weave_of(const std::vector<Part>& parts, int64_t elements) {
  if (parts.size() != 2) return std::nullopt;
  const bool swapped = parts[0].region.to_offset != 0;
  const Part& even = parts[swapped ? 1 : 0];
  const Part& odd = parts[swapped ? 0 : 1];
  const Shape& shape = even.region.shape;
  Weave weave{.rows = shape.size() == 2 ? shape[0] : 1, .pairs = shape.back()};
  const Strides dense = shape.size() == 2 ? Strides{2 * weave.pairs, 2} : Strides{2};
  const bool alternate = even.region.to_offset == 0 && odd.region.to_offset == 1 &&
                         odd.region.shape == shape && even.region.to_strides == dense &&
                         odd.region.to_strides == dense;
  const auto first = source_of(even), second = source_of(odd);
  const bool is_all = elements > 0 && 2 * weave.rows * weave.pairs == elements;
  if (!alternate || !is_all || !first || !second || elements > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  weave.first = *first;
  weave.second = *second;
  return weave;
}

void add_weave(const LoweringContext& context, const Weave& weave, Buffer to) {
  const auto divides = [](const Weave::Source& source) {
    return source.offset % 4 == 0 && source.row % 4 == 0;
  };
  const bool vectors = weave.pairs % 4 == 0 && divides(weave.first) && divides(weave.second);
  const uint32_t lanes = vectors ? 4 : 1;
  const auto count = uint32_t(weave.rows * weave.pairs) / lanes;
  const uint32_t work = vectors ? count : (count + 1) / 2;
  const Walk walk = walk_of({work}, context.plan);
  WeavePush push{.work = work, .count = count, .pairs = uint32_t(weave.pairs) / lanes, .step = walk.step};
  push.offsets = {uint32_t(weave.first.offset) / lanes, uint32_t(weave.second.offset) / lanes};
  push.rows = {uint32_t(weave.first.row) / lanes, uint32_t(weave.second.row) / lanes};
  context.sink.add(Dispatch{.shader = by_texels("weave", context.plan),
                            .constants = {vectors ? 1u : 0u},
                            .push = Push(push),
                            .buffers = {{Buffer::Space::tensor, weave.first.tensor},
                                        {Buffer::Space::tensor, weave.second.tensor},
                                        to},
                            .threads = threads_for(walk.count, context.plan),
                            .local = {kGroup, 1, 1}});
}

}  // namespace nnrt::vulkan
