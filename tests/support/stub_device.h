// A device that takes every operation and computes nothing.
#pragma once

#include "core/device/device_registry.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nnrt::test {

class StubDevice : public Device {
 public:
  StubDevice(const std::string& name, DeviceType type, DeviceStatus status = DeviceStatus::available)
      : info_{device_id(name), name, "Test"}, type_(type), status_(status) {}

  const DeviceInfo& info() const override { return info_; }
  Result<DeviceType> type() const override { return type_; }
  DeviceStatus status() const override { return status_; }
  std::vector<DeviceProperty> properties() const override { return properties_of_test; }
  std::span<Device* const> members() const override { return members_of_test; }
  Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions&) const override {
    return std::vector<Refusal>(graph.nodes.size());
  }
  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr, const CompileOptions&) override {
    return std::unique_ptr<PreparedModel>(std::make_unique<Model>());
  }

  std::vector<DeviceProperty> properties_of_test;
  std::vector<Device*> members_of_test;

 private:
  struct Model final : PreparedModel {
    Status run(std::span<const TensorView>, std::span<OutputSlot>, Deadline) override { return {}; }
  };

  const DeviceInfo info_;
  const DeviceType type_;
  const DeviceStatus status_;
};

}  // namespace nnrt::test
