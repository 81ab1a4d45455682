// Float elementwise operators with a vectorized loop, used as nodes and as post-ops.
#pragma once

#include "core/graph/graph.h"

namespace nnrt::cpu {

bool has_float_loop(Op op, const Attrs& attrs);

// For operators with a loop. `to` may alias `from`.
void float_loop(Op op, const Attrs& attrs, const float* from, float* to, int64_t count);

// Returns whether apply_post_op() supports the post-op; its second operand must have the result's shape.
bool supports_post_op(const PostOp& step);
void apply_post_op(const PostOp& step, float* values, const float* other, int64_t count);

// Returns the sum of exponentials, which is NaN if the softmax is. Needs at least one value.
double softmax_line(const float* from, float* to, int64_t count);
void scale_loop(float* values, float factor, int64_t count);

}  // namespace nnrt::cpu
