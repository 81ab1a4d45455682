// Minimal models for overhead benchmarks: one operation on tensors of one shape.
#pragma once

#include "handles.h"

#include <vector>

namespace bench {

using conformance::own;
using Model = conformance::Handle<OH_NNModel>;
using Compilation = conformance::Handle<OH_NNCompilation>;
using Executor = conformance::Handle<OH_NNExecutor>;
using TensorDesc = conformance::Handle<NN_TensorDesc>;
using Tensor = conformance::Handle<NN_Tensor>;

// Free if the call succeeded.
inline void check(OH_NN_ReturnCode code, const char* call) {
  if (code != OH_NN_SUCCESS) conformance::check(code, call);
}

struct Operation {
  const char* name;
  OH_NN_OperationType type;
  uint32_t inputs;
  std::vector<int32_t> shape;
};

inline TensorDesc describe(const Operation& operation) {
  TensorDesc desc(OH_NNTensorDesc_Create());
  check(OH_NNTensorDesc_SetDataType(desc.get(), OH_NN_FLOAT32), "OH_NNTensorDesc_SetDataType");
  check(OH_NNTensorDesc_SetShape(desc.get(), operation.shape.data(), operation.shape.size()),
        "OH_NNTensorDesc_SetShape");
  return desc;
}

inline Model compose(const Operation& operation) {
  Model model(OH_NNModel_Construct());
  std::vector<uint32_t> ids(operation.inputs + 1);
  for (uint32_t i = 0; i < ids.size(); ++i) {
    ids[i] = i;
    check(OH_NNModel_AddTensorToModel(model.get(), describe(operation).get()), "OH_NNModel_AddTensorToModel");
  }
  const OH_NN_UInt32Array none{nullptr, 0}, inputs{ids.data(), operation.inputs}, output{&ids.back(), 1};
  check(OH_NNModel_AddOperation(model.get(), operation.type, &none, &inputs, &output),
        "OH_NNModel_AddOperation");
  check(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &inputs, &output),
        "OH_NNModel_SpecifyInputsAndOutputs");
  check(OH_NNModel_Finish(model.get()), "OH_NNModel_Finish");
  return model;
}

inline Compilation build(size_t device, const Operation& operation) {
  Compilation compilation =
      own(OH_NNCompilation_Construct(compose(operation).get()), "OH_NNCompilation_Construct");
  check(OH_NNCompilation_SetDevice(compilation.get(), device), "OH_NNCompilation_SetDevice");
  check(OH_NNCompilation_Build(compilation.get()), "OH_NNCompilation_Build");
  return compilation;
}

// An executor with fixed tensors.
class Runner {
 public:
  Runner(size_t device, const Operation& operation, OH_NNCompilation* compilation)
      : executor_(own(OH_NNExecutor_Construct(compilation), "OH_NNExecutor_Construct")) {
    for (uint32_t i = 0; i <= operation.inputs; ++i) {
      tensors_.push_back(own(OH_NNTensor_Create(device, describe(operation).get()), "OH_NNTensor_Create"));
      (i < operation.inputs ? inputs_ : outputs_).push_back(tensors_.back().get());
    }
  }

  OH_NNExecutor* executor() const { return executor_.get(); }

  void run() {
    check(OH_NNExecutor_RunSync(executor_.get(), inputs_.data(), inputs_.size(), outputs_.data(),
                                outputs_.size()),
          "OH_NNExecutor_RunSync");
  }
  void start(void* user_data) {
    check(OH_NNExecutor_RunAsync(executor_.get(), inputs_.data(), inputs_.size(), outputs_.data(),
                                 outputs_.size(), 1000000, user_data),
          "OH_NNExecutor_RunAsync");
  }

 private:
  std::vector<Tensor> tensors_;
  std::vector<NN_Tensor*> inputs_, outputs_;
  Executor executor_;
};

}  // namespace bench
