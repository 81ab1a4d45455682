// RAII handles for the API, and return code checks.
#pragma once

#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>

#include <memory>
#include <stdexcept>
#include <string>

inline void check(OH_NN_ReturnCode code, const char* call) {
  if (code != OH_NN_SUCCESS)
    throw std::runtime_error(std::string(call) + " returned " + std::to_string(code));
}

// Destroy functions take a pointer to the handle.
template <typename T, auto destroy>
struct Destroyer {
  void operator()(T* handle) const { static_cast<void>(destroy(&handle)); }
};
template <typename T, auto destroy>
using Handle = std::unique_ptr<T, Destroyer<T, destroy>>;

using Model = Handle<OH_NNModel, OH_NNModel_Destroy>;
using Compilation = Handle<OH_NNCompilation, OH_NNCompilation_Destroy>;
using Executor = Handle<OH_NNExecutor, OH_NNExecutor_Destroy>;
using TensorDesc = Handle<NN_TensorDesc, OH_NNTensorDesc_Destroy>;
using Tensor = Handle<NN_Tensor, OH_NNTensor_Destroy>;
