#include "tests/support/random/corrupted_node.h"

#include "core/base/fp16.h"
#include "core/passes/normalize.h"
#include "tests/support/random/random.h"
#include "tests/support/random/random_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace nnrt::test {
namespace {

template <typename T>
void store(Bytes& bytes, size_t i, T value) {
  std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
}

double random_real(Random& random) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  return random.of<double>({0, -1, 1, 0.5, -0.25, 3, 1e-30, 1e30, -1e30, kInf, -kInf, std::nan("")});
}

int64_t random_integer(Random& random) {
  return random.of<int64_t>({-99, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 64, 99, 1000});
}

// Sets one element to a value operators may not expect.
void corrupt_element(Tensor& tensor, Random& random) {
  Bytes bytes(tensor.data->begin(), tensor.data->end());
  const size_t count = bytes.size() / size_of(tensor.dtype);
  if (count == 0) return;
  const size_t i = random.below(count);
  switch (tensor.dtype) {
    case DType::boolean: store(bytes, i, uint8_t(random.below(2))); break;
    case DType::i8: store(bytes, i, int8_t(random_integer(random))); break;
    case DType::i32: store(bytes, i, int32_t(random_integer(random))); break;
    case DType::i64: store(bytes, i, random_integer(random)); break;
    case DType::f16: store(bytes, i, to_half(float(random_real(random)))); break;
    case DType::f32: store(bytes, i, float(random_real(random))); break;
    default: return;
  }
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
}

// Resizes the contents to the current shape.
void refit(RandomNode& node, size_t input, Random& random) {
  Tensor& tensor = node.inputs[input];
  const auto count = element_count(tensor.shape);
  constexpr int64_t kMax = 1 << 16;
  if (!count || *count > kMax) return;
  node.contents[input] = random_contents(random, tensor.dtype, size_t(*count), node.op, input);
  if (tensor.is_constant()) tensor.data = std::make_shared<const Bytes>(node.contents[input]);
}

void corrupt_shape(RandomNode& node, Random& random) {
  const size_t i = random.below(node.inputs.size());
  Shape& shape = node.inputs[i].shape;
  switch (shape.empty() ? 2 : random.below(4)) {
    case 0: shape[random.below(shape.size())] = random.between(1, 9); break;
    case 1: shape[random.below(shape.size())] = 1; break;
    case 2: shape.insert(shape.begin() + ptrdiff_t(random.below(shape.size() + 1)), 1); break;
    default: shape.erase(shape.begin() + ptrdiff_t(random.below(shape.size()))); break;
  }
  refit(node, i, random);
}

void corrupt_format(RandomNode& node, Random& random) {
  const Format format = random.of<Format>({Format::none, Format::nchw, Format::nhwc, Format::nd});
  const bool all = random.one_in(2);
  node.inputs[0].format = format;
  if (!all) return;
  for (Tensor& output : node.outputs) output.format = format;
}

void corrupt_constant(RandomNode& node, Random& random) {
  const size_t i = random.below(node.inputs.size());
  if (!node.inputs[i].is_constant()) return;
  corrupt_element(node.inputs[i], random);
  node.contents[i] = Bytes(node.inputs[i].data->begin(), node.inputs[i].data->end());
}

void corrupt_parameter(RandomNode& node, Random& random) {
  if (node.params.empty()) return;
  if (random.one_in(5)) {
    node.params.erase(node.params.begin() + ptrdiff_t(random.below(node.params.size())));
  } else {
    corrupt_element(node.params[random.below(node.params.size())], random);
  }
}

}  // namespace

RandomNode corrupted_node(Op op, uint32_t seed) {
  size_t redrawn = 0;
  RandomNode node = valid_node(op, seed, redrawn);
  Random random(seed);
  switch (random.below(6)) {
    case 0: corrupt_shape(node, random); break;
    case 1: corrupt_format(node, random); break;
    case 2: corrupt_constant(node, random); break;
    case 3:
      if (node.inputs.size() > schema(op).min_inputs()) {
        node.inputs.pop_back();
        node.contents.pop_back();
      }
      break;
    default: corrupt_parameter(node, random); break;
  }
  for (Tensor& output : node.outputs) {
    if (random.one_in(8)) output.shape = random.one_in(2) ? Shape{} : Shape{1};
    std::ranges::fill(output.shape, kUnknown);
  }
  return node;
}

GraphPtr sensible_graph_of(const RandomNode& node) {
  constexpr int64_t kMaxElements = 1 << 18;
  const auto built = graph_of(node);
  if (!built.ok() || built.value()->nodes[0].diagnosis) return nullptr;
  const auto is_small = [](const Shape& shape) {
    return element_count(shape).value_or(kMaxElements + 1) <= kMaxElements;
  };
  if (!std::ranges::all_of(built.value()->shapes, is_small)) return nullptr;
  return normalize(built.value());
}

}  // namespace nnrt::test
