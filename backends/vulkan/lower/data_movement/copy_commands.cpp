#include "backends/vulkan/lower/data_movement/copy_commands.h"

#include "backends/vulkan/lower/data_movement/tiled_transpose.h"
#include "backends/vulkan/pipeline/shader_reflection.h"

#include <algorithm>
#include <optional>

namespace nnrt::vulkan {
namespace {

constexpr int64_t kMaxPieces = 32;  // pieces of one copy command; beyond, a shader is faster on all devices
constexpr size_t kMaxRegionDims = 8;

struct CopyPush {
  uint32_t work = 0;
  int32_t from_offset = 0, to_offset = 0;
  std::array<int32_t, kMaxRegionDims> dims{}, from{}, to{};
  int32_t step = 0, pair_step = 0, row_step = 0;
};

bool has_contiguous_rows(const CopyRegion& region) {
  return region.from_strides.back() == 1 && region.to_strides.back() == 1;
}

// One piece for each row.
Copy pieces_of(const CopyRegion& region, size_t element_bytes, Buffer from, Buffer to) {
  Copy copy{from, to, {}};
  const size_t outer = region.shape.size() - 1;
  const int64_t rows = product(region.shape, 0, outer);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t from_axis = region.from_offset, to_axis = region.to_offset, rest = row;
    for (size_t d = outer; d-- > 0; rest /= region.shape[d]) {
      from_axis += rest % region.shape[d] * region.from_strides[d];
      to_axis += rest % region.shape[d] * region.to_strides[d];
    }
    copy.pieces.push_back({size_t(from_axis) * element_bytes, size_t(to_axis) * element_bytes,
                           size_t(region.shape[outer]) * element_bytes});
  }
  return copy;
}

// The region in elements of 8 bytes as one in elements of 4, along one more dimension.
CopyRegion halved(CopyRegion region) {
  region.from_offset *= 2;
  region.to_offset *= 2;
  for (int64_t& stride : region.from_strides) stride *= 2;
  for (int64_t& stride : region.to_strides) stride *= 2;
  region.shape.push_back(2);
  region.from_strides.push_back(1);
  region.to_strides.push_back(1);
  Collapsed merged = collapse(region.shape, std::array{region.from_strides, region.to_strides});
  region.shape = std::move(merged.shape);
  region.from_strides = std::move(merged.strides[0]);
  region.to_strides = std::move(merged.strides[1]);
  return region;
}

bool divides(int64_t offset, const Strides& strides, int64_t lanes) {
  return strides.back() == 1 && offset % lanes == 0 &&
         std::all_of(strides.begin(), strides.end() - 1, [&](int64_t stride) { return stride % lanes == 0; });
}

void divide(int64_t& offset, Strides& strides, int64_t lanes) {
  offset /= lanes;
  for (size_t d = 0; d + 1 < strides.size(); ++d) strides[d] /= lanes;
}

// Returns whether every run of `lanes` neighbours starts at a multiple of `lanes` in the output; at both
// ends.
bool gathers(const CopyRegion& region, int64_t lanes) {
  return region.shape.back() % lanes == 0 && divides(region.to_offset, region.to_strides, lanes);
}
bool divides(const CopyRegion& region, int64_t lanes) {
  return gathers(region, lanes) && divides(region.from_offset, region.from_strides, lanes);
}

CopyRegion in_wider_elements(CopyRegion region, int64_t lanes) {
  region.shape.back() /= lanes;
  divide(region.from_offset, region.from_strides, lanes);
  divide(region.to_offset, region.to_strides, lanes);
  return region;
}

// The output words that a region of elements that are no whole words touches.
uint32_t words_of(const CopyRegion& region, size_t element_bytes) {
  int64_t last = region.to_offset;
  for (size_t d = 0; d < region.shape.size(); ++d) last += (region.shape[d] - 1) * region.to_strides[d];
  const int64_t lanes = int64_t(4 / element_bytes);
  return uint32_t(last / lanes - region.to_offset / lanes + 1);
}

// Neighbours in the output that are stored at once, as copy.comp takes them, and where they lie in the input.
struct VectorCopy {
  enum Number : uint32_t { single, vector, interleaved, word, transposed, transposed_vectors };
  Number number = single;
  int64_t within_pair = 0, between_pairs = 0;
};

Status add_dispatches(const LoweringContext& context, const CopyRegion& region, size_t element_bytes,
                      Buffer from, Buffer to, const VectorCopy& vectors = {}) {
  if (region.shape.size() > kMaxRegionDims) {
    CopyRegion slice = region;
    slice.shape.erase(slice.shape.begin());
    slice.from_strides.erase(slice.from_strides.begin());
    slice.to_strides.erase(slice.to_strides.begin());
    for (int64_t i = 0; i < region.shape[0]; ++i) {
      NNRT_TRY(add_dispatches(context, slice, element_bytes, from, to, vectors));
      slice.from_offset += region.from_strides[0];
      slice.to_offset += region.to_strides[0];
    }
    return {};
  }
  CopyPush push{.from_offset = int32_t(region.from_offset), .to_offset = int32_t(region.to_offset)};
  push.step = int32_t(vectors.within_pair);
  push.pair_step = int32_t(vectors.between_pairs);
  std::string_view shader = "copy";
  if (element_bytes >= 4 || vectors.number != VectorCopy::single) {
    NNRT_TRY(count_of(region.shape));
    const Walk walk = walk_of(region.shape, context.plan);
    push.row_step = int32_t(walk.step);
    push.work = walk.count;
    const bool reads_vectors = element_bytes == kTexelBytes || vectors.number == VectorCopy::interleaved ||
                               vectors.number == VectorCopy::transposed_vectors;
    if (reads_vectors) shader = by_texels(shader, context.plan);
  } else {
    push.work = words_of(region, element_bytes);
  }
  std::ranges::copy(region.shape, push.dims.begin());
  std::ranges::copy(region.from_strides, push.from.begin());
  std::ranges::copy(region.to_strides, push.to.begin());
  context.sink.add(
      Dispatch{.shader = shader,
               .constants = {uint32_t(element_bytes), uint32_t(region.shape.size()), vectors.number},
               .push = Push(push),
               .buffers = {from, to},
               .threads = threads_for(push.work, context.plan),
               .local = {kGroup, 1, 1}});
  return {};
}

// Rows of pairs, as the shuffle of two groups of channels has them, as rows of elements; false if they are
// not.
bool join_pairs(CopyRegion& region, VectorCopy& pairs) {
  const size_t last = region.shape.size() - 1;
  if (last == 0 || region.shape[last] != 2 || region.to_strides[last] != 1 ||
      region.to_strides[last - 1] != 2) {
    return false;
  }
  pairs = {VectorCopy::vector, region.from_strides[last], region.from_strides[last - 1]};
  region.shape.pop_back();
  region.from_strides.pop_back();
  region.to_strides.pop_back();
  region.shape.back() *= 2;
  region.to_strides.back() = 1;
  return true;
}

// A region as copy.comp walks it.
struct Gather {
  CopyRegion region;
  VectorCopy vectors;
};

// `lanes` elements lie together in the output.
Gather gather_of(CopyRegion region, const VectorCopy& vectors, int64_t lanes) {
  region.shape.back() /= lanes;
  region.from_strides.back() = lanes / 2 * vectors.between_pairs;
  divide(region.to_offset, region.to_strides, lanes);
  return {std::move(region), vectors};
}

// Pairs that are those of two rows of whole vectors in turns.
std::optional<Gather> interleave_of(CopyRegion region, const VectorCopy& pairs, int64_t lanes) {
  const bool alternates = pairs.between_pairs == 1 && pairs.within_pair % lanes == 0;
  region.from_strides.back() = 1;
  if (!alternates || !gathers(region, 2 * lanes) || !divides(region.from_offset, region.from_strides, lanes))
    return std::nullopt;
  region.shape.back() /= 2 * lanes;
  divide(region.to_offset, region.to_strides, 2 * lanes);
  divide(region.from_offset, region.from_strides, lanes);
  return Gather{std::move(region), {VectorCopy::interleaved, pairs.within_pair / lanes, 0}};
}

// Returns the dimension, other than the last, along which whole units of `elements` lie together in the
// input.
std::optional<size_t> dimension_of_units(const CopyRegion& region, int64_t elements) {
  const size_t last = region.shape.size() - 1;
  const size_t along = size_t(std::ranges::find(region.from_strides, 1) - region.from_strides.begin());
  if (along >= last || region.shape[along] % elements != 0 || region.from_offset % elements != 0)
    return std::nullopt;
  for (size_t d = 0; d <= last; ++d)
    if (d != along && region.from_strides[d] % elements != 0) return std::nullopt;
  return along;
}

// Elements of two bytes of which two are a word of the input and eight a vector of the output, along
// different dimensions.
std::optional<Gather> transpose_of(CopyRegion region) {
  constexpr int64_t kPair = 2, kEight = 8;
  const size_t last = region.shape.size() - 1;
  const auto other = dimension_of_units(region, kPair);
  if (!other) return std::nullopt;
  const size_t along = *other;
  const VectorCopy words{VectorCopy::transposed, region.from_strides[last] / kPair,
                         region.to_strides[along] / kEight};
  region.shape[along] /= kPair;
  region.to_strides[along] *= kPair;
  region.from_strides[along] *= kPair;
  region.from_strides[last] *= kEight;
  region.shape[last] /= kEight;
  divide(region.to_offset, region.to_strides, kEight);
  region.from_offset /= kPair;
  for (int64_t& stride : region.from_strides) stride /= kPair;
  return Gather{std::move(region), words};
}

// Elements of four bytes of which vectors lie together at both ends, along different dimensions. The vectors
// of a cache line of the input follow each other in the outermost dimension, the walk of one invocation.
std::optional<Gather> transpose_vectors_of(CopyRegion region) {
  constexpr int64_t kFour = 4;
  const size_t last = region.shape.size() - 1;
  const auto other = dimension_of_units(region, kFour);
  if (!other) return std::nullopt;
  const size_t along = *other;
  const VectorCopy vectors{VectorCopy::transposed_vectors, region.from_strides[last] / kFour,
                           region.to_strides[along] / kFour};
  region.from_strides[along] = kFour;
  region.shape[along] /= kFour;
  region.to_strides[along] *= kFour;
  region.shape[last] /= kFour;
  region.from_strides[last] *= kFour;
  divide(region.to_offset, region.to_strides, kFour);
  region.from_offset /= kFour;
  for (int64_t& stride : region.from_strides) stride /= kFour;
  const int64_t of_a_line = region.shape[along] % kFour == 0 ? kFour : 1;
  region.shape[along] /= of_a_line;
  region.shape.insert(region.shape.begin(), of_a_line);
  region.to_strides.insert(region.to_strides.begin(), region.to_strides[along]);
  region.from_strides.insert(region.from_strides.begin(), 1);
  region.to_strides[along + 1] *= of_a_line;
  region.from_strides[along + 1] *= of_a_line;
  return Gather{std::move(region), vectors};
}

// Elements of up to four bytes of which vectors, or at least words, lie together in the output.
std::optional<Gather> find_gather(const CopyRegion& region, size_t element_bytes, const DevicePlan& plan) {
  const auto lanes = int64_t(16 / element_bytes), word_lanes = int64_t(4 / element_bytes);
  const int64_t step = region.from_strides.back();
  if (gathers(region, lanes)) {
    const auto transposed = element_bytes == 2                       ? transpose_of(region)
                            : element_bytes == 4 && plan.is_software ? transpose_vectors_of(region)
                                                                     : std::nullopt;
    return transposed ? *transposed : gather_of(region, {VectorCopy::vector, step, 2 * step}, lanes);
  }
  CopyRegion merged = region;
  VectorCopy pairs;
  const bool has_pairs = join_pairs(merged, pairs);
  if (has_pairs && gathers(merged, lanes)) {
    const auto interleaved = element_bytes >= 2 ? interleave_of(merged, pairs, lanes) : std::nullopt;
    return interleaved ? *interleaved : gather_of(merged, pairs, lanes);
  }
  if (word_lanes == 1) return std::nullopt;
  if (gathers(region, word_lanes)) return gather_of(region, {VectorCopy::word, step, 2 * step}, word_lanes);
  pairs.number = VectorCopy::word;
  return has_pairs && gathers(merged, word_lanes) ? std::optional(gather_of(merged, pairs, word_lanes))
                                                  : std::nullopt;
}

// The region in whole words, where its elements are parts of them that lie together at both ends.
CopyRegion in_words(const CopyRegion& region, size_t element_bytes) {
  CopyRegion words = in_wider_elements(region, int64_t(4 / element_bytes));
  Collapsed merged = collapse(words.shape, std::array{words.from_strides, words.to_strides});
  words.shape = std::move(merged.shape);
  words.from_strides = std::move(merged.strides[0]);
  words.to_strides = std::move(merged.strides[1]);
  return words;
}

Status add_gather(const LoweringContext& context, const ElementCopy& copy) {
  if (const auto gather = find_gather(copy.region, copy.element_bytes, context.plan))
    return add_dispatches(context, gather->region, copy.element_bytes, copy.from, copy.to, gather->vectors);
  return add_dispatches(context, copy.region, copy.element_bytes, copy.from, copy.to);
}

constexpr Kernel<ElementCopy> kElementCopies[] = {
    {"transpose_tile", why_not_transpose_tile, add_transpose_tile}, {"element_gather", nullptr, add_gather}};

Status add_elements(const LoweringContext& context, const CopyRegion& region, size_t element_bytes,
                    Buffer from, Buffer to) {
  const ElementCopy copy{region, element_bytes, from, to};
  if (element_bytes >= 4) return add_gather(context, copy);
  return lower_by_list(std::span<const Kernel<ElementCopy>>(kElementCopies), context, copy);
}

}  // namespace

