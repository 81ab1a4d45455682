// A device that computes as another does and refuses the operations that a test names.
#pragma once

#include "core/device.h"

#include <functional>
#include <limits>
#include <memory>

namespace nnrt::test {

class PartialDevice : public Device {
 public:
  PartialDevice(std::shared_ptr<Device> worker, std::function<bool(const Node&)> takes)
      : worker_(std::move(worker)), takes_(std::move(takes)) {
    info_ = worker_->info();
    info_.name = "Partial";
    info_.id = 1;
  }

  const DeviceInfo& info() const override { return info_; }
  DeviceStatus status() const override { return DeviceStatus::available; }
  uint64_t most_tensor_bytes() const override { return most_bytes; }

  DeviceCosts costs() const override { return costs_of_test; }

  DeviceCosts costs_of_test;
  uint64_t most_bytes = std::numeric_limits<uint64_t>::max();

  std::vector<Refusal> supports(const Graph& graph, const CompileOptions& options) const override {
    std::vector<Refusal> refusals = worker_->supports(graph, options);
    for (NodeId node = 0; node < graph.nodes.size(); ++node) {
      if (!refusals[node] && !takes_(graph.nodes[node])) refusals[node] = "The test refuses this operation.";
    }
    return refusals;
  }

  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) override {
    return worker_->prepare(std::move(graph), options);
  }

 protected:
  DeviceInfo info_;

 private:
  std::shared_ptr<Device> worker_;
  std::function<bool(const Node&)> takes_;
};

}  // namespace nnrt::test
