// A plugin of one device that supports every operation and answers 1 whatever it is asked: right in all but
// its numbers.
#include "tests/support/simple_device.h"

namespace {

using namespace nnrt::test;

hdi::INnrtDevice* create(uint32_t index) {
  if (index > 0) return nullptr;
  auto traits = std::make_shared<SimpleTraits>();
  traits->vendor = "Test";
  traits->name = "Ones";
  return new SimpleDevice(traits);
}

}  // namespace

NNRT_EXPORT_PLUGIN(create)
