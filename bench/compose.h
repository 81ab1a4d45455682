// A network, written down as a golden case, through the C API.
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
};
std::vector<Device> devices();

}  // namespace bench
