#include "backends/vulkan/lower/reduction/lower_top_k.h"

#include "backends/vulkan/lower/elementwise/lower_cast.h"
#include "core/schema/geometry.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kMinChunk = 256;
constexpr uint32_t kShare = 4;  // of which a chunk keeps one, or less

struct TopKPush {
  uint32_t count = 0, length = 0, inner = 0, chunk = 0, k = 0, selected = 0;
};

// Elements with their original indices, which are known once the first dispatch is done.
struct Elements {
  Buffer x;
  DType dtype{};
  std::optional<Buffer> indices;
};

uint32_t float_bits(DType dtype) { return is_float(dtype) ? uint32_t(8 * size_of(dtype)) : 0; }

// The elements of a line that are left if each of its chunks keeps k.
uint32_t selected_by(uint32_t length, uint32_t chunk, uint32_t k) {
  const uint32_t whole = (length - 1) / chunk;
  return whole * k + std::min(k, length - whole * chunk);
}

// Values between steps are words of the bits of their dtype.
void add_step(const LoweringContext& context, const Selection& selection, const Elements& from,
              uint32_t length, uint32_t chunk, Buffer values, Buffer indices) {
  const bool first = !from.indices;
  const bool last = chunk == length;
  const Middle& shape = selection.shape;
  const TopKPush push{shape.results() * length,
                      length,
                      shape.inner,
                      chunk,
                      selection.k,
                      selected_by(length, chunk, selection.k)};
  context.sink.add(Dispatch{
      .shader = "top_k",
      .constants = {uint32_t(first ? size_of(from.dtype) : 4), float_bits(from.dtype), !first,
                    last && selection.ascending, last && selection.index_dtype == DType::i64 ? 2u : 1u},
      .push = Push(push),
      .buffers = {from.x, first ? from.x : *from.indices, values, indices},
      .threads = threads_for(push.count, context.plan),
      .local = {kGroup, 1, 1}});
}

}  // namespace

void add_selection(const LoweringContext& context, const Selection& selection) {
  const uint32_t lines = selection.shape.results();
  const uint64_t chunk = std::max<uint64_t>(kMinChunk, uint64_t(kShare) * selection.k);
  Elements elements{selection.x, selection.dtype, std::nullopt};
  uint32_t length = selection.shape.length;
  while (length > 2 * chunk) {
    const uint32_t selected = selected_by(length, uint32_t(chunk), selection.k);
    const Buffer values = context.sink.scratch(size_t(lines) * selected * 4);
    const Buffer indices = context.sink.scratch(size_t(lines) * selected * 4);
    add_step(context, selection, elements, length, uint32_t(chunk), values, indices);
    elements.x = values;
    elements.indices = indices;
    length = selected;
  }
  const uint32_t count = lines * selection.k;
  const bool narrow = size_of(selection.dtype) < 4;
  const Buffer words =
      selection.values && !narrow ? *selection.values : context.sink.scratch(size_t(count) * 4);
  const Buffer indices = selection.indices
                             ? *selection.indices
                             : context.sink.scratch(size_t(count) * size_of(selection.index_dtype));
  add_step(context, selection, elements, length, length, words, indices);
  if (!selection.values || !narrow) return;
  const DType bits = size_of(selection.dtype) == 1 ? DType::i8 : DType::i16;
  add_cast(context, words, DType::i32, *selection.values, bits, count);
}

Status lower_top_k(const LoweringContext& context) {
  const NodeView& node = context.node;
  const Shape shape = node.shape().empty() ? Shape{1} : node.shape();
  NNRT_TRY(count_of(shape));
  NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), shape.size()));
  add_selection(context, {.x = context.input(0),
                          .dtype = node.dtype(),
                          .shape = middle_of(shape, size_t(axis), size_t(axis) + 1),
                          .k = uint32_t(node.integers(1)->at(0)),
                          .ascending = !node.attrs().flag(Attr::sorted),
                          .index_dtype = node.output(1).dtype,
                          .values = context.output(0),
                          .indices = context.output(1)});
  return {};
}

}  // namespace nnrt::vulkan
