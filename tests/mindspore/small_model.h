// A .ms file of three nodes.
#pragma once

#include <cstddef>
#include <vector>

namespace nnrt::test {

// y = relu(2 x) + [1, 2] for x of [1, 2]. Otherwise the second node is one that has no equivalent.
std::vector<std::byte> small_model(bool has_unknown_node = false);

// y = relu(x) of FLOAT16 [1, 2].
std::vector<std::byte> half_model();

}  // namespace nnrt::test
