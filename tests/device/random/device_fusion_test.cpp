// Rewritten and fused graphs (core/passes/simplify.h, core/passes/fuse.h) give the same results as node by
// node.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "core/passes/fuse.h"
#include "core/passes/simplify.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/random/random_graph.h"
#include "tests/support/random/random_node.h"

#include <algorithm>
#include <iostream>
#include <limits>

namespace nnrt::test {
namespace {

// Fewer on GPUs, where the driver compiles shaders for each graph.
uint32_t graphs_on(const Device& device) { return is_own_cpu(device) ? 60 : 12; }

// Disables fusion while it exists.
class NodeByNode {
 public:
  NodeByNode() { setenv("NNRT_TEST_FUSE", "off", 1); }
  ~NodeByNode() { unsetenv("NNRT_TEST_FUSE"); }
};

std::optional<std::string> compare(Device& device, const GraphPtr& graph, const std::vector<Bytes>& fed,
                                   double scale, uint32_t seed) {
  Random random(seed);
  const auto plain = [&] {
    const NodeByNode off;
    return run_guarded(device, graph, fed, random, false);
  };
  const auto want = plain();
  if (!want.ok()) return "Node by node: " + want.error().message;
  const auto got = run_guarded(device, graph, fed, random, true);
  if (!got.ok()) return "Fused: " + got.error().message;
  for (size_t i = 0; i < graph->outputs.size(); ++i) {
    const DType dtype = graph->tensors[graph->outputs[i]].dtype;
    if (is_float(dtype)) scale = std::max(scale, largest_magnitude(dtype, want.value()[i]));
  }
  for (size_t i = 0; i < graph->outputs.size(); ++i) {
    const DType dtype = graph->tensors[graph->outputs[i]].dtype;
    Tolerance tolerance = tolerance_of(dtype);
    tolerance.absolute *= 4;  // fusion may skip the fp16 rounding between nodes
    tolerance.relative *= 4;
    const auto wrong = difference(dtype, got.value()[i], want.value()[i], tolerance, scale);
    if (wrong) return cat("Output ", i, ": ", *wrong, ".");
  }
  return std::nullopt;
}

std::vector<std::shared_ptr<Device>> devices() { return {cpu::make_device(), shared_device("")}; }

TEST(Fusing, KeepsResultsOfRandomGraphs) {
  for (const auto& device : devices()) {
    size_t before = 0, after = 0;
    for (uint32_t seed = 1; seed <= graphs_on(*device); ++seed) {
      const RandomGraph drawn = draw_graph(seed);
      const GraphPtr graph = normalize(drawn.graph);
      if (first_refusal(*device, *graph)) continue;
      const auto problem = compare(*device, graph, drawn.fed, drawn.scale, seed);
      ASSERT_FALSE(problem) << device->info().name << ": " << *problem << "\n" << drawn.description;
      const FuseRules all{[](const Graph&, const Node&) { return true; }};
      before += graph->nodes.size();
      after += fuse(simplify(*graph), all).nodes.size();
    }
    std::cout << device->info().name << ": " << before << " nodes, of which at least " << after << " stay.\n";
    EXPECT_LT(after, before);
  }
}

// The graph followed by SIGMOID.
GraphPtr with_sigmoid(const Graph& alone) {
  auto graph = std::make_shared<Graph>(alone);
  const TensorId result = graph->outputs[0], last = TensorId(graph->tensors.size());
  graph->tensors.push_back(Tensor(graph->tensors[result]));
  graph->shapes.push_back(Shape(graph->shapes[result]));
  Node sigmoid;
  sigmoid.op = Op::sigmoid;
  sigmoid.inputs = {result};
  sigmoid.outputs = {last};
  sigmoid.position = uint32_t(graph->nodes.size());
  graph->nodes.push_back(std::move(sigmoid));
  graph->outputs = {last};
  return graph;
}

bool gives_floats(const Graph& graph) {
  return graph.outputs.size() == 1 && graph.tensors[graph.outputs[0]].dtype == DType::f32;
}

// Includes kernels that cannot fuse anything.
TEST(Fusing, KeepsResultsOfEachOperatorPair) {
  for (const std::shared_ptr<Device>& device :
       std::vector<std::shared_ptr<Device>>{cpu::make_device(), shared_device("-split_attention")}) {
    size_t compared = 0, redrawn = 0;
    for (const Op op : kOperators) {
      if (op == Op::assert_) continue;  // it may fail
      for (uint32_t seed = 1; seed <= 3; ++seed) {
        const RandomNode node = valid_node(op, seed, redrawn);
        const GraphPtr alone = graph_of(node).value();
        if (!gives_floats(*alone)) continue;
        const GraphPtr graph = normalize(with_sigmoid(*alone));
        if (first_refusal(*device, *graph)) continue;
        std::vector<Bytes> fed;
        for (size_t i = 0; i < node.inputs.size(); ++i)
          if (!node.inputs[i].is_constant()) fed.push_back(node.contents[i]);
        if (fed.empty()) fed.emplace_back(sizeof(float));
        const auto problem = compare(*device, graph, fed, 1, seed);
        ASSERT_FALSE(problem) << device->info().name << ": " << *problem << "\n" << describe(node);
        ++compared;
      }
    }
    EXPECT_GT(compared, 150u) << device->info().name;
  }
}

Bytes random_floats(Random& random, size_t count) {
  std::vector<float> values(count);
  for (float& value : values) value = float(int(random.below(401)) - 200) / 100;
  return bytes_of(values);
}

// A random graph over NHWC images: a convolution, a full connection or an elementwise operator, followed by
// operators that can be fused into it.
class Chain {
 public:
  explicit Chain(uint32_t seed) : random_(seed) {}

