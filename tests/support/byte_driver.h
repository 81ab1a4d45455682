// The driver over some devices. It gets attributes as the bytes of OpenHarmony's code alone.
#pragma once

#include "api/driver/driver_methods.h"
#include "tests/support/attr_writer.h"

#include <neural_network_runtime/hdi/v2_0/innrt_device.h>

namespace nnrt::test {

namespace hdi = ::nnrt::hdi::V2_0;

class ByteDriver final : public driver::DriverMethods<hdi::INnrtDevice> {
 public:
  explicit ByteDriver(std::vector<std::shared_ptr<Device>> devices, size_t enum_bytes = 8)
      : DriverMethods(std::make_shared<driver::Driver>(std::move(devices))), enum_bytes_(enum_bytes) {}

  int32_t GetSupportedOperation(const hdi::Model& model, std::vector<bool>& ops) override {
    return DriverMethods::GetSupportedOperation(with_bytes(model), ops);
  }
  int32_t PrepareModel(const hdi::Model& model, const hdi::ModelConfig& config,
                       driver::ModelPtr& preparedModel) override {
    return DriverMethods::PrepareModel(with_bytes(model), config, preparedModel);
  }
  int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) override {
    majorVer = 2;
    minorVer = 1;
    return 0;
  }

 private:
  hdi::Model with_bytes(hdi::Model model) const {
    for (hdi::Node& node : model.nodes) {
      if (std::holds_alternative<std::monostate>(node.attr)) continue;
      node.nodeAttr = attr_bytes(node.attr, enum_bytes_);
      node.attr = std::monostate();
    }
    return model;
  }

  const size_t enum_bytes_;
};

}  // namespace nnrt::test