bool is_whole(const NodeView& node, const CopyProgram& program) {
  if (program.needs_fill || program.regions.size() != 1 || node.output_count() != 1) return false;
  const CopyRegion& region = program.regions[0];
  return region.shape == Shape{element_count(node.output_shape()).value_or(0)} &&
         region.shape[0] == element_count(node.shape()) && region.from_strides == Strides{1} &&
         region.to_strides == Strides{1};
}

std::vector<std::string_view> element_copy_kernels() {
  return names_of(std::span<const Kernel<ElementCopy>>(kElementCopies));
}

Status add_copy_region(const LoweringContext& context, const CopyRegion& region, size_t element_bytes,
                       Buffer from, Buffer to) {
  if (has_contiguous_rows(region) && product(region.shape, 0, region.shape.size() - 1) <= kMaxPieces) {
    context.sink.add(pieces_of(region, element_bytes, from, to));
    return {};
  }
  const auto lanes = int64_t(16 / element_bytes);
  if (divides(region, lanes)) return add_dispatches(context, in_wider_elements(region, lanes), 16, from, to);
  if (element_bytes == 8) return add_elements(context, halved(region), 4, from, to);
  const bool has_words = element_bytes < 4 && divides(region, int64_t(4 / element_bytes));
  if (has_words) return add_elements(context, in_words(region, element_bytes), 4, from, to);
  return add_elements(context, region, element_bytes, from, to);
}

}  // namespace nnrt::vulkan