  GraphPtr draw(std::vector<Bytes>& fed) {
    const bool open = random_.one_in(3);
    shape_ = {open ? -1 : 2, 5, 7, 6};
    TensorId x = feed(fed);
    if (random_.one_in(2)) x = convolution(x);
    for (int steps = 5; steps > 0; --steps) x = step(x, fed);
    return make_.finish({x});
  }

 private:
  TensorId feed(std::vector<Bytes>& fed) {
    fed.push_back(random_floats(random_, 2 * 5 * 7 * 6));
    return make_.input(shape_, DType::f32, Format::nhwc);
  }
  TensorId op(Op op, const std::vector<TensorId>& inputs) {
    return make_.op(op, inputs, shape_, {}, DType::f32, Format::nhwc);
  }
  TensorId constant(Shape shape, int64_t count) {
    const Bytes bytes = random_floats(random_, size_t(count));
    std::vector<float> values(size_t(count), 0.0f);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    for (float& value : values) value += value < 0 ? -0.5f : 0.5f;
    return make_.floats(std::move(shape), values);
  }
  TensorId operand() {
    return random_.one_in(2) ? constant({6}, 6) : random_.one_in(2) ? constant({1}, 1) : constant({7, 6}, 42);
  }
  TensorId convolution(TensorId x) {
    const TensorId same = make_.parameter<int8_t>(14, DType::i8, {0});
    return make_.op(Op::conv2d, {x, constant({6, 3, 3, 6}, 324), constant({6}, 6)}, shape_, {same},
                    DType::f32, Format::nhwc);
  }

  TensorId step(TensorId x, std::vector<Bytes>& fed) {
    const Op unary = random_.of<Op>({Op::relu, Op::relu6, Op::hswish, Op::sigmoid, Op::tanh, Op::gelu,
                                     Op::abs, Op::swish, Op::hard_sigmoid, Op::neg, Op::square});
    const Op binary =
        random_.of<Op>({Op::add, Op::sub, Op::mul, Op::maximum, Op::minimum, Op::squared_difference});
    switch (random_.below(6)) {
      case 0: return op(unary, {x});
      case 1: return op(binary, {x, operand()});
      case 2: return op(binary, {operand(), x});
      case 3: return op(binary, {x, feed(fed)});
      case 4: return op(binary, {feed(fed), x});
      default: return op(Op::mul, {x, op(Op::sigmoid, {x})});
    }
  }

