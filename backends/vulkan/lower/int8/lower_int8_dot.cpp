#include "backends/vulkan/lower/int8/lower_int8_dot.h"

#include "backends/vulkan/lower/common/row_groups.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "backends/vulkan/lower/int8/int8_operands.h"

#include <algorithm>
#include <cstring>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kInt8PerWord = 4, kInt8PerVector = 16;
constexpr uint32_t kTile = 64;                        // pixels and columns per workgroup
constexpr uint32_t kGroupOf8 = 128, kGroupOf4 = 256;  // invocations with so many rows each
constexpr uint32_t kRegistersOf8 = 132;               // as RADV compiles it; 136 by ANV
constexpr uint32_t kRowsInRegisters = 4;              // of an invocation of int8_dot_registers.comp
constexpr uint32_t kSlice = 16;                       // words of K between two barriers of int8_dot.comp
constexpr uint64_t kStored = 8;                       // loop iterations to store four results

// Must match int8_product.glsl.
struct Int8DotPush {
  uint32_t pixels = 0;
  Size2 out{}, in{};
  uint32_t pixel_words = 0, group_words = 0;
  uint32_t columns = 0, groups = 1;
  SpatialPush spatial;
  uint32_t matrices = 1, a_matrix = 0, b_matrix = 0, y_matrix = 0;
  int32_t left_zero = 0;
  RequantizePush result;
};

// Must match int8_gemv.comp.
struct Int8GemvPush {
  uint32_t columns = 0, inner = 0;
  uint32_t matrices = 1, a_matrix = 0, b_matrix = 0, y_matrix = 0;
  int32_t left_zero = 0;
  RequantizePush result;
};

