#include "backends/vulkan/lower/data_movement/copy_commands.h"

#include "backends/vulkan/lower/data_movement/tiled_transpose.h"
#include "backends/vulkan/lower/data_movement/vector_copies.h"
#include "backends/vulkan/pipeline/embedded_shaders.h"

#include <algorithm>
#include <iterator>

namespace nnrt::vulkan {
namespace {

// Most pieces of one copy command. A software driver copies a few pieces faster than a shader does. A GPU
// takes 1-2 us per piece, as long as for a dispatch, so only one or two long pieces are worth it.
constexpr int64_t kMaxPieces = 32, kMaxLongPieces = 2;
constexpr int64_t kLongPiece = 64 << 10;  // bytes
constexpr size_t kMaxRegionDims = 8;
constexpr uint32_t kResult = 1;  // binding of copy.comp

struct CopyPush {
  uint32_t work = 0;
  int32_t from_offset = 0, to_offset = 0;
  std::array<int32_t, kMaxRegionDims> dims{}, from{}, to{};
  int32_t step = 0, pair_step = 0, row_step = 0;
};

int64_t rows_of(const CopyRegion& region) { return product(region.shape, 0, region.shape.size() - 1); }

bool is_few_rows(const CopyRegion& region) {
  return region.from_strides.back() == 1 && region.to_strides.back() == 1 && rows_of(region) <= kMaxPieces;
}

// One piece per row.
Copy pieces_of(const ElementCopy& elements) {
  const CopyRegion& region = elements.region;
  Copy copy{elements.from, elements.to, {}};
  const size_t outer = region.shape.size() - 1;
  const int64_t rows = rows_of(region);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t from_axis = region.from_offset, to_axis = region.to_offset, rest = row;
    for (size_t d = outer; d-- > 0; rest /= region.shape[d]) {
      from_axis += rest % region.shape[d] * region.from_strides[d];
      to_axis += rest % region.shape[d] * region.to_strides[d];
    }
    const size_t bytes = elements.element_bytes;
    copy.pieces.push_back(
        {size_t(from_axis) * bytes, size_t(to_axis) * bytes, size_t(region.shape[outer]) * bytes});
  }
  return copy;
}

WhyNot why_not_copy_command(const LoweringContext& context, const ElementCopy& copy) {
  if (!is_few_rows(copy.region)) return WhyNot("It is not a copy of at most {} rows.", kMaxPieces);
  if (context.plan.is_software) return {};
  const int64_t rows = rows_of(copy.region);
  const int64_t bytes = copy.region.shape.back() * int64_t(copy.element_bytes);
  if (rows <= kMaxLongPieces && bytes >= kLongPiece) return {};
  return WhyNot::slower("Its rows ({} of {} bytes) are too many or too short for copy commands.", rows,
                        bytes);
}

Status add_copy_command(const LoweringContext& context, const ElementCopy& copy) {
  context.sink.add(pieces_of(copy));
  return {};
}

// Splits 8-byte elements into 4-byte ones along an extra dimension.
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

// The output words touched by a region of sub-word elements.
uint32_t words_of(const CopyRegion& region, size_t element_bytes) {
  int64_t last = region.to_offset;
  for (size_t d = 0; d < region.shape.size(); ++d) last += (region.shape[d] - 1) * region.to_strides[d];
  const int64_t lanes = int64_t(4 / element_bytes);
  return uint32_t(last / lanes - region.to_offset / lanes + 1);
}

Status add_dispatches(const LoweringContext& context, const Gather& gather, size_t element_bytes, Buffer from,
                      Buffer to) {
  const CopyRegion& region = gather.region;
  const VectorCopy& vectors = gather.vectors;
  if (region.shape.size() > kMaxRegionDims) {
    Gather slice = gather;
    slice.region.shape.erase(slice.region.shape.begin());
    slice.region.from_strides.erase(slice.region.from_strides.begin());
    slice.region.to_strides.erase(slice.region.to_strides.begin());
    for (int64_t i = 0; i < region.shape[0]; ++i) {
      NNRT_TRY(add_dispatches(context, slice, element_bytes, from, to));
      slice.region.from_offset += region.from_strides[0];
      slice.region.to_offset += region.to_strides[0];
    }
    return {};
  }
  CopyPush push{.from_offset = int32_t(region.from_offset), .to_offset = int32_t(region.to_offset)};
  push.step = int32_t(vectors.within_pair);
  push.pair_step = int32_t(vectors.between_pairs);
  // Otherwise preserve the other elements in words at the region's edges.
  const bool has_whole_words = element_bytes >= 4 || vectors.number != VectorCopy::single;
  if (has_whole_words) {
    NNRT_ASSIGN(const uint32_t count, count_of(region.shape));
    const Walk walk =
        vectors.walks_blocks() ? Walk{uint32_t(gather.last), count} : walk_of(region.shape, context.plan);
    push.row_step = int32_t(walk.step);
    push.work = walk.count;
  } else {
    push.work = words_of(region, element_bytes);
  }
  std::ranges::copy(region.shape, push.dims.begin());
  std::ranges::copy(region.from_strides, push.from.begin());
  std::ranges::copy(region.to_strides, push.to.begin());
  context.sink.add(
      Dispatch{.shader = "copy",
               .constants = {uint32_t(element_bytes), uint32_t(region.shape.size()), vectors.number},
               .push = Push(push),
               .buffers = {from, to},
               .threads = threads_for(push.work, context.plan),
               .local = {kGroup, 1, 1},
               .write_only = has_whole_words ? uint32_t{1} << kResult : 0});
  return {};
}

// Widens sub-word elements to words, where they are contiguous at both ends.
CopyRegion in_words(const CopyRegion& region, size_t element_bytes) {
  CopyRegion words = in_wider_elements(region, int64_t(4 / element_bytes));
  Collapsed merged = collapse(words.shape, std::array{words.from_strides, words.to_strides});
  words.shape = std::move(merged.shape);
  words.from_strides = std::move(merged.strides[0]);
  words.to_strides = std::move(merged.strides[1]);
  return words;
}

Status add_gather(const LoweringContext& context, const ElementCopy& copy) {
  const auto gather = find_gather(copy.region, copy.element_bytes, context.plan);
  NNRT_TRY(add_dispatches(context, gather ? *gather : Gather{copy.region}, copy.element_bytes, copy.from,
                          copy.to));
  if (!gather || !gather->rest) return {};
  return add_gather(context, {*gather->rest, copy.element_bytes, copy.from, copy.to});
}

constexpr Kernel<ElementCopy> kElementCopies[] = {
    {"transpose_tile", why_not_transpose_tile, add_transpose_tile}, {"element_gather", nullptr, add_gather}};

Status add_elements(const LoweringContext& context, const CopyRegion& region, size_t element_bytes,
                    Buffer from, Buffer to) {
  const ElementCopy copy{region, element_bytes, from, to};
  if (element_bytes >= 4) return add_gather(context, copy);
  return lower_by_list(std::span<const Kernel<ElementCopy>>(kElementCopies), context, copy);
}

Status add_copy_kernel(const LoweringContext& context, const ElementCopy& copy) {
  const CopyRegion& region = copy.region;
  const size_t bytes = copy.element_bytes;
  const auto lanes = int64_t(16 / bytes);
  if (divides(region, lanes))
    return add_dispatches(context, {in_wider_elements(region, lanes)}, 16, copy.from, copy.to);
  if (bytes == 8) return add_elements(context, halved(region), 4, copy.from, copy.to);
  const bool has_words = bytes < 4 && divides(region, int64_t(4 / bytes));
  if (has_words) return add_elements(context, in_words(region, bytes), 4, copy.from, copy.to);
  return add_elements(context, region, bytes, copy.from, copy.to);
}

constexpr Kernel<ElementCopy> kRowCopies[] = {{"copy_command", why_not_copy_command, add_copy_command},
                                              {"copy_kernel", nullptr, add_copy_kernel}};

}  // namespace

