// Checks that hold behind every pass over a graph, whoever wrote it: normalize(), simplify(), fuse(), the cut
// into partitions, and what devices rewrite for themselves. Readers see what they saw: a pass that loses a
// format, changes a quantization or breaks the order makes wrong numbers, far from where it happened.
#pragma once

#include "core/graph/graph.h"

#include <string_view>

namespace nnrt {

// Rights of a pass besides removing, adding and changing nodes, and adding tensors.
struct RewriteRights {
  bool layout = false;  // nodes read data as NHWC that were NCHW; behind it, is_normalized() holds
  bool fp16 = false;    // nodes read and write FLOAT16 instead of FLOAT32
  bool dequantized =
      false;          // tensors of quantized INT8 become FLOAT32 of the same parameters (dequantize_pass.h)
  bool data = false;  // the data of constants are gone, and nothing else
};

// Returns whether check_rewrite() looks at graphs: NNRT_TEST_CHECK_GRAPHS=on does, =abort also ends the
// process at an error, =off does not. In a debug build on is the default, in others off is.
bool rewrites_are_checked();

// `after` is what the pass of that name made of `before`, whose tensors it has, with the same numbers,
// dtypes, formats, shapes and quantization, constants and ends. Checks that and
//   - that nodes stand in an order in which they can run, and each tensor is written once;
//   - that rules of structure and inference accept each node, its post-ops included, with the shapes that
//   stand in
//     the graph;
//   - that a node which was there before (of the same operator and position) reads and writes the same
//   dtypes,
//     quantization and format.
// The error is of code `failed` and names what is wrong, the node and the pass.
Status check_rewrite(std::string_view pass, const Graph& before, const Graph& after,
                     const RewriteRights& rights = {});

// The same, whatever NNRT_TEST_CHECK_GRAPHS says, and the process goes on.
Status find_fault(std::string_view pass, const Graph& before, const Graph& after,
                  const RewriteRights& rights = {});

}  // namespace nnrt
