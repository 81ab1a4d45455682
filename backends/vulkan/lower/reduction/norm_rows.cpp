#include "backends/vulkan/lower/reduction/norm_rows.h"

#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/vectorized_walk.h"
#include "core/base/text.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kLanes = 4;
constexpr uint32_t kPasses = 3;  // mean, variance, results
struct NormPush {
  uint32_t rows = 0, length = 0, inner = 0;
  uint32_t channels = 1, run = 1, width = 1;
  float elements = 1, epsilon = 0;
};

// A norm and its shape in units of the variant's loads.
struct Work {
  const Norm& norm;
  Form form;
  RowVariant variant;
  Buffer from, to;
};

// How vectors of the data read scale and shift.
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

void add(const LoweringContext& context, const Work& work, RowKind kind) {
  const auto& [norm, form, variant, from, to] = work;
  const bool in_vectors = variant.rows.length != norm.shape.length;
  NormPush push{.rows = variant.rows.count, .length = variant.rows.length, .inner = variant.rows.inner};
  push.channels = norm.channels;
  push.run = in_vectors ? std::max(norm.run / kLanes, 1u) : norm.run;
  push.width = in_vectors && form == Form::vectors ? norm.width / kLanes : norm.width;
  push.elements = float(norm.shape.length);
  push.epsilon = float(context.node.attrs().real(Attr::epsilon));
  const bool scaled = norm.scale != Scale::none;
  add_rows(context, variant, kind, kPasses,
           {.shader = {},
            .constants = {norm.activation, uint32_t(norm.scale), uint32_t(form), norm.centered},
            .push = Push(push),
            .buffers = {from, scaled ? context.input(1) : from,
                        scaled && norm.centered ? context.input(2) : from, to}});
}

template <RowKind kind>
constexpr Kernel<Work> row_kernel(std::string_view name) {
  return {name,
          [](const LoweringContext& context, const Work& work) {
            return why_not_rows(context, work.variant, kind);
          },
          [](const LoweringContext& context, const Work& work) {
            add(context, work, kind);
            return Status();
          },
          View::none,
          [](const LoweringContext& context, const Work& work) {
            return iterations_of_rows(context, work.variant, kind, kPasses);
          }};
}

constexpr Kernel<Work> kNorms[] = {
    row_kernel<RowKind::subgroups>("norm_by_subgroups"),
    row_kernel<RowKind::group>("norm_by_group"),
    row_kernel<RowKind::alone>("norm_by_row"),
};

constexpr std::span<const Kernel<Work>> kAll(kNorms);

// Of rows that a workgroup shares.
std::string_view shader_of(const RowVariant& variant, RowKind kind) {
  return embedded_name(cat(variant.shader, kind == RowKind::subgroups ? "_subgroups" : "_group"));
}

}  // namespace

RowVariant row_variant(std::string_view kernel, const ReductionShape& shape) {
  const auto named = [&](std::string_view suffix) { return embedded_name(cat(kernel, "_f32", suffix)); };
  if (shape.inner % kLanes == 0)
    return {named("_vec4"), {shape.results() / kLanes, shape.length, shape.inner / kLanes}};
  if (shape.inner == 1 && shape.length % kLanes == 0)
    return {named("_vec4_row"), {shape.results(), shape.length / kLanes, 1}};
  return {named(""), {shape.results(), shape.length, shape.inner}};
}

WhyNot why_not_rows(const LoweringContext& context, const RowVariant& variant, RowKind kind) {
  if (kind == RowKind::alone) return {};
  if (shader_of(variant, kind).empty())
    return kind == RowKind::subgroups ? "Its rows are read four at a time." : "Subgroups share its rows.";
  return why_not_row_groups(variant.rows, context.plan, kind == RowKind::subgroups);
}

uint64_t iterations_of_rows(const LoweringContext& context, const RowVariant& variant, RowKind kind,
                            uint32_t passes) {
  return kind == RowKind::alone ? row_iterations(variant.rows.length, passes)
                                : shared_row_iterations(variant.rows, context.plan, passes);
}

void add_rows(const LoweringContext& context, const RowVariant& variant, RowKind kind, uint32_t passes,
              Dispatch dispatch) {
  const DevicePlan& plan = context.plan;
  dispatch.iterations = iterations_of_rows(context, variant, kind, passes);
  if (kind == RowKind::alone) {
    dispatch.shader = variant.shader;
    dispatch.threads = threads_for(variant.rows.count, plan, group_of_long(plan));
    dispatch.local = {group_of_long(plan), 1, 1};
  } else {
    dispatch.shader = shader_of(variant, kind);
    share_rows(dispatch, variant.rows, plan);
  }
  context.sink.add(std::move(dispatch));
}

Status add_norm(const LoweringContext& context, const Norm& norm, Buffer from, Buffer to) {
  const Form form = form_of(norm);
  RowVariant variant{"norm_f32", {norm.shape.results(), norm.shape.length, norm.shape.inner}};
  if (form != Form::elements) variant = row_variant("norm", norm.shape);
  return lower_by_list(kAll, context, Work{norm, form, variant, from, to});
}

Status add_norm(const LoweringContext& context, const Norm& norm) {
  return add_norm(context, norm, context.input(0), context.output());
}

std::vector<std::string_view> norm_kernels() { return names_of(kAll); }

}  // namespace nnrt::vulkan
