// Lowers a graph node by node and turns the commands into steps.
#pragma once

#include "backends/vulkan/passes/concat_elision.h"
#include "backends/vulkan/passes/deferred_copies.h"
#include "backends/vulkan/passes/needless_casts.h"
#include "backends/vulkan/passes/needless_transposes.h"
#include "backends/vulkan/passes/wanted_rows.h"
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
  bool arrange(const Copy& copy) override;
  Buffer scratch(size_t bytes) override;
  Buffer packed(TensorId tensor, std::string_view form, const Packing& packing, uint64_t bytes) override;
  float winograd_limit(TensorId tensor, const std::function<float()>& compute) override {
    return constants_.winograd_limit(tensor, compute);
  }
  std::optional<ConcatSlice> concat_slice(TensorId output) override;
  std::optional<Buffer> float_input(TensorId fp16, bool is_rounded) override {
    return buffer_of(casts_.float_input(fp16, is_rounded));
  }
  std::optional<Buffer> float_output(TensorId fp16, bool is_rounded) override {
    return buffer_of(casts_.float_output(fp16, is_rounded));
  }
  Image image(TensorId tensor) override;
  std::optional<RowPlaces> input_rows(TensorId tensor, uint32_t unit) override;
  std::optional<RowPlaces> output_rows(TensorId tensor, uint32_t unit) override;
  bool is_stored_in_concat(TensorId tensor) const override { return placed_[tensor]; }
  void alias(TensorId output, TensorId input, size_t bytes) override;

 private:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  struct Lowered {
    const Node* node;
    Command command;
  };

  NodeView view_of(const Node& node) const { return {graph_, node, shapes_, values_}; }
  Status lower(const Node& node);
  Status lower_with_needed(const Node& node);
  Status lower_deferred(std::span<const TensorId> read);
  Status lower_attention(const Node& node);
  Result<bool> interleave_copies(const NodeView& view);
  Status compose_copies(const Node& node, const ComposedCopies& copies);
  static constexpr Buffer tensor_buffer(TensorId id) { return {Buffer::Space::tensor, id}; }
  static std::optional<Buffer> buffer_of(std::optional<TensorId> tensor) {
    return tensor ? std::optional(tensor_buffer(*tensor)) : std::nullopt;
  }
  std::optional<RowPlaces> row_places(TensorId tensor, const CopiedRows& rows, uint32_t unit) const;
  uint64_t bytes_of(const Buffer& buffer) const;
  std::string describe(const Buffer& buffer) const;
  TensorId owner(TensorId tensor) { return places_.of(tensor).owner; }
  bool is_intermediate(TensorId tensor) const;

  bool lies_there(const Copy& copy);
  bool is_between_edges(const Copy& copy);
  bool become_view(const Copy& copy);
  bool compute_in_place(const Copy& copy);

  // Returns the region of a buffer for a step and extends its lifetime.
  BufferRegion use(const Buffer& buffer);
  Result<Step> make_step(const Command& command);
  void name_parts(const Lowered& lowered, Step& step) const;
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
  std::vector<Lowered> commands_;
  std::vector<uint64_t> scratch_bytes_;
  TensorPlaces places_;
  const std::map<TensorId, ConcatSlice> concat_slices_;
  NeedlessCasts casts_;
  NeedlessTransposes transposes_;
  DeferredCopies deferred_;
  const WantedRowsFinder wanted_rows_;
  std::vector<TensorId> read_instead_;  // by the current node
  std::vector<TensorId> not_read_;      // inputs of the current node that it replaced by others
  std::vector<bool> placed_;            // by tensor: computed in a CONCAT's result
  std::vector<bool> is_written_;        // by tensor: its data movement was done by the preceding kernel
  std::vector<size_t> input_, output_;  // edge index by tensor, or kNone

  std::map<std::pair<Buffer::Space, uint32_t>, uint32_t> arena_number_;
  std::vector<ArenaBuffer> arena_buffers_;
  Program program_;
};

}  // namespace nnrt::vulkan
