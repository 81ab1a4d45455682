#include "backends/vulkan/lower/reduction/norm_rows.h"

#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/vectorized_walk.h"

#include <algorithm>
#include <bit>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kLanes = 4;
constexpr uint32_t kMinLength = 32;     // loads of a row that a workgroup shares,
constexpr uint32_t kManyRows = 4096;    // unless so many rows keep a device busy
constexpr uint32_t kMaxRows = 1 << 22;  // times a group still fits in 32 bits
constexpr uint32_t kMinGroup = 32;      // invocations that share a row,
constexpr uint32_t kMaxGroup = 256;     // as many as norm.comp has room for

struct NormPush {
  uint32_t rows = 0, length = 0, inner = 0;
  uint32_t channels = 1, run = 1, width = 1;
  float elements = 1, epsilon = 0;
};

// A norm, and its shape as the variant sees it.
struct Work {
  const Norm& norm;
  Form form;
  RowVariant variant;
  Buffer from, to;
};

// How scale and shift come in vectors of the data.
Form form_of(const Norm& norm) {
  const auto [outer, length, inner] = norm.shape;
  switch (norm.scale) {
    case Scale::none: break;
    case Scale::along_length: return form_of_parameter(length, inner, kLanes);
    case Scale::along_inner: return form_of_parameter(inner, 1, kLanes);
    case Scale::along_outer: return form_of_parameter(norm.channels, int64_t(length) * inner, kLanes);
    case Scale::along_planes: return form_of_parameter(norm.width, norm.run, kLanes);
    case Scale::along_pixels: return norm.width % kLanes == 0 ? Form::vectors : Form::elements;
  }
  return Form::splat;
}

WhyNot why_not_by_group(const LoweringContext& context, const Work& work) {
  const RowVariant& variant = work.variant;
  if (variant.rows > kMaxRows) return {"{} rows need too many invocations.", variant.rows};
  if (context.plan.is_software) return WhyNot::slower("A processor computes a row as fast alone.");
  if (variant.length < kMinLength)
    return WhyNot::slower("A row has only {} elements.", work.norm.shape.length);
  if (variant.rows < kManyRows || variant.inner == 1) return {};
  return WhyNot::slower("{} rows keep all processors busy.", variant.rows);
}

Status add(const LoweringContext& context, const Work& work, uint32_t group) {
  const auto& [norm, form, variant, from, to] = work;
  const bool in_vectors = variant.length != norm.shape.length;
  NormPush push{.rows = variant.rows, .length = variant.length, .inner = variant.inner};
  push.channels = norm.channels;
  push.run = in_vectors ? std::max(norm.run / kLanes, 1u) : norm.run;
  push.width = in_vectors && form == Form::vectors ? norm.width / kLanes : norm.width;
  push.elements = float(norm.shape.length);
  push.epsilon = float(context.node.attrs().real(Attr::epsilon));
  const bool scaled = norm.scale != Scale::none;
  const bool by_group = group != 0;
  const uint32_t local = by_group ? group : group_of_long(context.plan);
  context.sink.add(
      Dispatch{.shader = variant.shader,
               .constants = {norm.activation, uint32_t(norm.scale), uint32_t(form), norm.centered, by_group},
               .push = Push(push),
               .buffers = {from, scaled ? context.input(1) : from,
                           scaled && norm.centered ? context.input(2) : from, to},
               .threads = threads_for(variant.rows * (by_group ? group : 1), context.plan, local),
               .local = {local, 1, 1}});
  return {};
}

Status add_by_group(const LoweringContext& context, const Work& work) {
  const uint32_t max_group = std::min(kMaxGroup, std::bit_floor(context.plan.max_group_invocations));
  const uint32_t wanted = std::bit_ceil(work.variant.length / 2);
  return add(context, work, std::clamp(wanted, kMinGroup, max_group));
}

constexpr Kernel<Work> kNorms[] = {
    {"norm_by_group", why_not_by_group, add_by_group},
    {"norm_by_row", nullptr,
     [](const LoweringContext& context, const Work& work) { return add(context, work, 0); }},
};

constexpr std::span<const Kernel<Work>> kAll(kNorms);

}  // namespace

RowVariant row_variant(const std::array<std::string_view, 3>& shaders, const Middle& shape,
                       const DevicePlan& plan) {
  if (shape.inner % kLanes == 0)
    return {by_texels(shaders[1], plan), shape.results() / kLanes, shape.length, shape.inner / kLanes};
  if (shape.inner == 1 && shape.length % kLanes == 0)
    return {by_texels(shaders[2], plan), shape.results(), shape.length / kLanes, 1};
  return {shaders[0], shape.results(), shape.length, shape.inner};
}

Status add_norm(const LoweringContext& context, const Norm& norm, Buffer from, Buffer to) {
  const Form form = form_of(norm);
  RowVariant variant{"norm_f32", norm.shape.results(), norm.shape.length, norm.shape.inner};
  if (form != Form::elements)
    variant = row_variant({"norm_f32", "norm_f32_vec4", "norm_f32_vec4_row"}, norm.shape, context.plan);
  return lower_by_list(kAll, context, Work{norm, form, variant, from, to});
}

Status add_norm(const LoweringContext& context, const Norm& norm) {
  return add_norm(context, norm, context.input(0), context.output());
}

std::vector<std::string_view> norm_kernels() { return names_of(kAll); }

}  // namespace nnrt::vulkan
