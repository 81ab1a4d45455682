// A toy framework for the delegate example. Tensors are float vectors of equal length.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace toy {

enum class Kind { add, multiply, relu, clip_to_integer };

struct Node {
  Kind kind;
  std::vector<size_t> inputs;
  size_t output;
};

// Nodes in execution order; tensors by number.
struct Graph {
  size_t length = 0, tensors = 0;
  std::vector<Node> nodes;
  std::vector<size_t> inputs, outputs;
};

using Values = std::vector<std::vector<float>>;  // one per tensor

inline float compute(Kind kind, float a, float b) {
  switch (kind) {
    case Kind::add: return a + b;
    case Kind::multiply: return a * b;
    case Kind::relu: return a > 0 ? a : 0;
    case Kind::clip_to_integer: return std::trunc(a);
  }
  return 0;
}

// The framework's own kernel.
inline void run(const Node& node, Values& values) {
  const std::vector<float>& a = values[node.inputs.front()];
  const std::vector<float>& b = values[node.inputs.back()];
  std::vector<float> result(a.size());
  for (size_t i = 0; i < a.size(); ++i) result[i] = compute(node.kind, a[i], b[i]);
  values[node.output] = std::move(result);
}

// relu(x * y + y), converted to integers, times x; the runtime has no operator for the conversion.
inline Graph example() {
  Graph graph{.length = 6, .tensors = 7, .nodes = {}, .inputs = {0, 1}, .outputs = {6}};
  graph.nodes = {{Kind::multiply, {0, 1}, 2},
                 {Kind::add, {2, 1}, 3},
                 {Kind::relu, {3}, 4},
                 {Kind::clip_to_integer, {4}, 5},
                 {Kind::multiply, {5, 0}, 6}};
  return graph;
}

}  // namespace toy