// Per output channel: the factor of its sums, the zero point of its weights, and the factor's digits.
Bytes parameters_of(const NodeView& node, uint32_t channels) {
  std::vector<uint32_t> words;
  for (uint32_t c = 0; c < channels; ++c) {
    const auto [factor, digits] = sum_factor_bits_of(node, c);
    words.insert(words.end(), {factor, uint32_t(right_zero_of(node, c)), digits, 0});
  }
  Bytes bytes(words.size() * sizeof(uint32_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

std::vector<Buffer> buffers_of(const LoweringContext& context, const Int8Work& work) {
  const NodeView& node = context.node;
  const Buffer parameters = context.sink.packed(
      node.node().outputs[0], "factors of integer sums",
      [&, channels = work.columns * work.groups] { return parameters_of(node, channels); });
  return {context.input(0), int8_weight(context, work), parameters, int8_bias(context, parameters),
          context.output()};
}

int32_t left_zero_of(const NodeView& node) { return int32_t(node.input(0).quant.zero_points[0]); }

Result<Int8DotPush> dot_push_of(const NodeView& node, const Int8Work& work) {
  Int8DotPush push{work.pixels,
                   work.out,
                   work.in,
                   work.pixel / kInt8PerWord,
                   work.group / kInt8PerWord,
                   work.columns,
                   work.groups,
                   work.spatial,
                   work.matrices,
                   work.a_matrix / kInt8PerWord,
                   work.b_matrix / kInt8PerWord,
                   work.y_matrix / kInt8PerWord,
                   left_zero_of(node),
                   {}};
  NNRT_ASSIGN(push.result, requantize_push_of(node));
  return push;
}

bool fills_vectors(const Int8Work& work) { return work.group % kInt8PerVector == 0; }

// Whether int8_gemv.comp loads vectors. With short K, words keep more invocations busy.
bool loads_vectors(const Int8Work& work) {
  constexpr uint32_t kMinVectors = 16;
  return fills_vectors(work) && work.inner() >= kMinVectors * kInt8PerVector;
}

// Rows for row_groups.h: one per four columns; their length is the number of loads along K.
Rows rows_of(const Int8Work& work) {
  return {work.columns / 4, work.inner() / (loads_vectors(work) ? kInt8PerVector : kInt8PerWord), 1};
}

}  // namespace

WhyNot why_not_int8_gemv(const NodeView& node, const DevicePlan& plan) {
  constexpr uint32_t kMaxRows = 8;  // must match int8_gemv.comp
  if (const WhyNot why = why_not_int8_dot(node, plan)) return why;
  const auto work = int8_work_of(node);
  if (!work.ok() || !work.value().is_gemm_of_pixels()) return "It is not a product with a single matrix.";
  const uint32_t pixels = work.value().pixels;
  if (pixels > kMaxRows) return {"It has {} rows; the limit is {}.", pixels, kMaxRows};
  return why_not_row_groups(rows_of(work.value()), plan, true);
}

Status lower_int8_gemv(const LoweringContext& context) {
  NNRT_ASSIGN(const Int8Work work, int8_work_of(context.node));
  Int8GemvPush push{work.columns,
                    work.inner() / kInt8PerWord,
                    work.matrices,
                    work.a_matrix / kInt8PerWord,
                    work.b_matrix / kInt8PerWord,
                    work.y_matrix / kInt8PerWord,
                    left_zero_of(context.node),
                    {}};
  NNRT_ASSIGN(push.result, requantize_push_of(context.node));
  Dispatch dispatch{.shader = "int8_gemv_subgroups",
                    .constants = {work.pixels},
                    .push = Push(push),
                    .buffers = buffers_of(context, work)};
  share_rows(dispatch, rows_of(work), context.plan);
  dispatch.constants.push_back(uint32_t(loads_vectors(work)));
  dispatch.threads[2] = std::min(work.matrices, context.plan.max_group_count[2]);
  const RowGroup group = row_group_for(rows_of(work), context.plan);
  const uint64_t of_matrix = loop_by(rows_of(work).length, group.lanes) +
                             work.pixels * (reduction_iterations(group.invocations()) + kStored);
  dispatch.iterations = loop_by(work.matrices, dispatch.threads[2], of_matrix);
  context.sink.add(std::move(dispatch));
  return {};
}

WhyNot why_not_int8_dot(const NodeView& node, const DevicePlan& plan) {
  if (!plan.int8_dot) return "Packed dot products are not used on this device.";
  if (plan.max_group_invocations < kGroupOf8)
    return {"Workgroups are limited to {} invocations; it needs {}.", plan.max_group_invocations, kGroupOf8};
  return why_not_int8(node, kInt8PerWord);
}

WhyNot why_not_int8_dot_small(const NodeView& node, const DevicePlan& plan) {
  if (const WhyNot why = why_not_int8_dot(node, plan)) return why;
  if (plan.max_group_invocations < kGroupOf4)
    return {"Workgroups are limited to {} invocations; it needs {}.", plan.max_group_invocations, kGroupOf4};
  if (plan.max_registers < kRegistersOf8) return {};
  return WhyNot::slower("An invocation has {} registers, enough for eight rows.", plan.max_registers);
}

WhyNot why_not_int8_sums(const NodeView& node, const DevicePlan& plan) {
  // lavapipe terminates an invocation after 65,535 loop iterations.
  constexpr uint32_t kMaxInner = 1 << 16;
  if (!has_sums(node)) return "It is only for INT32 sums.";
  if (plan.max_group_invocations < kGroupOf4)
    return {"Workgroups are limited to {} invocations; it needs {}.", plan.max_group_invocations, kGroupOf4};
  if (const WhyNot why = why_not_int8(node, kInt8PerWord)) return why;
  const auto work = int8_work_of(node);
  if (!work.ok()) return "Its shapes do not match.";
  const uint32_t inner = work.value().inner();
  return inner > kMaxInner ? WhyNot{"It adds {} products; the limit is {}.", inner, kMaxInner} : WhyNot();
}

WhyNot why_not_int8_dot_registers(const NodeView& node, const DevicePlan& plan) {
  if (const WhyNot why = why_not_int8_dot(node, plan)) return why;
  return plan.fast_shared_memory ? WhyNot::slower("Shared memory is faster than caches.") : WhyNot();
}

Status lower_int8_dot_registers(const LoweringContext& context) {
  NNRT_ASSIGN(const Int8Work work, int8_work_of(context.node));
  NNRT_ASSIGN(const Int8DotPush push, dot_push_of(context.node, work));
  const uint64_t blocks = divide_up(work.pixels, kRowsInRegisters);
  NNRT_ASSIGN(const uint32_t count,
              count_of({work.matrices, int64_t(blocks), work.columns / 4, work.groups}));
  const uint32_t width = fills_vectors(work) ? kInt8PerVector : kInt8PerWord;
  context.sink.add(Dispatch{.shader = "int8_dot_registers",
                            .constants = {uint32_t(fills_vectors(work))},
                            .push = Push(push),
                            .buffers = buffers_of(context, work),
                            .threads = threads_for(count, context.plan, context.plan.full_group),
                            .local = {context.plan.full_group, 1, 1},
                            .iterations = loop_by(work.inner(), width) + loop_of(kRowsInRegisters, kStored)});
  return {};
}

Status lower_int8_dot(const LoweringContext& context, Int8Dot variant) {
  constexpr std::string_view kShaders[] = {"int8_dot", "int8_dot_small", "int8_dot_plain"};
  NNRT_ASSIGN(const Int8Work work, int8_work_of(context.node));
  NNRT_ASSIGN(const Int8DotPush push, dot_push_of(context.node, work));
  const uint32_t tiles = divide_up(work.pixels, kTile) * divide_up(work.columns, kTile) * work.groups;
  const uint32_t group = variant == Int8Dot::usual ? kGroupOf8 : kGroupOf4;
  Dispatch dispatch{.shader = kShaders[size_t(variant)],
                    .constants = {uint32_t(fills_vectors(work))},
                    .push = Push(push),
                    .buffers = buffers_of(context, work),
                    .threads = {tiles * group, 1, std::min(work.matrices, context.plan.max_group_count[2])}};
  const uint32_t rows = kTile * kTile / 4 / group;  // per invocation, by four columns
  const uint64_t slice = loop_of(variant == Int8Dot::plain ? kSlice : kSlice / 4);
  const uint64_t of_matrix = loop_by(work.inner() / kInt8PerWord, kSlice, slice) + loop_of(rows, kStored);
  dispatch.iterations = loop_by(work.matrices, dispatch.threads[2], of_matrix);
  return add_groups(context, std::move(dispatch), group);
}

}  // namespace nnrt::vulkan
