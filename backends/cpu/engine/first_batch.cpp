#include "backends/cpu/engine/first_batch.h"

#include "core/device/cache_traits.h"
#include "core/schema/infer.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

namespace nnrt::cpu {
namespace {

// Returns whether a run is in place, which may be allowed for one of the models only. Outputs without memory
// get it in the run.
bool share_memory(std::span<const TensorView> inputs, std::span<const OutputSlot> outputs) {
  return std::ranges::any_of(outputs, [&](const OutputSlot& slot) {
    return slot.view.memory != nullptr && std::ranges::any_of(inputs, [&](const TensorView& input) {
             return input.data() == slot.view.data();
           });
  });
}

using Prepare = std::function<Result<std::unique_ptr<PreparedModel>>(GraphPtr)>;

class FirstBatch final : public PreparedModel, public PieceExporter {
 public:
  FirstBatch(std::unique_ptr<PreparedModel> general, GraphPtr graph, Prepare prepare)
      : general_(std::move(general)), graph_(std::move(graph)), prepare_(std::move(prepare)) {}

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override {
    std::call_once(once_, [&] { prepare_for(inputs); });
    const auto has_shape = [](const TensorView& input, const Shape& shape) { return input.shape == shape; };
    const bool is_first =
        first_ != nullptr && std::ranges::equal(inputs, shapes_, has_shape) && !share_memory(inputs, outputs);
    return (is_first ? first_ : general_)->run(inputs, outputs, deadline);
  }

  Result<Bytes> export_cache(const GraphPtr& graph) const override { return general_->export_cache(graph); }
  Result<std::vector<SharedBytes>> export_pieces() const override {
    return dynamic_cast<const PieceExporter&>(*general_).export_pieces();
  }
  KernelReport kernels(const GraphPtr& graph) const override { return general_->kernels(graph); }
  ArenaPlan arena() const override { return general_->arena(); }
  bool may_share(size_t input, size_t output) const override { return general_->may_share(input, output); }

 private:
  // Without success, all runs are general.
  void prepare_for(std::span<const TensorView> inputs) {
    const GraphPtr open = std::exchange(graph_, nullptr);
    try {
      for (const TensorView& input : inputs) shapes_.push_back(input.shape);
      auto shapes = infer_run(*open, shapes_);
      if (!shapes.ok()) return;
      auto known = std::make_shared<Graph>(*open);
      known->shapes = std::move(shapes).value();
      auto first = prepare_(std::move(known));
      if (first.ok()) first_ = std::move(first).value();
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
  }

  const std::unique_ptr<PreparedModel> general_;
  GraphPtr graph_;  // until the first run
  const Prepare prepare_;
  std::once_flag once_;
  std::vector<Shape> shapes_;
  std::unique_ptr<PreparedModel> first_;
};

}  // namespace

bool leaves_batch_open(const Graph& graph) {
  bool is_open = false;
  for (const TensorId input : graph.inputs) {
    const Shape& shape = graph.shapes[input];
    if (is_static(shape)) continue;
    is_open = true;
    if (shape.size() < 2 || !is_static({shape.begin() + 1, shape.end()})) return false;
  }
  return is_open;
}

std::unique_ptr<PreparedModel> with_first_batch(std::unique_ptr<PreparedModel> general, GraphPtr graph,
                                                Prepare prepare) {
  return std::make_unique<FirstBatch>(std::move(general), std::move(graph), std::move(prepare));
}

}  // namespace nnrt::cpu
