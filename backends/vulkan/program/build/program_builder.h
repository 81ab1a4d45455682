// Lowers a graph node by node and turns the commands into steps.
#pragma once

#include "backends/vulkan/passes/operand_views.h"
#include "backends/vulkan/program/build/program_arena.h"
#include "backends/vulkan/program/build/tensor_places.h"
#include "backends/vulkan/program/vulkan_program.h"

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nnrt::vulkan {

// Call lower_nodes(), then finish().
class ProgramBuilder final : public CommandSink {
 public:
  ProgramBuilder(const Graph& graph, std::span<const Shape> shapes, const DevicePlan& plan,
                 Constants& constants);

  Status lower_nodes();
  Result<Program> finish();

  void add(Command command) override;
  bool elide(const Copy& copy) override;
  Buffer scratch(size_t bytes) override;
  Buffer packed(TensorId tensor, std::string_view form, const Packing& packing, uint64_t bytes) override;
  float winograd_limit(TensorId tensor, const std::function<float()>& compute) override {
    return constants_.winograd_limit(tensor, compute);
  }
  View view(const View& own, View::Takes takes) override;

 private:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  struct LoweredNode {
    const Node* node;
    Command command;
  };

  NodeView view_of(const Node& node) const { return {graph_, node, shapes_, values_}; }
  Status lower(const Node& node, const ComposedCopies& copies = {});
  Status lower_by_rules(const LoweringContext& context);
  void need(const Buffer& buffer);
  static constexpr Buffer tensor_buffer(TensorId id) { return {Buffer::Space::tensor, id}; }
  uint64_t bytes_of(const Buffer& buffer) const;
  std::string describe(const Buffer& buffer) const;
  TensorId owner(TensorId tensor) { return places_.of(tensor).owner; }
  bool is_intermediate(TensorId tensor) const;

  bool is_between_edges(const Copy& copy);
  bool become_view(const Copy& copy);
  bool compute_in_place(const Copy& copy);

  // Returns the region of a buffer for a step and extends its lifetime.
  BufferRegion use(const Buffer& buffer);
  Result<Step> make_step(const Command& command);
  void name_parts(const LoweredNode& lowered, Step& step) const;
  Result<Step> resolve(const Dispatch& dispatch);
  Result<Step> resolve(const Copy& copy);
  Result<Step> resolve(const Fill& fill);
  Status cut(BufferRegion& region, const Slice& slice) const;
  void repeat_outputs();

  const Graph& graph_;
  const std::span<const Shape> shapes_;
  const std::vector<const std::byte*> values_;
  const DevicePlan& plan_;
  Constants& constants_;

  const Node* node_ = nullptr;  // being lowered
  size_t first_ = 0;            // its first command
  Status status_;               // of the nodes that commands needed
  std::vector<LoweredNode> commands_;
  std::vector<uint64_t> scratch_bytes_;
  TensorPlaces places_;
  OperandViews views_;
  std::vector<size_t> input_, output_;  // edge index by tensor, or kNone

  std::map<std::pair<Buffer::Space, uint32_t>, uint32_t> arena_number_;
  std::vector<ArenaBuffer> arena_buffers_;
  Program program_;
};

// `shapes`: static shapes of all tensors. Code::unsupported if one exceeds a limit of the device.
Result<Program> build_program(const Graph& graph, std::span<const Shape> shapes, const DevicePlan& plan,
                              Constants& constants);

}  // namespace nnrt::vulkan
