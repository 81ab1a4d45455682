// Device plans, steps and programs for tests.
#pragma once

#include "backends/vulkan/program/build/program_builder.h"
#include "backends/vulkan/program/vulkan_program.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nnrt::vulkan {

// The limits of a small GPU.
inline DevicePlan small_gpu(uint64_t alignment = 16) {
  DevicePlan plan;
  plan.storage_alignment = alignment;
  plan.max_storage_range = 1 << 24;
  plan.max_allocation = 1 << 26;
  plan.max_group_invocations = 256;
  plan.max_group_size = {256, 256, 64};
  plan.max_group_count = {65535, 65535, 65535};
  plan.max_shared_bytes = 49152;
  plan.fp16_storage = true;
  return plan;
}

// A GPU with four cores, each of which needs 1,024 invocations.
inline DevicePlan four_cores() {
  DevicePlan plan;
  plan.cores = 4;
  return plan;
}

inline Program program_of(const GraphPtr& graph, const DevicePlan& plan) {
  Constants constants(plan);
  return build_program(*graph, graph->shapes, plan, constants).value();
}

// The shader of each step, or "COPY" for other commands.
inline std::vector<std::string> shaders_of(const Program& program) {
  std::vector<std::string> shaders;
  for (const Step& step : program.steps) {
    const auto* dispatch = std::get_if<Dispatch>(&step.command);
    shaders.emplace_back(dispatch != nullptr ? std::string(dispatch->shader) : "COPY");
  }
  return shaders;
}

// An entire arena buffer before placement.
inline BufferRegion whole_buffer(uint32_t number) { return {BufferRegion::Kind::arena, number, 0, 64}; }

// A dispatch of `groups` workgroups of 64 invocations that reads one or two buffers and only writes `to`.
inline Step dispatch_step(std::vector<BufferRegion> from, const BufferRegion& to, uint32_t groups = 1) {
  Dispatch dispatch;
  dispatch.shader = from.size() == 1 ? "unary_f32" : "binary_f32";
  Step made{std::move(dispatch), std::move(from), {}};
  made.access.assign(made.regions.size(), {.reads = true, .writes = false});
  made.regions.push_back(to);
  made.access.push_back({.reads = false, .writes = true});
  made.groups = {groups, 1, 1};
  return made;
}

}  // namespace nnrt::vulkan
