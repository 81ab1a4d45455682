// Helpers for several lowerings.
#pragma once

#include "core/writer/common_nodes.h"
#include "nnapi/lower/operation_lowering.h"

namespace nnrt::nnapi {

// Fails unless a quantized result has these parameters.
void require_fixed_quant(Lowering& op, double scale, int32_t zero_point);

// NNAPI's fuse code as a fused activation plus an optional clamp.
struct FusedActivation {
  int64_t activation = 0;  // Attr::activation
  bool clamp_to_one = false;
};
FusedActivation fused_activation(Lowering& op, int64_t fuse_code);
Value with_activation(Lowering& op, const Value& value, int64_t fuse_code);  // as separate nodes
Value apply_activation(Lowering& op, const Value& value, const FusedActivation& fused);

// Converts image data from the client's layout to NHWC, and back.
Value to_nhwc(GraphWriter& graph, const Value& value, bool is_nchw);
Value from_nhwc(GraphWriter& graph, const Value& value, bool is_nchw);

}  // namespace nnrt::nnapi