bool is_whole(const NodeView& node, const CopyProgram& program) {
  if (program.needs_fill || program.regions.size() != 1 || node.output_count() != 1) return false;
  const CopyRegion& region = program.regions[0];
  return region.shape == Shape{element_count(node.output_shape()).value_or(0)} &&
         region.shape[0] == element_count(node.shape()) && region.from_strides == Strides{1} &&
         region.to_strides == Strides{1};
}

std::vector<std::string_view> copy_kernels() {
  std::vector<std::string_view> names = names_of(std::span<const Kernel<ElementCopy>>(kRowCopies));
  std::ranges::copy(names_of(std::span<const Kernel<ElementCopy>>(kElementCopies)),
                    std::back_inserter(names));
  return names;
}

void add_whole_copy(const LoweringContext& context, Buffer from, Buffer to, size_t bytes) {
  Copy copy{from, to, {{0, 0, bytes}}};
  if (!context.sink.elide(copy)) context.sink.add(std::move(copy));
}

Status add_copy_region(const LoweringContext& context, const CopyRegion& region, size_t element_bytes,
                       Buffer from, Buffer to) {
  const ElementCopy copy{region, element_bytes, from, to};
  if (!is_few_rows(region)) return add_copy_kernel(context, copy);
  if (context.sink.elide(pieces_of(copy))) return {};
  return lower_by_list(std::span<const Kernel<ElementCopy>>(kRowCopies), context, copy);
}

}  // namespace nnrt::vulkan
