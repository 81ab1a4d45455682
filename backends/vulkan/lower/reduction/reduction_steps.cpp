#include "backends/vulkan/lower/reduction/reduction_steps.h"

#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/row_groups.h"
#include "core/base/text.h"

#include <algorithm>
#include <bit>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kLong = 1024;    // too many elements for one invocation
constexpr uint32_t kChunk = 256;    // elements per invocation if lines are split
constexpr uint32_t kEnough = 1024;  // invocations that fill the device
// The same for workgroups, in loads: several per core. One workgroup reads this many loads of 16 bytes in
// about the time that a second dispatch costs.
constexpr uint32_t kLongForGroup = 32768, kChunkOfGroup = 2048, kGroupsPerCore = 2;

struct ReducePush {
  uint32_t count = 0;
  uint32_t length = 0, chunk = 0, chunks = 0, inner = 0;
  uint32_t divisor = std::bit_cast<uint32_t>(1.0F);  // float bits, or an integer for INT64
  float factor = 1;
};

// Elements per load along length and inner.
struct Vectors {
  std::string_view shader;
  uint32_t along_length = 1, along_inner = 1;
};
constexpr Vectors kVec4Inner{"reduce_f32_vec4", 1, 4}, kVec4Length{"reduce_f32_vec4_row", 4, 1};

// Reduces each of several chunks of the length to its own result.
struct Pass {
  Reduction reduction;
  ReductionShape shape;
  uint32_t chunks = 1;
  Buffer from, to;
};

bool workgroups_share(const DevicePlan& plan) {
  return !plan.is_software && plan.subgroup_arithmetic && !why_not_sharing(plan);
}

WhyNot why_not_vec4(const Pass& pass) {
  return pass.reduction.dtype == DType::f32 ? WhyNot() : "It is not of FLOAT32.";
}

WhyNot why_not_vec4_inner(const LoweringContext&, const Pass& pass) {
  if (const WhyNot why = why_not_vec4(pass)) return why;
  if (pass.shape.inner % 4 == 0) return {};
  return {"The inner size ({}) is not a multiple of 4.", pass.shape.inner};
}

WhyNot why_not_vec4_length(const LoweringContext&, const Pass& pass) {
  if (const WhyNot why = why_not_vec4(pass)) return why;
  const ReductionShape& shape = pass.shape;
  if (shape.inner != 1) return {"The inner size ({}) is not 1.", shape.inner};
  return shape.length % 4 == 0 ? WhyNot() : WhyNot("The length ({}) is not a multiple of 4.", shape.length);
}

Vectors scalars(const Pass& pass) { return {variant("reduce", pass.reduction.dtype)}; }

// Load width for a workgroup that shares a result.
Vectors group_vectors(const LoweringContext& context, const Pass& pass) {
  if (!why_not_vec4_inner(context, pass)) return kVec4Inner;
  if (!why_not_vec4_length(context, pass)) return kVec4Length;
  return scalars(pass);
}

ReducePush push_of(const Pass& pass, const Vectors& vectors) {
  const auto& [reduction, shape, chunks, from, to] = pass;
  ReducePush push;
  push.length = shape.length / vectors.along_length;
  push.chunk = push.length == 0 ? 0 : divide_up(push.length, chunks);
  push.chunks = chunks;
  push.inner = shape.inner / vectors.along_inner;
  push.count = shape.outer * chunks * push.inner;
  const bool integer = reduction.dtype == DType::i64;
  push.divisor = integer ? reduction.divisor : std::bit_cast<uint32_t>(float(reduction.divisor));
  push.factor = reduction.factor;
  return push;
}

Dispatch dispatch_of(const Pass& pass, const ReducePush& push, std::string_view shader) {
  const Reduction& reduction = pass.reduction;
  return {.shader = shader,
          .constants = {uint32_t(reduction.op), reduction.squares, reduction.root},
          .push = Push(push),
          .buffers = {pass.from, pass.to}};
}

