#include "tests/device/fixture.h"

namespace nnrt::test {

std::shared_ptr<Device> suite_device() { return make_device(); }

}  // namespace nnrt::test
