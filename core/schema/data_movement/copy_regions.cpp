#include "core/schema/data_movement/copy_regions.h"

#include "core/base/divide_up.h"
#include "core/schema/data_movement/data_movement.h"
#include "core/schema/schema.h"

#include <algorithm>

namespace nnrt {
namespace {

using data_movement::Blocks;

// One dimension of a region: count, and strides in input and output.
struct Walk {
  int64_t count, from, to;
};

struct Ends {
  size_t input = 0, output = 0;
  int64_t from = 0, to = 0;
};

// Sorts the dimensions by decreasing output stride, so that writes move forward.
CopyRegion region(const Ends& ends, std::vector<Walk> walks) {
  std::erase_if(walks, [](const Walk& walk) { return walk.count == 1; });
  std::stable_sort(walks.begin(), walks.end(), [](const Walk& a, const Walk& b) { return a.to > b.to; });
  if (walks.empty()) walks.push_back({1, 1, 1});
  Shape shape;
  std::array<Strides, 2> strides;
  for (const Walk& walk : walks) {
    shape.push_back(walk.count);
    strides[0].push_back(walk.from);
    strides[1].push_back(walk.to);
  }
  Collapsed merged = collapse(shape, strides);
  return {ends.input,
          ends.output,
          std::move(merged.shape),
          ends.from,
          ends.to,
          std::move(merged.strides[0]),
          std::move(merged.strides[1])};
}

// Copies a box of one tensor to an equal box of another.
CopyRegion box(const Ends& ends, const Shape& shape, const Strides& from, const Strides& to) {
  std::vector<Walk> walks;
  for (size_t d = 0; d < shape.size(); ++d) walks.push_back({shape[d], from[d], to[d]});
  return region(ends, std::move(walks));
}

CopyRegion whole(const Shape& shape) { return box({}, shape, strides_of(shape), strides_of(shape)); }

CopyRegion transposed(const Shape& input, std::span<const size_t> order) {
  const Strides strides = strides_of(input);
  Shape output;
  Strides from;
  for (const size_t d : order) {
    output.push_back(input[d]);
    from.push_back(strides[d]);
  }
  return box({}, output, from, strides_of(output));
}

CopyRegion sliced(const data_movement::Slice& slice) {
  Strides from = strides_of(slice.input);
  Ends ends;
  for (size_t d = 0; d < from.size(); ++d) {
    ends.from += slice.begin[d] * from[d];
    from[d] *= slice.step[d];
  }
  return box(ends, slice.count, from, strides_of(slice.count));
}

CopyRegion repeated(const data_movement::Repeat& repeat) {
  const Strides from = strides_of(repeat.input);
  const Strides to = strides_of(repeat.output);
  std::vector<Walk> walks;
  for (size_t d = 0; d < from.size(); ++d) {
    const int64_t times = repeat.input[d] == 0 ? 0 : repeat.output[d] / repeat.input[d];
    walks.push_back({times, 0, repeat.input[d] * to[d]});
    walks.push_back({repeat.input[d], from[d], to[d]});
  }
  return region({}, std::move(walks));
}

std::vector<CopyRegion> concat_regions(const data_movement::ConcatSplit& concat_split, bool joins) {
  const Strides whole_strides = strides_of(concat_split.whole);
  std::vector<CopyRegion> regions;
  int64_t offset = 0;
  for (size_t i = 0; i < concat_split.sizes.size(); ++i) {
    const Shape segment = concat_split.segment(i);
    const Strides strides = strides_of(segment);
    regions.push_back(joins ? box({i, 0, 0, offset}, segment, strides, whole_strides)
                            : box({0, i, offset, 0}, segment, whole_strides, strides));
    offset += concat_split.sizes[i] * whole_strides[concat_split.axis];
  }
  return regions;
}

// Walks are given from image to packed tensor; the inverse operators swap the ends.
CopyRegion directed(bool packs, Ends ends, std::vector<Walk> walks) {
  if (!packs) {
    std::swap(ends.from, ends.to);
    for (Walk& walk : walks) std::swap(walk.from, walk.to);
  }
  return region(ends, std::move(walks));
}

CopyRegion packed_in_depth(const Blocks& blocks, bool packs, bool columns_first) {
  const Layout& at = blocks.layout;
  const Strides image = strides_of(blocks.image);
  const Strides packed = strides_of(blocks.packed);
  const int64_t channels = blocks.image[at.c];
  const int64_t size = blocks.block[0];
  // Packed channels are ordered block-first (DCR) or channel-first (CRD).
  const int64_t cell = columns_first ? packed[at.c] : channels * packed[at.c];
  const int64_t channel = columns_first ? size * size * packed[at.c] : packed[at.c];
  return directed(packs, {},
                  {{blocks.image[at.n], image[at.n], packed[at.n]},
                   {blocks.packed[at.h], size * image[at.h], packed[at.h]},
                   {size, image[at.h], size * cell},
                   {blocks.packed[at.w], size * image[at.w], packed[at.w]},
                   {size, image[at.w], cell},
                   {channels, image[at.c], channel}});
}

// Rows (or columns) of blocks: `phases` adjacent positions in a block, starting at `phase`, that lie inside
// the image in the same `count` blocks, starting at block `first`.
struct Run {
  int64_t phase, phases, first, count;
};

std::vector<Run> runs_of(int64_t size, int64_t block, int64_t before) {
  std::vector<Run> runs;
  for (int64_t phase = 0; phase < block; ++phase) {
    const int64_t outside = std::max<int64_t>(0, before - phase);
    const int64_t first = divide_up(outside, block);
    const int64_t past = (size - 1 + before - phase + block) / block;
    if (past <= first) continue;
    const bool follows = !runs.empty() && runs.back().phase + runs.back().phases == phase &&
                         runs.back().first == first && runs.back().count == past - first;
    if (follows) {
      ++runs.back().phases;
    } else {
      runs.push_back({phase, 1, first, past - first});
    }
  }
  return runs;
}

std::vector<CopyRegion> packed_in_batch(const Blocks& blocks, bool packs) {
  const Layout& at = blocks.layout;
  const auto [height, width] = blocks.block;
  const Strides image = strides_of(blocks.image);
  const Strides packed = strides_of(blocks.packed);
  const int64_t images = blocks.image[at.n];
  const int64_t cell = images * packed[at.n];
  std::vector<CopyRegion> regions;
  for (const Run& h : runs_of(blocks.image[at.h], height, blocks.before[0])) {
    for (const Run& w : runs_of(blocks.image[at.w], width, blocks.before[1])) {
      const int64_t top = h.first * height + h.phase - blocks.before[0];
      const int64_t left = w.first * width + w.phase - blocks.before[1];
      const Ends ends{0, 0, top * image[at.h] + left * image[at.w],
                      (h.phase * width + w.phase) * cell + h.first * packed[at.h] + w.first * packed[at.w]};
      regions.push_back(directed(packs, ends,
                                 {{h.phases, image[at.h], width * cell},
                                  {w.phases, image[at.w], cell},
                                  {images, image[at.n], packed[at.n]},
                                  {h.count, height * image[at.h], packed[at.h]},
                                  {w.count, width * image[at.w], packed[at.w]},
                                  {blocks.image[at.c], image[at.c], packed[at.c]}}));
    }
  }
  return regions;
}

// A segment of a padded dimension that one strided walk fills.
struct Segment {
  int64_t count, from, step, to;
};

std::vector<Segment> segments_of(const data_movement::Padding& padding, size_t d) {
  const int64_t length = padding.input[d];
  const int64_t before = padding.before[d];
  const int64_t after = padding.after[d];
  std::vector<Segment> segments{{length, 0, 1, before}};
  if (padding.kind == data_movement::PadKind::constant) return segments;
  const auto [first, step, last] = [&]() -> std::array<int64_t, 3> {
    switch (padding.kind) {
      case data_movement::PadKind::reflect: return {before, -1, length - 2};
      case data_movement::PadKind::symmetric: return {before - 1, -1, length - 1};
      case data_movement::PadKind::wrap: return {length - before, 1, 0};
      default: return {0, 0, length - 1};
    }
  }();
  if (before > 0) segments.push_back({before, first, step, 0});
  if (after > 0) segments.push_back({after, last, step, before + length});
  return segments;
}

// One region per combination of segments.
std::vector<CopyRegion> padded(const data_movement::Padding& padding) {
  const Strides from = strides_of(padding.input);
  const Strides to = strides_of(padding.output);
  struct Partial {
    Ends ends;
    std::vector<Walk> walks;
  };
  std::vector<Partial> partials(1);
  for (size_t d = 0; d < from.size(); ++d) {
    std::vector<Partial> longer;
    for (const Segment& segment : segments_of(padding, d)) {
      for (Partial partial : partials) {
        partial.ends.from += segment.from * from[d];
        partial.ends.to += segment.to * to[d];
        partial.walks.push_back({segment.count, segment.step * from[d], to[d]});
        longer.push_back(std::move(partial));
      }
    }
    partials = std::move(longer);
  }
  std::vector<CopyRegion> regions;
  regions.reserve(partials.size());
  for (Partial& partial : partials) regions.push_back(region(partial.ends, std::move(partial.walks)));
  return regions;
}

Result<CopyProgram> block_program(const NodeView& node) {
  NNRT_ASSIGN(const Blocks blocks, data_movement::blocks(node));
  switch (node.op()) {
    case Op::depth_to_space:
      return CopyProgram{false, {packed_in_depth(blocks, false, node.attrs().integer(Attr::mode) == 1)}};
    case Op::space_to_depth: return CopyProgram{false, {packed_in_depth(blocks, true, false)}};
    case Op::batch_to_space_nd: return CopyProgram{false, packed_in_batch(blocks, false)};
    default: break;
  }
  const bool pads = element_count(blocks.image) != element_count(blocks.packed);
  return CopyProgram{pads, packed_in_batch(blocks, true)};
}

}  // namespace

bool is_data_movement(Op op) { return schema(op).family == Family::data_movement; }

Result<CopyProgram> copy_program(const NodeView& node) {
  switch (node.op()) {
    case Op::reshape:
    case Op::flatten:
    case Op::squeeze:
    case Op::unsqueeze:
    case Op::expand_dims: return CopyProgram{false, {whole(node.shape(0))}};
    case Op::transpose: {
      NNRT_ASSIGN(const std::vector<size_t> order, data_movement::permutation(node));
      return CopyProgram{false, {transposed(data_movement::at_least_1d(node.shape(0)), order)}};
    }
    case Op::slice:
    case Op::strided_slice:
    case Op::crop: {
      NNRT_ASSIGN(const data_movement::Slice slice, data_movement::slice(node));
      return CopyProgram{false, {sliced(slice)}};
    }
    case Op::tile:
    case Op::broadcast_to: {
      NNRT_ASSIGN(const data_movement::Repeat repeat, data_movement::repeat(node));
      return CopyProgram{false, {repeated(repeat)}};
    }
    case Op::concat:
    case Op::stack:
    case Op::split:
    case Op::unstack: {
      NNRT_ASSIGN(const data_movement::ConcatSplit concat_split, data_movement::concat_split(node));
      return CopyProgram{false,
                         concat_regions(concat_split, node.op() == Op::concat || node.op() == Op::stack)};
    }
    case Op::pad:
    case Op::pad_edge:
    case Op::pad_wrap: {
      NNRT_ASSIGN(const data_movement::Padding padding, data_movement::padding(node));
      const bool fills = padding.kind == data_movement::PadKind::constant && padding.input != padding.output;
      return CopyProgram{fills, padded(padding)};
    }
    default: return block_program(node);
  }
}

}  // namespace nnrt
