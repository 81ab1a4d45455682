// A device that reports how it computes each operation.
#pragma once

#include "core/passes/kernel_choice.h"
#include "tests/support/partial_device.h"

#include <memory>

namespace nnrt::test {

// Supports only ADD, and reports a choice for each node.
class ReportingDevice final : public PartialDevice {
 public:
  explicit ReportingDevice(std::shared_ptr<Device> worker)
      : PartialDevice(std::move(worker), [](const Node& node) { return node.op == Op::add; }) {}

  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    class Model final : public PreparedModel {
     public:
      explicit Model(std::unique_ptr<PreparedModel> worker) : worker_(std::move(worker)) {}
      Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
                 Deadline deadline) override {
        return worker_->run(inputs, outputs, deadline);
      }
      KernelReport kernels(const GraphPtr& graph) const override {
        KernelReport report;
        for (const Node& node : graph->nodes)
          report.operations.push_back(
              {node.position, {{"direct", {{"vec4", "Three are too few."}, {"vec8", "Too."}}}}});
        report.passes = {{"fp16_pass", "Float16 is not permitted."}, {"fuse", ""}};
        return report;
      }

     private:
      const std::unique_ptr<PreparedModel> worker_;
    };
    NNRT_ASSIGN(auto model, PartialDevice::prepare(std::move(graph), options));
    return std::unique_ptr<PreparedModel>(std::make_unique<Model>(std::move(model)));
  }
};

}  // namespace nnrt::test