// Results per invocation: those that share a word.
uint32_t results_at_once(const Pass& pass) { return pass.reduction.dtype == DType::boolean ? 4 : 1; }

// Stores: results, or the words that pack them.
uint32_t stores_of(const Pass& pass, const ReducePush& push) {
  return pass.reduction.dtype == DType::boolean ? words_of(DType::boolean, push.count) : push.count;
}

uint64_t pass_iterations(const Pass& pass, const Vectors& vectors) {
  return results_at_once(pass) * row_iterations(push_of(pass, vectors).chunk, 1);
}

Status add_pass(const LoweringContext& context, const Pass& pass, const Vectors& vectors) {
  const ReducePush push = push_of(pass, vectors);
  Dispatch dispatch = dispatch_of(pass, push, vectors.shader);
  dispatch.threads = threads_for(stores_of(pass, push), context.plan, group_of_long(context.plan));
  dispatch.local = {group_of_long(context.plan), 1, 1};
  dispatch.iterations = pass_iterations(pass, vectors);
  context.sink.add(std::move(dispatch));
  return {};
}

std::string_view group_shader(const Vectors& vectors, bool by_subgroups) {
  return embedded_name(cat(vectors.shader, by_subgroups ? "_subgroups" : "_group"));
}

Rows rows_of(const Pass& pass, const ReducePush& push) {
  // If results are packed into words, one workgroup computes all results of a word in turn.
  const bool is_boolean = pass.reduction.dtype == DType::boolean;
  return {stores_of(pass, push), push.chunk, is_boolean ? 1 : push.inner};
}

uint64_t iterations_of_group(const LoweringContext& context, const Pass& pass) {
  const Rows rows = rows_of(pass, push_of(pass, group_vectors(context, pass)));
  return results_at_once(pass) * shared_row_iterations(rows, context.plan, 1);
}

// Workgroups of a single pass, and loads per workgroup.
struct GroupWork {
  uint32_t groups = 0;
  uint64_t loads = 0;
};
GroupWork group_work_of(const LoweringContext& context, const Pass& pass) {
  const Rows rows = rows_of(pass, push_of(pass, group_vectors(context, pass)));
  const RowGroup group = row_group_for(rows, context.plan);
  return {groups_of(rows, group), uint64_t(rows.length) * group.across};
}

uint32_t chunks_of(const LoweringContext& context, const Pass& pass) {
  const ReductionShape& shape = pass.shape;
  const uint32_t max_chunks = divide_up(shape.length, kChunk);
  if (!workgroups_share(context.plan)) return std::clamp(kEnough / shape.results(), 2u, max_chunks);
  const GroupWork work = group_work_of(context, pass);
  const auto enough = uint32_t(divide_up(work.loads, kChunkOfGroup));
  return std::clamp(std::min(context.plan.cores * kGroupsPerCore / work.groups, enough), 2u, max_chunks);
}

WhyNot why_not_two_pass(const LoweringContext& context, const Pass& pass) {
  const ReductionShape& shape = pass.shape;
  const DevicePlan& plan = context.plan;
  if (shape.length <= kChunk || shape.results() == 0) return {"A result has only {} elements.", shape.length};
  if (!workgroups_share(plan)) {
    if (shape.length <= kLong) return WhyNot::slower("A result has only {} elements.", shape.length);
    if (shape.results() < kEnough) return {};
    return WhyNot::slower("{} results already fill all cores.", shape.results());
  }
  const GroupWork work = group_work_of(context, pass);
  if (work.loads <= kLongForGroup) return WhyNot::slower("A workgroup has only {} loads.", work.loads);
  if (work.groups < plan.cores * kGroupsPerCore) return {};
  return WhyNot::slower("{} results already fill all cores.", shape.results());
}

