#include "backends/vulkan/program/vulkan_program.h"

#include "backends/vulkan/device/loop_limit.h"
#include "backends/vulkan/pipeline/descriptors.h"
#include "backends/vulkan/program/direct_edges.h"
#include "backends/vulkan/program/place_barriers.h"
#include "core/base/text.h"

#include <algorithm>

namespace nnrt::vulkan {

std::optional<uint64_t> tensor_bytes(const Tensor& tensor, const Shape& shape) {
  const std::optional<int64_t> count = element_count(shape);
  uint64_t bytes = 0;
  if (!count || __builtin_mul_overflow(uint64_t(*count), uint64_t(size_of(tensor.dtype)), &bytes) ||
      bytes > uint64_t{1} << 62) {
    return std::nullopt;
  }
  return bytes;
}

void place_edges(Program& program, const DevicePlan& plan) {
  program.edge_bytes = 0;
  for (Edge& edge : program.edges) {
    if (!edge.used) continue;
    edge.offset = program.edge_bytes;
    program.edge_bytes += round_up(whole_vectors(edge.bytes), plan.storage_alignment);
  }
}

std::vector<Access> accesses_of(const Dispatch& dispatch, const EmbeddedShader& shader) {
  std::vector<Access> accesses(shader.bindings.begin(), shader.bindings.end());
  for (size_t i = 0; i < accesses.size(); ++i)
    if ((dispatch.write_only >> i & 1) != 0) accesses[i].reads = false;
  return accesses;
}

BufferRegion shown(const Step& step, size_t binding, const DevicePlan& plan) {
  BufferRegion region = step.regions[binding];
  if (!plan.views_by_size || region.kind == BufferRegion::Kind::edge || step.pipeline == nullptr)
    return region;
  const bool views = step.pipeline->shader->shader.kinds[binding] != BindingKind::storage;
  if (views) region.bytes = view_bytes(region.bytes);
  return region;
}

Result<Size3> count_groups(const Dispatch& dispatch, const DevicePlan& plan) {
  std::array<uint64_t, 3> groups{};
  for (size_t i = 0; i < 3; ++i) {
    groups[i] = (uint64_t(dispatch.threads[i]) + dispatch.local[i] - 1) / std::max(dispatch.local[i], 1u);
  }
  const uint64_t max_x = plan.max_group_count[0];
  if (groups[0] > max_x && groups[1] == 1) {
    groups[1] = divide_up(groups[0], max_x);
    groups[0] = divide_up(groups[0], groups[1]);
  }
  for (size_t i = 0; i < 3; ++i) {
    if (groups[i] > plan.max_group_count[i]) {
      return unsupported("A grid of ", groups[0], " x ", groups[1], " x ", groups[2],
                         " workgroups is larger than the device's limit (", plan.max_group_count[i], ").");
    }
  }
  return Size3{uint32_t(groups[0]), uint32_t(groups[1]), uint32_t(groups[2])};
}

Status check_loops(const Dispatch& dispatch, const DevicePlan& plan) {
  if (!exceeds_loop_limit(dispatch.iterations, plan)) return {};
  return unsupported("An invocation of its kernel loops ", dispatch.iterations + kConstantIterations,
                     " times; the driver terminates it after ", plan.max_loop_iterations, ".");
}

Status check_bound(std::string_view buffer, uint64_t bytes, const DevicePlan& plan) {
  if (bytes <= plan.max_storage_range) return {};
  return unsupported(buffer, " (", bytes, " bytes) exceeds the device's limit for bindings (",
                     plan.max_storage_range, ").");
}

namespace {

Status check_texels(const BufferRegion& region, const DevicePlan& plan) {
  if (region.bytes / kTexelBytes <= plan.max_texels) return {};
  return unsupported("A view of a buffer (", region.bytes / kTexelBytes,
                     " texels) exceeds the device's limit of ", plan.max_texels, ".");
}

}  // namespace

Status attach_pipelines(Program& program, const DevicePlan& plan, PipelineCache& pipelines,
                        const PipelineCache::Ready& ready) {
  std::vector<const Dispatch*> dispatches;
  for (const Step& step : program.steps) {
    if (const auto* dispatch = std::get_if<Dispatch>(&step.command)) dispatches.push_back(dispatch);
  }
  NNRT_ASSIGN(const std::vector<PipelinePtr> found, pipelines.get(dispatches, ready));
  auto next = found.begin();
  for (Step& step : program.steps) {
    if (!std::holds_alternative<Dispatch>(step.command)) continue;
    step.pipeline = *next++;
    const EmbeddedShader& shader = step.pipeline->shader->shader;
    step.access = accesses_of(std::get<Dispatch>(step.command), shader);
    for (size_t i = 0; i < step.regions.size(); ++i) {
      if (shader.kinds[i] != BindingKind::storage) NNRT_TRY(check_texels(step.regions[i], plan));
    }
  }
  insert_barriers(program.steps, plan);
  choose_direct_edges(program, plan);
  return {};
}

}  // namespace nnrt::vulkan
