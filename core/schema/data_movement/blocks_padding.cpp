#include "core/base/text.h"
#include "core/schema/data_movement/data_movement.h"

namespace nnrt::data_movement {
namespace {

Status require_size(std::string_view what, int64_t value, int64_t min) {
  if (value >= min && value <= kLargestDimension) return {};
  return invalid(what, " (", value, ") is outside [", min, ", ", kLargestDimension, "].");
}

Result<int64_t> quotient(std::string_view what, int64_t value, int64_t divisor) {
  if (value < 0) return kUnknown;
  if (value % divisor != 0) return invalid(what, " (", value, ") is not divisible by ", divisor, ".");
  return value / divisor;
}

struct Sides {
  std::array<int64_t, 2> before{}, after{};
};

// [[top, bottom], [left, right]]
Result<Sides> read_sides(const Attrs& attrs, Attr attr, std::string_view what) {
  if (!attrs.has(attr)) return Sides{};
  const std::span<const int64_t> values = attrs.integers(attr);
  for (const int64_t value : values) NNRT_TRY(require_size(what, value, 0));
  return Sides{{values[0], values[2]}, {values[1], values[3]}};
}

Result<Blocks> in_depth(const NodeView& node, Layout layout) {
  const bool packs = node.op() == Op::space_to_depth;
  const Shape& input = node.shape(0);
  const int64_t block = node.attrs().integer(Attr::block);
  NNRT_TRY(require_size("Block size", block, packs ? 2 : 1));
  const int64_t area = block * block;
  Blocks blocks{layout, input, input, {block, block}};
  if (packs) {
    NNRT_ASSIGN(blocks.packed[layout.h], quotient("Height", input[layout.h], block));
    NNRT_ASSIGN(blocks.packed[layout.w], quotient("Width", input[layout.w], block));
    NNRT_ASSIGN(blocks.packed[layout.c], times(input[layout.c], area));
  } else {
    NNRT_ASSIGN(blocks.image[layout.h], times(input[layout.h], block));
    NNRT_ASSIGN(blocks.image[layout.w], times(input[layout.w], block));
    NNRT_ASSIGN(blocks.image[layout.c], quotient("The number of channels", input[layout.c], area));
  }
  return blocks;
}

Result<int64_t> cropped(int64_t size, int64_t block, int64_t before, int64_t after) {
  NNRT_ASSIGN(const int64_t full, times(size, block));
  if (full < 0) return kUnknown;
  if (full - before - after < 1) {
    return invalid("Crops of ", before, " and ", after, " leave nothing of ", full, ".");
  }
  return full - before - after;
}

Result<Blocks> in_batch(const NodeView& node, Layout layout) {
  const bool packs = node.op() == Op::space_to_batch_nd;
  const Shape& input = node.shape(0);
  const std::span<const int64_t> block = node.attrs().integers(Attr::block);
  for (const int64_t size : block) NNRT_TRY(require_size("Block size", size, 1));
  NNRT_ASSIGN(const Sides sides, packs ? read_sides(node.attrs(), Attr::paddings, "Padding")
                                       : read_sides(node.attrs(), Attr::crops, "Crop"));
  Blocks blocks{layout, input, input, {block[0], block[1]}, sides.before, sides.after};
  const std::array<size_t, 2> axes{layout.h, layout.w};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t size = input[axes[i]];
    const int64_t padded = size < 0 ? kUnknown : size + sides.before[i] + sides.after[i];
    if (packs) {
      NNRT_ASSIGN(blocks.packed[axes[i]], quotient("The padded size", padded, block[i]));
    } else {
      NNRT_ASSIGN(blocks.image[axes[i]], cropped(size, block[i], sides.before[i], sides.after[i]));
    }
  }
  const int64_t area = block[0] * block[1];
  if (packs) {
    NNRT_ASSIGN(blocks.packed[layout.n], times(input[layout.n], area));
  } else {
    NNRT_ASSIGN(blocks.image[layout.n], quotient("The batch", input[layout.n], area));
  }
  return blocks;
}

Status check_sides(PadKind kind, int64_t length, int64_t before, int64_t after) {
  NNRT_TRY(require_size("Padding", before, 0));
  NNRT_TRY(require_size("Padding", after, 0));
  if (kind == PadKind::constant || kind == PadKind::edge || length < 0) return {};
  const int64_t max = kind == PadKind::reflect ? length - 1 : length;
  if (before <= max && after <= max) return {};
  return invalid("Padding (", before, ", ", after, ") ", kind == PadKind::wrap ? "repeats" : "mirrors",
                 " more than ", max, " of ", length, " elements.");
}

PadKind pad_kind(const NodeView& node) {
  if (node.op() == Op::pad_edge) return PadKind::edge;
  if (node.op() == Op::pad_wrap) return PadKind::wrap;
  return PadKind(node.attrs().integer(Attr::padding_mode));
}

}  // namespace

Result<Blocks> blocks(const NodeView& node) {
  if (node.shape(0).size() != 4) {
    return invalid("The rank of the input (", node.shape(0).size(), ") is not 4.");
  }
  const Layout layout = layout_of(node.format());
  const bool depth = node.op() == Op::depth_to_space || node.op() == Op::space_to_depth;
  return depth ? in_depth(node, layout) : in_batch(node, layout);
}

Result<Padding> padding(const NodeView& node) {
  Padding padding;
  padding.input = at_least_1d(node.shape(0));
  padding.kind = pad_kind(node);
  const Shape expected{int64_t(padding.input.size()), 2};
  if (!compatible(node.shape(1), expected)) {
    return invalid("The shape of the paddings ", to_string(node.shape(1)), " is not ", to_string(expected),
                   ".");
  }
  const std::optional<std::vector<int64_t>> amounts = node.integers(1);
  if (!amounts) return Error{Code::failed, "The paddings are not known."};
  for (size_t d = 0; d < padding.input.size(); ++d) {
    const int64_t before = (*amounts)[2 * d];
    const int64_t after = (*amounts)[2 * d + 1];
    const int64_t length = padding.input[d];
    NNRT_TRY(check_sides(padding.kind, length, before, after));
    NNRT_ASSIGN(const int64_t size, times(length < 0 ? kUnknown : length + before + after, 1));
    padding.output.push_back(size);
    padding.before.push_back(before);
    padding.after.push_back(after);
  }
  return padding;
}

}  // namespace nnrt::data_movement
