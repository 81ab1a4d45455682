// A graph for one set of input shapes, as commands with an offset for every buffer. Pure except for its
// pipelines.
#pragma once

#include "backends/vulkan/memory/buffer_region.h"
#include "backends/vulkan/memory/device_constants.h"
#include "backends/vulkan/pipeline/dispatch.h"
#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/pipeline/pipeline_cache.h"
#include "core/base/memory_plan.h"
#include "core/graph/graph.h"

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();

struct Step {
  Command command;
  std::vector<BufferRegion>
      regions;                 // a dispatch's bindings; a copy's source and destination; a fill's destination
  std::vector<Access> access;  // by region
  Size3 groups{};              // of a dispatch
  PipelinePtr pipeline = nullptr;
  bool barrier = false;  // before the step
  NodeId node = kNoNode;
};

// A tensor in the caller's memory.
struct Edge {
  bool output = false;
  bool used = false;    // by a step
  bool direct = false;  // kernels use the caller's memory even over a bus; see direct_edges.h
  uint64_t bytes = 0;   // exact size
  uint64_t offset = 0;  // within the program's edge memory, for when the caller's memory cannot be bound
};

// A buffer in the arena, and the steps (or groups of concurrent steps) of its lifetime.
struct PlacedBuffer {
  Buffer buffer;
  uint64_t offset = 0;
  Lifetime lifetime;
};

struct Program {
  GraphPtr graph;             // the source of the program
  std::vector<Shape> shapes;  // by tensor
  std::vector<Step> steps;
  std::vector<Edge> edges;  // the graph's inputs, then its outputs
  std::vector<Shape> output_shapes;
  uint64_t arena_bytes = 0, edge_bytes = 0;
  std::vector<PlacedBuffer> placed;
  std::vector<VkBuffer> constants;         // by Region::index
  std::shared_ptr<const Constants> owner;  // owns these
  bool fast_compile = false;               // uses fast-compile shaders
  bool gains_by_optimizing = false;        // has fast-compile shaders to replace
  mutable bool replaced = false;           // by an optimized program; guarded by VulkanModel
};

// Gets each dispatch's pipeline, derives its accesses, and places the barriers. `ready`: see
// PipelineCache::get().
Status attach_pipelines(Program& program, const DevicePlan& plan, PipelineCache& pipelines,
                        const PipelineCache::Ready& ready);

// How a dispatch of the shader accesses its bindings.
std::vector<Access> accesses_of(const Dispatch& dispatch, const EmbeddedShader& shader);

// The region that a binding actually covers: the dispatch's slice, possibly lengthened.
BufferRegion shown(const Step& step, size_t binding, const DevicePlan& plan);

// Assigns offsets in the program's edge memory to the used edges.
void place_edges(Program& program, const DevicePlan& plan);

// The workgroups of a dispatch; x overflows into y. Code::unsupported if the grid is too large.
Result<Size3> count_groups(const Dispatch& dispatch, const DevicePlan& plan);

// Code::unsupported if the dispatch exceeds the driver's loop limit.
Status check_loops(const Dispatch& dispatch, const DevicePlan& plan);

// Code::unsupported if a dispatch cannot bind this many bytes of a buffer.
Status check_bound(std::string_view buffer, uint64_t bytes, const DevicePlan& plan);

// The size of a tensor; nullopt if its shape is not static or too large.
std::optional<uint64_t> tensor_bytes(const Tensor& tensor, const Shape& shape);

}  // namespace nnrt::vulkan
