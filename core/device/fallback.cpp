#include "core/device/fallback.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/device/cache_traits.h"
#include "core/device/residence.h"
#include "core/platform/log.h"

#include <algorithm>
#include <mutex>

namespace nnrt {
namespace {

// Runs a model that does not use residence.
Status run_on_host(PreparedModel& model, std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
                   Deadline deadline) {
  std::vector<TensorView> on_host(inputs.begin(), inputs.end());
  NNRT_TRY(leave_devices(on_host));
  for (OutputSlot& output : outputs) NNRT_TRY(leave_devices({&output.view, 1}));
  return model.run(on_host, outputs, deadline);
}

bool shares_memory(std::span<const TensorView> inputs, std::span<const OutputSlot> outputs) {
  return std::ranges::any_of(outputs, [&](const OutputSlot& output) {
    return output.view.memory != nullptr && std::ranges::any_of(inputs, [&](const TensorView& input) {
             return input.data() == output.view.data();
           });
  });
}

class FallbackModel final : public PreparedModel {
 public:
  FallbackModel(std::unique_ptr<PreparedModel> model, const Device& device, GraphPtr graph, Device& fallback,
                const CompileOptions& options)
      : model_(std::move(model)),
        device_(device),
        graph_(std::move(graph)),
        fallback_(fallback),
        options_(options) {}

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override {
    Status status = model_->run(inputs, outputs, deadline);
    if (status.ok() || !may_work_elsewhere(status.error())) return status;
    // The inputs may already be overwritten.
    if (shares_memory(inputs, outputs)) return status;
    // Build has already reported known shapes that exceed a device's limits; here the code has another cause.
    if (status.error().code == Code::unsupported && has_known_shapes()) return status;
    NNRT_ASSIGN(PreparedModel * substitute, this->substitute(status.error()));
    return run_on_host(*substitute, inputs, outputs, deadline);
  }

  bool uses_residence() const override { return model_->uses_residence(); }
  bool may_share(size_t input, size_t output) const override { return model_->may_share(input, output); }
  Result<std::vector<DimRange>> input_ranges() override { return model_->input_ranges(); }
  Result<Bytes> export_cache(const GraphPtr& graph) const override { return model_->export_cache(graph); }
  ArenaPlan arena() const override { return model_->arena(); }
  KernelReport kernels(const GraphPtr& graph) const override { return model_->kernels(graph); }

 private:
  bool has_known_shapes() const {
    return std::ranges::all_of(graph_->inputs, [&](TensorId id) { return is_static(graph_->shapes[id]); });
  }

  Result<PreparedModel*> substitute(const Error& reason) {
    const std::lock_guard lock(mutex_);
    if (substitute_ == nullptr) {
      log_fallback(Error(reason).during(cat("running ", counted(graph_->nodes.size(), "operation"), " on ",
                                            device_.info().name)),
                   fallback_);
      NNRT_TRY(ensure_read(*graph_));  // a restored model may not have read its constants yet
      NNRT_ASSIGN(substitute_, fallback_.prepare(graph_, options_));
    }
    return substitute_.get();
  }

  const std::unique_ptr<PreparedModel> model_;
  const Device& device_;
  const GraphPtr graph_;
  Device& fallback_;
  const CompileOptions options_;
  std::mutex mutex_;
  std::unique_ptr<PreparedModel> substitute_;  // kept once created
};

}  // namespace

bool may_work_elsewhere(const Error& error) {
  return error.code == Code::memory || error.code == Code::unsupported;
}

std::unique_ptr<PreparedModel> with_fallback(std::unique_ptr<PreparedModel> model, const Device& device,
                                             GraphPtr graph, Device* fallback,
                                             const CompileOptions& options) {
  if (fallback == nullptr || model == nullptr || !model->may_lack_memory()) return model;
  return std::make_unique<FallbackModel>(std::move(model), device, std::move(graph), *fallback, options);
}

void log_fallback(const Error& error, const Device& fallback) {
  log(LogLevel::warning, cat(error.message, " They run on ", fallback.info().name, " instead."));
}

}  // namespace nnrt
