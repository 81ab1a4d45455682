// Helpers for operators of ONNX Runtime's domain.
#pragma once

#include "tests/random_onnx/model_draft.h"

namespace nnrt::test {

// A node of that domain.
Drawn fused(Draft& draft, const std::string& type, const Names& inputs, const Drawn& made);

// FLOAT32 with at least that rank and a static last dimension.
bool is_plain(const Drawn& x, size_t rank);

// A batch of sequences of vectors.
bool is_sequence(const Drawn& x);

std::vector<Drawer> attention_drawers();

}  // namespace nnrt::test
