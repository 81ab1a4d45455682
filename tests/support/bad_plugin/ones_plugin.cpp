// A plugin of two devices that answer 1 whatever they are asked: right in all but their numbers. The first
// supports every operation, the other one SOFTMAX alone.
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

hdi::INnrtDevice* create(uint32_t index) {
  if (index > 1) return nullptr;
  auto traits = std::make_shared<SimpleTraits>();
  traits->vendor = "Test";
  traits->name = index == 0 ? "Ones" : "Softmax";
  if (index == 0) return new SimpleDevice(traits);
  return new SoftmaxDevice(traits);
}

}  // namespace

NNRT_EXPORT_PLUGIN(create)
