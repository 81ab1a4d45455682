// Builds a network, described as a golden case, through the C API.
#pragma once

#include "case.h"
#include "handles.h"

namespace bench {

using Model = conformance::Handle<OH_NNModel>;
using Compilation = conformance::Handle<OH_NNCompilation>;
using Executor = conformance::Handle<OH_NNExecutor>;
using TensorDesc = conformance::Handle<NN_TensorDesc>;
using Tensor = conformance::Handle<NN_Tensor>;

Model compose(const conformance::Case& network);

struct Device {
  size_t id = 0;
  std::string name;
  OH_NN_DeviceType type = OH_NN_OTHERS;
};
std::vector<Device> devices();
// The first device of a kind: cpu, gpu. Throws std::invalid_argument if there is none.
size_t find_device(std::string_view kind);

}  // namespace bench
