// A graph for one set of input shapes, as commands with an offset for every buffer. Pure but for its
// pipelines.
#pragma once

#include "backends/vulkan/memory/buffer_region.h"
#include "backends/vulkan/memory/device_constants.h"
#include "backends/vulkan/pipeline/dispatch.h"
#include "backends/vulkan/pipeline/pipeline_cache.h"
#include "backends/vulkan/pipeline/shader_reflection.h"
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
  std::vector<BufferRegion> regions;  // a dispatch's buffers; for a copy: from, to; for a fill: to
  std::vector<Access> access;         // to each region
  Size3 groups{};                     // for a dispatch
  PipelinePtr pipeline = nullptr;
  bool barrier = false;  // before it
  NodeId node = kNoNode;
};

// A tensor whose memory the caller brings.
struct Edge {
  bool output = false;
  bool used = false;    // by a step
  bool direct = false;  // kernels use the caller's memory even over a bus; see direct_edges.h
  uint64_t bytes = 0;   // exactly
  uint64_t offset = 0;  // in the program's edge memory, for when the caller's cannot be bound
};

// A buffer in the arena, and the steps between which it lives, or groups of concurrent steps.
struct Placed {
  Buffer buffer;
  uint64_t offset = 0;
  Lifetime lifetime;
};

struct Program {
  std::shared_ptr<Context> context;  // has its pipelines and constants
  GraphPtr graph;                    // the program was made from it
  std::vector<Shape> shapes;         // one for each tensor
  std::vector<Step> steps;
  std::vector<Edge> edges;  // the graph's inputs, then its outputs
  std::vector<Shape> output_shapes;
  uint64_t arena_bytes = 0, edge_bytes = 0;
  std::vector<Placed> placed;
  std::vector<VkBuffer> constants;         // by Region::index
  std::shared_ptr<const Constants> owner;  // owns these
  bool fast_compile = false;               // lowered to fast-compile shaders
  bool gains_by_optimizing = false;        // it has some
  mutable bool replaced = false;           // by an optimized one; VulkanModel guards it
};

// `shapes` are of all tensors, all static. Fails as unsupported where a shape breaks a limit of the device.
Result<Program> build_program(const Graph& graph, std::span<const Shape> shapes, const DevicePlan& plan,
                              Constants& constants);

// Finds each dispatch's pipeline and with it what it reads and writes, and places the barriers. `ready` is as
// PipelineCache::get() takes it.
Status attach_pipelines(Program& program, const DevicePlan& plan, PipelineCache& pipelines,
                        const PipelineCache::Ready& ready);

// The accesses of a dispatch of the shader to its bindings.
std::vector<Access> accesses_of(const Dispatch& dispatch, const Shader& shader);

// The region that a binding of a dispatch shows: its own, or more of the buffer behind it.
BufferRegion shown(const Step& step, size_t binding, const DevicePlan& plan);

// Places the edges that are used in the program's edge memory.
void place_edges(Program& program, const DevicePlan& plan);

// The workgroups of a dispatch. A grid too long in x goes on in y. Code::unsupported where it is too large.
Result<Size3> count_groups(const Dispatch& dispatch, const DevicePlan& plan);

// Code::unsupported if the dispatch has more loop iterations than the driver allows.
Status check_loops(const Dispatch& dispatch, const DevicePlan& plan);

// Code::unsupported if a dispatch cannot have so many bytes of a buffer bound.
Status check_bound(std::string_view buffer, uint64_t bytes, const DevicePlan& plan);

// Bytes of a tensor; nothing if its shape is not static or too large.
std::optional<uint64_t> tensor_bytes(const Tensor& tensor, const Shape& shape);

}  // namespace nnrt::vulkan