template <bool by_subgroups>
constexpr Kernel<Pass> group_kernel(std::string_view name) {
  return {
      name,
      [](const LoweringContext& context, const Pass& pass) {
        const Vectors vectors = group_vectors(context, pass);
        if (by_subgroups && pass.shape.inner != 1)
          return WhyNot("{} results are adjacent.", pass.shape.inner);
        if (group_shader(vectors, by_subgroups).empty())
          return WhyNot(by_subgroups ? "Subgroups cannot reduce this dtype." : "Subgroups share its rows.");
        return why_not_row_groups(rows_of(pass, push_of(pass, vectors)), context.plan, by_subgroups);
      },
      [](const LoweringContext& context, const Pass& pass) {
        const Vectors vectors = group_vectors(context, pass);
        const ReducePush push = push_of(pass, vectors);
        Dispatch dispatch = dispatch_of(pass, push, group_shader(vectors, by_subgroups));
        const Rows rows = rows_of(pass, push);
        dispatch.iterations = iterations_of_group(context, pass);
        share_rows(dispatch, rows, context.plan);
        context.sink.add(std::move(dispatch));
        return Status();
      },
      View::none, iterations_of_group};
}

Status add_two_passes(const LoweringContext& context, const Pass& pass);

constexpr Kernel<Pass> kReductions[] = {
    {"two_pass", why_not_two_pass, add_two_passes},
    group_kernel<true>("reduce_by_subgroups"),
    group_kernel<false>("reduce_by_group"),
    {"vec4_inner", why_not_vec4_inner,
     [](const LoweringContext& context, const Pass& pass) { return add_pass(context, pass, kVec4Inner); },
     View::none, [](const LoweringContext&, const Pass& pass) { return pass_iterations(pass, kVec4Inner); }},
    {"vec4_length", why_not_vec4_length,
     [](const LoweringContext& context, const Pass& pass) { return add_pass(context, pass, kVec4Length); },
     View::none, [](const LoweringContext&, const Pass& pass) { return pass_iterations(pass, kVec4Length); }},
    {"scalar", nullptr,
     [](const LoweringContext& context, const Pass& pass) { return add_pass(context, pass, scalars(pass)); },
     View::none,
     [](const LoweringContext&, const Pass& pass) { return pass_iterations(pass, scalars(pass)); }},
};

constexpr std::span<const Kernel<Pass>> kAll(kReductions);
constexpr std::span<const Kernel<Pass>> kSinglePass = kAll.subspan(1);

Status add_two_passes(const LoweringContext& context, const Pass& pass) {
  const ReductionShape& shape = pass.shape;
  const uint32_t chunks = chunks_of(context, pass);
  const size_t bytes = size_t(chunks) * shape.results() * size_of(pass.reduction.dtype);
  const Buffer partial = context.sink.scratch(bytes);
  Pass first{pass.reduction, shape, chunks, pass.from, partial};
  first.reduction.root = false;
  first.reduction.divisor = 1;
  first.reduction.factor = 1;
  Pass last{pass.reduction, {shape.outer, chunks, shape.inner}, 1, partial, pass.to};
  last.reduction.squares = false;
  NNRT_TRY(lower_by_list(kSinglePass, context, first));
  return lower_by_list(kSinglePass, context, last);
}

}  // namespace

ReductionShape reduction_shape(const Shape& shape, size_t from, size_t to) {
  const size_t rank = shape.size();
  from = std::min(from, rank);
  to = std::min(to, rank);
  return {uint32_t(product(shape, 0, from)), uint32_t(product(shape, from, to)),
          uint32_t(product(shape, to, rank))};
}

Reduction whole_pool(bool is_maximum, uint32_t cells) {
  if (is_maximum) return {.op = Reduce::maximum, .dtype = DType::f32};
  return {.op = Reduce::sum, .dtype = DType::f32, .divisor = cells};
}

std::vector<std::string_view> reduction_kernels() { return names_of(kAll); }

Status add_reduction(const LoweringContext& context, const Reduction& reduction, const ReductionShape& shape,
                     Buffer from, Buffer to) {
  return lower_by_list(kAll, context, Pass{reduction, shape, 1, from, to});
}

}  // namespace nnrt::vulkan
