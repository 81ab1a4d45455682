// One use of a device, from Build to a result.
#pragma once

#include "tests/unit/api/plugin/plugin_device_names.h"

namespace api_tests {

// Build and a run on only this device, with its own tensor; returns the code of the first failure.
inline OH_NN_ReturnCode use(size_t device, const std::string& cache = "") {
  const Compilation compilation = compilation_on(device, finished_model({2, 3}));
  const char off[] = "off";
  EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "nnrt.fallback", off, 3), OH_NN_SUCCESS);
  if (!cache.empty()) {
    const OH_NN_ReturnCode code = OH_NNCompilation_SetCache(compilation.get(), cache.c_str(), 1);
    if (code != OH_NN_SUCCESS) return code;
  }
  if (const OH_NN_ReturnCode code = OH_NNCompilation_Build(compilation.get()); code != OH_NN_SUCCESS)
    return code;
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  const Tensor a(OH_NNTensor_Create(device, desc_of({2, 3}).get())), y = tensor_of({2, 3});
  if (a == nullptr) return OH_NN_NULL_PTR;
  return run(executor.get(), {a.get(), a.get()}, {y.get()});
}

}  // namespace api_tests
