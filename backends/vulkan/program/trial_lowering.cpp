#include "backends/vulkan/program/trial_lowering.h"

#include "backends/vulkan/program/vulkan_program.h"
#include "core/base/text.h"
#include "core/memory/deferred_bytes.h"

#include <algorithm>
#include <limits>

namespace nnrt::vulkan {
namespace {

class Trial : public CommandSink {
 public:
  Trial(const NodeView& node, const DevicePlan& plan) : node_(node), plan_(plan) {}

  void add(Command command) override {
    const auto* dispatch = std::get_if<Dispatch>(&command);
    if (dispatch != nullptr && status_.ok()) status_ = check(*dispatch);
  }
  // Buffers too large to bind can still be copied by commands.
  bool elide(const Copy& copy) override {
    return is_whole(copy) || bytes_of(copy.from) > plan_.max_storage_range ||
           bytes_of(copy.to) > plan_.max_storage_range;
  }
  Buffer scratch(size_t bytes) override {
    scratch_bytes_.push_back(bytes);
    return {Buffer::Space::scratch, uint32_t(scratch_bytes_.size() - 1)};
  }
  bool wants_data() const override { return false; }
  // Does not read the weights of a restored model.
  float winograd_limit(TensorId, const std::function<float()>& compute) override {
    return is_deferred(node_.input(1).data) ? std::numeric_limits<float>::max() : compute();
  }
  Buffer packed(TensorId, std::string_view, const Packing&, uint64_t bytes) override {
    packed_bytes_.push_back(bytes);
    return {Buffer::Space::packed, uint32_t(packed_bytes_.size() - 1)};
  }

  const Status& status() const { return status_; }

 protected:
  bool is_whole(const Copy& copy) const {
    const uint64_t bytes = bytes_of(copy.to);
    return copy.from.space == Buffer::Space::tensor && bytes_of(copy.from) == bytes &&
           copy.pieces.size() == 1 && copy.pieces[0].bytes == bytes;
  }
  std::vector<uint64_t> bytes_of(const Dispatch& dispatch) const {
    std::vector<uint64_t> bytes;
    for (const Buffer& buffer : dispatch.buffers) bytes.push_back(whole_vectors(bytes_of(buffer)));
    return bytes;
  }

 private:
  uint64_t bytes_of(TensorId id) const {
    const Node& node = node_.node();
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == id) return tensor_bytes(node_.input(i), node_.shape(i)).value_or(0);
    }
    const auto output = size_t(std::ranges::find(node.outputs, id) - node.outputs.begin());
    return tensor_bytes(node_.output(output), node_.output_shape(output)).value_or(0);
  }
  uint64_t bytes_of(const Buffer& buffer) const {
    switch (buffer.space) {
      case Buffer::Space::tensor: return bytes_of(TensorId(buffer.id));
      case Buffer::Space::scratch: return scratch_bytes_[buffer.id];
      case Buffer::Space::packed: break;
    }
    return packed_bytes_[buffer.id];
  }

  Status check(const Dispatch& dispatch) const {
    if (std::ranges::count(dispatch.threads, 0u) > 0) return {};  // nothing to compute
    NNRT_TRY(count_groups(dispatch, plan_));
    NNRT_TRY(check_loops(dispatch, plan_));
    for (size_t i = 0; i < dispatch.buffers.size(); ++i) {
      const bool is_part = i < dispatch.slices.size() && dispatch.slices[i].bytes > 0;
      const uint64_t bytes =
          is_part ? dispatch.slices[i].bytes : whole_vectors(bytes_of(dispatch.buffers[i]));
      NNRT_TRY(check_bound("A buffer of its kernel", bytes, plan_));
    }
    return {};
  }

  const NodeView& node_;
  const DevicePlan& plan_;
  std::vector<uint64_t> scratch_bytes_, packed_bytes_;
  Status status_;
};

// Records kernel choices, dispatches and aliases.
class ChoiceTrial final : public Trial {
 public:
  ChoiceTrial(const NodeView& node, const DevicePlan& plan, const std::map<TensorId, float>* limits)
      : Trial(node, plan), limits_(limits) {}

  void add(Command command) override {
    const auto* dispatch = std::get_if<Dispatch>(&command);
    note(dispatch == nullptr ? "copy" : dispatch->shader);
  }
  bool elide(const Copy& copy) override {
    if (is_whole(copy)) note("view");
    return Trial::elide(copy);
  }
  float winograd_limit(TensorId tensor, const std::function<float()>& compute) override {
    if (limits_ == nullptr) return compute();
    const auto known = limits_->find(tensor);
    return known != limits_->end() ? known->second : Trial::winograd_limit(tensor, compute);
  }
  KernelLog* kernel_log() override { return &choices_; }

  KernelLog take() { return std::move(choices_.empty() ? shaders_ : choices_); }

 private:
  void note(std::string_view name) {
    if (std::ranges::find(shaders_, name, &KernelChoice::name) == shaders_.end())
      shaders_.push_back({std::string(name), {}});
  }

  const std::map<TensorId, float>* const limits_;
  KernelLog choices_, shaders_;
};

// Records dispatches.
class CommandTrial final : public Trial {
 public:
  using Trial::Trial;

  void add(Command command) override {
    const auto* dispatch = std::get_if<Dispatch>(&command);
    if (dispatch != nullptr) commands_.dispatches.push_back({*dispatch, bytes_of(*dispatch)});
    Trial::add(std::move(command));
  }
  std::vector<TileRequest>* tile_requests() override { return &commands_.tiles; }

  TrialCommands take() { return std::move(commands_); }

 private:
  TrialCommands commands_;
};

bool is_static(const NodeView& node) {
  for (size_t i = 0; i < node.node().inputs.size(); ++i) {
    if (!nnrt::is_static(node.shape(i))) return false;
  }
  for (size_t i = 0; i < node.output_count(); ++i) {
    if (!nnrt::is_static(node.output_shape(i))) return false;
  }
  return true;
}

}  // namespace

Refusal refuse_lowering(const NodeView& node, const Lowering& rules, const DevicePlan& plan) {
  if (!is_static(node)) return std::nullopt;
  Trial trial(node, plan);
  const Status lowered = rules.lower({node, plan, trial});
  if (!lowered.ok()) return lowered.error().message;
  return trial.status().ok() ? Refusal() : Refusal(trial.status().error().message);
}

Result<TrialCommands> trial_commands(const NodeView& node, const Lowering& rules, const DevicePlan& plan) {
  if (!is_static(node)) return TrialCommands{};
  CommandTrial trial(node, plan);
  NNRT_TRY(rules.lower({node, plan, trial}));
  if (!trial.status().ok()) return Error(trial.status().error());
  return trial.take();
}

KernelLog kernels_of(const NodeView& node, const Lowering& rules, const DevicePlan& plan,
                     const std::map<TensorId, float>* limits) {
  ChoiceTrial trial(node, plan, limits);
  // Failures don't matter: a model with a refused node is never built.
  static_cast<void>(rules.lower({node, plan, trial}));
  return trial.take();
}

}  // namespace nnrt::vulkan
