// Invariants checked after every graph pass: normalize(), simplify(), fuse(), partitioning, and
// device-specific rewrites. A pass that loses a format, changes a quantization or breaks the order causes
// wrong results far from the cause.
#pragma once

#include "core/graph/graph.h"

#include <string_view>

namespace nnrt {

// What a pass may do besides removing, adding and changing nodes, and adding tensors.
struct RewriteRights {
  bool layout = false;   // NCHW data becomes NHWC; is_normalized() holds afterwards
  bool fp16 = false;     // FLOAT32 becomes FLOAT16
  bool widened = false;  // FLOAT16 becomes FLOAT32
  bool dequantized =
      false;          // quantized INT8 tensors become FLOAT32 with the same parameters (dequantize_pass.h)
  bool data = false;  // constant data is dropped, and nothing else
};

// Off unless NNRT_TEST_CHECK_GRAPHS is `on`, or `abort`, which aborts the process on an error; on by default
// in debug builds.
//
// `after` is the result of the named pass on `before`. Checks
//   - that `after` keeps the tensors of `before` with their numbers, dtypes, formats, shapes and
//   quantization,
//     and constants, inputs and outputs;
//   - that nodes are in execution order, and each tensor is written once;
//   - that structure rules and inference accept each node, including post-ops, with the graph's shapes;
//   - that an existing node (same operator and position) reads and writes the same dtypes, quantization and
//     format.
// The error has code `failed` and names the problem, the node and the pass.
Status check_rewrite(std::string_view pass, const Graph& before, const Graph& after,
                     const RewriteRights& rights = {});

// The same, regardless of NNRT_TEST_CHECK_GRAPHS, and without aborting.
Status find_fault(std::string_view pass, const Graph& before, const Graph& after,
                  const RewriteRights& rights = {});

}  // namespace nnrt
