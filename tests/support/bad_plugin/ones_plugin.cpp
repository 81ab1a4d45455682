// A plugin with three devices that return 1 for everything: correct except for the values. The first supports
// every operation, the second only SOFTMAX, and the third only SOFTMAX whose result is not a model output, so
// its error is visible only when layers are checked individually.
#include "tests/support/simple_device.h"

namespace {

using namespace nnrt::test;

class SoftmaxDevice final : public SimpleDevice {
 public:
  using SimpleDevice::SimpleDevice;

  int32_t GetSupportedOperation(const hdi::Model& model, std::vector<bool>& ops) override {
    ops.clear();
    for (const hdi::Node& node : model.nodes) ops.push_back(node.nodeType == hdi::NODE_TYPE_SOFTMAX);
    return 0;
  }
};

class InnerDevice final : public SimpleDevice {
 public:
  using SimpleDevice::SimpleDevice;

  int32_t GetSupportedOperation(const hdi::Model& model, std::vector<bool>& ops) override {
    ops.clear();
    for (const hdi::Node& node : model.nodes) {
      const bool is_output = std::ranges::count(model.outputIndex, node.outputIndex.at(0)) > 0;
      ops.push_back(node.nodeType == hdi::NODE_TYPE_SOFTMAX && !is_output);
    }
    return 0;
  }
};

hdi::INnrtDevice* create(uint32_t index) {
  if (index > 2) return nullptr;
  auto traits = std::make_shared<SimpleTraits>();
  traits->vendor = "Test";
  traits->name = index == 0 ? "Ones" : index == 1 ? "Softmax" : "Inner";
  if (index == 0) return new SimpleDevice(traits);
  if (index == 2) return new InnerDevice(traits);
  return new SoftmaxDevice(traits);
}

}  // namespace

NNRT_EXPORT_PLUGIN(create)
