// A device that wraps another one and refuses the operations a test selects.
#pragma once

#include "core/device/device.h"

#include <functional>
#include <limits>
#include <memory>

namespace nnrt::test {

class PartialDevice : public Device {
 public:
  PartialDevice(std::shared_ptr<Device> worker, std::function<bool(const Node&)> supports)
      : worker_(std::move(worker)), supports_(std::move(supports)) {
    info_ = worker_->info();
    info_.name = "Partial";
    info_.id = 1;
    type_ = worker_->type().value();
  }

  const DeviceInfo& info() const override { return info_; }
  Result<DeviceType> type() const override { return type_; }
  DeviceStatus status() const override { return DeviceStatus::available; }
  uint64_t max_tensor_bytes() const override { return max_bytes; }

  DeviceCosts costs() const override { return costs_of_test; }
  std::vector<DeviceProperty> properties() const override { return properties_of_test; }

  DeviceCosts costs_of_test;
  std::vector<DeviceProperty> properties_of_test;
  uint64_t max_bytes = std::numeric_limits<uint64_t>::max();

  Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions& options) const override {
    NNRT_ASSIGN(std::vector<Refusal> refusals, worker_->supports(graph, options));
    for (NodeId node = 0; node < graph.nodes.size(); ++node) {
      if (!refusals[node] && !supports_(graph.nodes[node]))
        refusals[node] = "The test refuses this operation.";
    }
    return refusals;
  }

  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    return worker_->prepare(std::move(graph), options);
  }

 protected:
  DeviceInfo info_;
  DeviceType type_{};

 private:
  std::shared_ptr<Device> worker_;
  std::function<bool(const Node&)> supports_;
};

}  // namespace nnrt::test