  Random random_;
  GraphMaker make_;
  Shape shape_;
};

// Views for graphs of open dimensions; run_guarded() needs static ones.
std::vector<TensorView> views_of(const std::vector<Bytes>& fed) {
  std::vector<TensorView> views;
  for (const Bytes& bytes : fed) {
    auto memory = SharedMemory::create(bytes.size()).value();
    std::ranges::copy(bytes, memory->data());
    views.push_back({std::move(memory), 0, bytes.size(), {2, 5, 7, 6}});
  }
  return views;
}

TEST(Fusing, KeepsResultsOfFusions) {
  for (const auto& device : devices()) {
    for (uint32_t seed = 1; seed <= graphs_on(*device); ++seed) {
      std::vector<Bytes> fed;
      const GraphPtr graph = Chain(seed).draw(fed);
      const auto result = [&] { return floats_of(*prepare(*device, graph), views_of(fed)); };
      const auto plain = [&] {
        const NodeByNode off;
        return result();
      };
      const std::vector<float> want = plain(), got = result();
      ASSERT_EQ(got.size(), want.size());
      float scale = 1;
      for (const float value : want) scale = std::max(scale, std::abs(value));
      for (size_t i = 0; i < want.size(); ++i) {
        ASSERT_NEAR(got[i], want[i], 1e-4f * scale) << device->info().name << ", seed " << seed << ", " << i;
      }
    }
  }
}

// Epilogues of GEMMs and convolutions, with channels that are and are not multiples of vec4.
TEST(Fusing, KeepsResultsOfGemmEpilogues) {
  const auto product_of = [](GraphMaker& make, Op op, int64_t channels, TensorId x, Random& random) {
    const auto constant = [&](Shape shape) {
      std::vector<float> values(size_t(*element_count(shape)));
      for (float& value : values) value = float(int(random.below(201)) - 100) / 100;
      return make.floats(std::move(shape), values);
    };
    const Shape shape{1, 9, 9, channels};
    if (op == Op::matmul) return make.op(op, {x, constant({channels, channels})}, shape);
    const bool is_depthwise = op == Op::depthwise_conv2d_native;
    const TensorId weight = constant({channels, 3, 3, is_depthwise ? 1 : channels});
    const TensorId same = make.parameter<int8_t>(is_depthwise ? 27 : 14, DType::i8, {0});
    return make.op(op, {x, weight, constant({channels})}, shape, {same}, DType::f32, Format::nhwc);
  };
  for (const auto& [op, channels] :
       {std::pair<Op, int64_t>{Op::matmul, 8}, {Op::conv2d, 6}, {Op::depthwise_conv2d_native, 8}}) {
    GraphMaker make;
    Random random(uint32_t(channels) + uint32_t(op));
    const Shape shape{1, 9, 9, channels};
    const size_t count = size_t(*element_count(shape));
    const TensorId x = make.input(shape, DType::f32, Format::nhwc);
    const TensorId other = make.input(shape, DType::f32, Format::nhwc);
    const TensorId y = product_of(make, op, channels, x, random);
    const TensorId z = make.op(Op::hswish, {y}, shape, {}, DType::f32, Format::nhwc);
    const TensorId sum = make.op(Op::add, {other, z}, shape, {}, DType::f32, Format::nhwc);
    const GraphPtr graph = make.finish({make.op(Op::relu, {sum}, shape, {}, DType::f32, Format::nhwc)});
    const std::vector<Bytes> fed{random_floats(random, count), random_floats(random, count)};
    for (const auto& device : devices()) {
      const auto problem = compare(*device, graph, fed, 1, 1);
      EXPECT_FALSE(problem) << device->info().name << ", " << name(op) << ": " << *problem;
    }
  }
}

std::vector<float> numbers_from(float first, size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = first + 0.25f * float(i);
  return values;
}

// Rotates each row by its own angles.
TensorId rotated(GraphMaker& make, TensorId x) {
  const auto half = [&](int32_t begin) {
    const std::vector<TensorId> range{make.ints({0, begin}), make.ints({4, begin + 15}), make.ints({1, 1})};
    return make.op(Op::strided_slice, {x, range[0], range[1], range[2]}, {4, 15});
  };
  const auto angles = [&](float first) {
    std::vector<float> values;
    for (int row = 0; row < 8; ++row) {
      const std::vector<float> same = numbers_from(first + float(row / 2), 15);
      values.insert(values.end(), same.begin(), same.end());
    }
    return make.floats({4, 30}, values);
  };
  const TensorId axis = make.parameter<int64_t>(10, DType::i64, {1});
  const TensorId swapped =
      make.op(Op::concat, {make.op(Op::neg, {half(15)}, {4, 15}), half(0)}, {4, 30}, {axis});
  return make.op(
      Op::add, {make.op(Op::mul, {x, angles(-1)}, {4, 30}), make.op(Op::mul, {swapped, angles(1)}, {4, 30})},
      {4, 30});
}

// The patterns of simplify(), numbered; each graph has one output.
TEST(Fusing, KeepsResultsOfPatterns) {
  const auto hswish = [](GraphMaker& make, TensorId x) {
    const TensorId sum = make.op(Op::add, {x, make.floats({1}, {3})}, {4, 30});
    const TensorId product = make.op(Op::mul, {x, make.op(Op::relu6, {sum}, {4, 30})}, {4, 30});
    return make.op(Op::div, {product, make.floats({1}, {6})}, {4, 30});
  };
  const auto gelu = [](GraphMaker& make, TensorId x) {
    const TensorId scaled = make.op(Op::div, {x, make.floats({1}, {1.41421354f})}, {4, 30});
    const TensorId sum =
        make.op(Op::add, {make.op(Op::erf, {scaled}, {4, 30}), make.floats({1}, {1})}, {4, 30});
    return make.op(Op::mul, {make.op(Op::mul, {x, sum}, {4, 30}), make.floats({1}, {0.5})}, {4, 30});
  };
  const auto layer_norm = [](GraphMaker& make, TensorId x) {
    const TensorId keep = make.parameter<uint8_t>(60, DType::boolean, {1}), axis = make.ints({-1});
    const TensorId mean = make.op(Op::reduce_mean, {x, axis}, {4, 1}, {keep});
    const TensorId centered = make.op(Op::sub, {x, mean}, {4, 30});
    const TensorId squares = make.op(Op::mul, {centered, centered}, {4, 30});
    const TensorId variance = make.op(Op::reduce_mean, {squares, axis}, {4, 1}, {keep});
    const TensorId sum = make.op(Op::add, {variance, make.floats({1}, {1e-5f})}, {4, 1});
    const TensorId y = make.op(Op::div, {centered, make.op(Op::sqrt, {sum}, {4, 1})}, {4, 30});
    const TensorId z = make.op(Op::mul, {y, make.floats({30}, std::vector<float>(30, 1.5f))}, {4, 30});
    return make.op(Op::add, {z, make.floats({30}, std::vector<float>(30, -0.25f))}, {4, 30});
  };
  const auto rms_norm = [](GraphMaker& make, TensorId x) {
    const TensorId keep = make.parameter<uint8_t>(60, DType::boolean, {1});
    const TensorId squares = make.op(Op::pow, {x, make.floats({1}, {2})}, {4, 30});
    const TensorId mean = make.op(Op::reduce_mean, {squares, make.ints({-1})}, {4, 1}, {keep});
    const TensorId sum = make.op(Op::add, {mean, make.floats({1}, {1e-5f})}, {4, 1});
    const TensorId factor = make.op(Op::reciprocal, {make.op(Op::sqrt, {sum}, {4, 1})}, {4, 1});
    const TensorId y = make.op(Op::mul, {x, factor}, {4, 30});
    return make.op(Op::mul, {make.floats({30}, std::vector<float>(30, 1.5f)), y}, {4, 30});
  };
  using Pattern = TensorId (*)(GraphMaker&, TensorId);
  for (const auto& [op, pattern] : {std::pair<Op, Pattern>{Op::hswish, hswish},
                                    {Op::gelu, gelu},
                                    {Op::layer_norm, layer_norm},
                                    {Op::rms_norm, rms_norm},
                                    {Op::rotary_embedding, rotated}}) {
    GraphMaker make;
    const TensorId x = make.input({4, 30});
    const GraphPtr graph = make.finish({pattern(make, x)});
    const Graph simple = simplify(*graph);
    ASSERT_EQ(simple.nodes.size(), 1u) << name(op);
    EXPECT_EQ(simple.nodes.back().op, op);
    Random random(7);
    const std::vector<Bytes> fed{random_floats(random, 120)};
    for (const auto& device : devices()) {
      const auto problem = compare(*device, graph, fed, 1, 1);
      EXPECT_FALSE(problem) << device->info().name << ", " << name(op) << ": " << *problem;
    }
  }
}

// R13, R15: fusion does not change specified results for NaN and infinity.
TEST(Fusing, KeepsNaNAndInfinity) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  GraphMaker make;
  const TensorId x = make.input({4}), y = make.input({4});
  const TensorId a = make.op(Op::abs, {x}, {4});
  const TensorId b = make.op(Op::maximum, {a, y}, {4});
  const GraphPtr graph = make.finish({make.op(Op::neg, {b}, {4})});
  const std::vector<Bytes> fed{bytes_of(std::vector{nan, -inf, 1.0f, -3.0f}),
                               bytes_of(std::vector{1.0f, 2.0f, nan, inf})};
  for (const auto& device : devices()) {
    const auto problem = compare(*device, graph, fed, 1, 1);
    EXPECT_FALSE(problem) << device->info().name << ": " << *problem;
  }
}

}  // namespace
}  // namespace nnrt::test
