// Helpers of drawers for operators of ONNX Runtime's own domain.
#pragma once

#include "tests/random_onnx/model_draft.h"

namespace nnrt::test {

// A node of that domain.
Drawn fused(Draft& draft, const std::string& type, const Names& inputs, const Drawn& made);

// Single precision, at least of that rank, and a last dimension that is known.
bool is_plain(const Drawn& x, size_t rank);

// A batch of sequences of vectors.
bool is_sequence(const Drawn& x);

std::vector<Drawer> attention_drawers();

}  // namespace nnrt::test
