// Device lookup by name.
#pragma once

#include "tests/unit/api/api_test_handles.h"

#include <string>

namespace api_tests {

// 0: no device has exactly this name.
inline size_t device_by_name(const std::string& name) {
  for (const size_t id : device_ids())
    if (name == device_name(id)) return id;
  ADD_FAILURE() << "There is no device " << name;
  return 0;
}

inline std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const size_t id : device_ids()) names.emplace_back(device_name(id));
  return names;
}

inline Compilation compilation_on(size_t device, const Model& model) {
  Compilation compilation(OH_NNCompilation_Construct(model.get()));
  EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device), OH_NN_SUCCESS);
  return compilation;
}

inline Executor executor_on(size_t device, const Model& model) {
  const Compilation compilation = compilation_on(device, model);
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  return Executor(OH_NNExecutor_Construct(compilation.get()));
}

}  // namespace api_tests
