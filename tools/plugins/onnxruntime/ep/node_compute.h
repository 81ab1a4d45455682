// A compiled group as a node of ONNX Runtime.
#pragma once

#include "tools/plugins/onnxruntime/ep/ort_api.h"
#include "tools/plugins/onnxruntime/run/compiled_group.h"

namespace nnrt::ep {

class NodeCompute : public OrtNodeComputeInfo {
 public:
  explicit NodeCompute(std::shared_ptr<CompiledGroup> group);

  const CompiledGroup& group() const { return *group_; }

 private:
  static OrtStatus* ORT_API_CALL create_state(OrtNodeComputeInfo* self, OrtNodeComputeContext*, void** state);
  static OrtStatus* ORT_API_CALL compute(OrtNodeComputeInfo* self, void*, OrtKernelContext* context);
  static void ORT_API_CALL release_state(OrtNodeComputeInfo*, void*) {}

  Status run(OrtKernelContext* context) const;

  std::shared_ptr<CompiledGroup> group_;
};

}  // namespace nnrt::ep
