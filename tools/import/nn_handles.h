// RAII wrappers for C API handles.
#pragma once

#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/neural_network_runtime.h>

#include <memory>

namespace nnrt::import {

// Calls a function OH_NN_ReturnCode or void (*)(T** handle), which sets the handle to null.
template <auto destroy>
struct Destroyer {
  template <typename T>
  void operator()(T* handle) const {
    static_cast<void>(destroy(&handle));
  }
};

using ModelHandle = std::unique_ptr<OH_NNModel, Destroyer<OH_NNModel_Destroy>>;
using CompilationHandle = std::unique_ptr<OH_NNCompilation, Destroyer<OH_NNCompilation_Destroy>>;
using ExecutorHandle = std::unique_ptr<OH_NNExecutor, Destroyer<OH_NNExecutor_Destroy>>;
using TensorHandle = std::unique_ptr<NN_Tensor, Destroyer<OH_NNTensor_Destroy>>;
using TensorDescHandle = std::unique_ptr<NN_TensorDesc, Destroyer<OH_NNTensorDesc_Destroy>>;
using QuantParamHandle = std::unique_ptr<NN_QuantParam, Destroyer<OH_NNQuantParam_Destroy>>;

}  // namespace nnrt::import
