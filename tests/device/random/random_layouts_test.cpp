// Random NCHW graphs that slice, permute and concatenate channels: normalize() gives the same results as when
// each RESHAPE reads the model's order, with no more transposes.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "core/passes/check_rewrite.h"
#include "core/passes/layout/layout_pass.h"
#include "core/passes/layout/nhwc_layout.h"
#include "core/passes/layout/stored_order.h"
#include "tests/device/device_suite.h"
#include "tests/support/device_agreement.h"

#include <algorithm>
#include <iostream>
#include <numeric>

namespace nnrt::test {
namespace {

// Draws graphs of images with small even channel counts and sides.
class LayoutGraph {
 public:
  explicit LayoutGraph(uint32_t seed) : random_(seed) {
    const Shape shape{random_.between(1, 2), 2 * random_.between(1, 6), 2 * random_.between(1, 3),
                      2 * random_.between(1, 3)};
    images_ = {{make_.input(shape, DType::f32, Format::nchw), shape}};
    images_.push_back(pooled(images_[0]));
    const int64_t nodes = random_.between(2, 9);
    for (int64_t i = 0; i < nodes; ++i) images_.push_back(next());
    graph_ = make_.finish({pooled(images_.back()).id, images_[1 + random_.below(images_.size() - 1)].id});
    for (int64_t i = 0; i < product(shape, 0, 4); ++i) values_.push_back(float(random_.real(-2, 2)));
  }

  const GraphPtr& graph() const { return graph_; }
  std::vector<Bytes> fed() const { return {bytes_of(values_)}; }
  Random& random() { return random_; }

 private:
  struct Image {
    TensorId id;
    Shape shape;
  };

  Image next() {
    const Image from = random_.one_in(3) ? random_.of(images_) : images_.back();
    switch (random_.below(8)) {
      case 0: return pooled(from);
      case 1: return {image(Op::relu, {from.id}, from.shape), from.shape};
      case 2: return added(from);
      case 3: return halved(from);
      case 4: return joined(from);
      default: return permuted(from);
    }
  }

  TensorId image(Op op, const std::vector<TensorId>& inputs, const Shape& shape,
                 const std::vector<TensorId>& parameters = {}) {
    return make_.op(op, inputs, shape, parameters, DType::f32, Format::nchw);
  }

  Image pooled(const Image& from) {
    const TensorId kernel = make_.parameter<int64_t>(36, DType::i64, {1, 1});  // OH_NN_MAX_POOL_KERNEL_SIZE
    return {image(Op::max_pool, {from.id}, from.shape, {kernel}), from.shape};
  }

  Image added(const Image& from) {
    const auto same = [&](const Image& image) { return image.shape == from.shape; };
    std::vector<Image> others;
    std::ranges::copy_if(images_, std::back_inserter(others), same);
    return {image(Op::add, {from.id, random_.of(others).id}, from.shape), from.shape};
  }

  // Half of the channels.
  Image halved(const Image& from) {
    if (from.shape[1] % 4 != 0) return pooled(from);
    Shape half = from.shape;
    half[1] /= 2;
    const std::vector<TensorId> parts{make_.tensor(half, DType::f32, Format::nchw),
                                      make_.tensor(half, DType::f32, Format::nchw)};
    const std::vector<TensorId> parameters{
        make_.parameter<int64_t>(49, DType::i64, {1}),   // OH_NN_SPLIT_AXIS
        make_.parameter<int64_t>(50, DType::i64, {2})};  // OH_NN_SPLIT_OUTPUT_NUM
    EXPECT_TRUE(make_.builder().add_operation(int(Op::split), parameters, std::vector{from.id}, parts).ok());
    if (random_.one_in(2)) images_.push_back({parts[0], half});
    return {parts[1], half};
  }

  Image joined(const Image& from) {
    const auto matches = [&](const Image& image) {
      return image.shape[0] == from.shape[0] && image.shape[2] == from.shape[2] &&
             image.shape[3] == from.shape[3];
    };
    std::vector<Image> others;
    std::ranges::copy_if(images_, std::back_inserter(others), matches);
    const Image& other = random_.of(others);
    Shape shape = from.shape;
    shape[1] += other.shape[1];
    if (shape[1] > 32) return pooled(from);
    const TensorId axis = make_.parameter<int64_t>(10, DType::i64, {1});  // OH_NN_CONCAT_AXIS
    return {image(Op::concat, {from.id, other.id}, shape, {axis}), shape};
  }

  // Splits dimensions, permutes them, and merges them to four again.
  Image permuted(const Image& from) {
    Shape cut;
    for (const int64_t size : from.shape) {
      if (size % 2 == 0 && random_.one_in(2)) {
        const int64_t first = random_.one_in(2) ? 2 : size / 2;
        cut.insert(cut.end(), {first, size / first});
      } else {
        cut.push_back(size);
      }
    }
    TensorId id = reshaped(from.id, cut);
    std::vector<int32_t> order(cut.size());
    std::iota(order.begin(), order.end(), 0);
    const size_t swaps = random_.below(3);
    for (size_t i = 0; i < swaps; ++i)
      std::swap(order[random_.below(order.size())], order[random_.below(order.size())]);
    if (random_.one_in(4)) random_.shuffle(order);
    Shape moved;
    for (const int32_t d : order) moved.push_back(cut[size_t(d)]);
    id = make_.op(Op::transpose, {id, make_.ints(order)}, moved, {}, DType::f32,
                  moved.size() == 4 ? Format::nchw : Format::none);
    while (moved.size() > 4) {
      const auto at = ptrdiff_t(random_.below(moved.size() - 1));
      moved[size_t(at)] *= moved[size_t(at) + 1];
      moved.erase(moved.begin() + at + 1);
    }
    return {reshaped(id, moved), moved};
  }

  TensorId reshaped(TensorId from, const Shape& shape) {
    const std::vector<int32_t> dims(shape.begin(), shape.end());
    return make_.op(Op::reshape, {from, make_.ints(dims)}, shape, {}, DType::f32,
                    shape.size() == 4 ? Format::nchw : Format::none);
  }

  GraphMaker make_;
  Random random_;
  std::vector<Image> images_;
  GraphPtr graph_;
  std::vector<float> values_;
};

size_t transposes(const Graph& graph) {
  return size_t(std::ranges::count_if(graph.nodes, [&](const Node& node) {
    return node.op == Op::transpose && !is_in_place(*constant_integers(graph, node, 1));
  }));
}

// Without unused nodes.
GraphPtr in_the_models_order(const Graph& graph) {
  Graph converted = convert_to_nhwc(graph, {.follows_reshapes = false}).graph;
  return normalize(std::make_shared<const Graph>(std::move(converted)));
}

TEST(RandomLayouts, MatchModelLayout) {
  const auto cpu = cpu::make_device(), gpu = suite_device();
  const uint32_t first = number_from("NNRT_TEST_RANDOM_SEED", 1u), graphs = draws(400);
  size_t before = 0, after = 0;
  for (uint32_t seed = first; seed < first + graphs; ++seed) {
    LayoutGraph drawn(seed);
    const GraphPtr plain = in_the_models_order(*drawn.graph()), graph = normalize(drawn.graph());
    const Status fault = find_fault("normalize", *drawn.graph(), *graph, {.layout = true});
    ASSERT_TRUE(fault.ok()) << fault.error().message << " Seed " << seed;
    EXPECT_LE(transposes(*graph), transposes(*plain)) << "Seed " << seed;
    before += transposes(*plain);
    after += transposes(*graph);
    const auto want = run_guarded(*cpu, plain, drawn.fed(), drawn.random(), false);
    ASSERT_TRUE(want.ok()) << want.error().message << " Seed " << seed;
    for (Device* const device : {cpu.get(), gpu.get()}) {
      if (device == gpu.get() && seed % 4 != 0) continue;  // because drivers compile shaders for each graph
      const auto got = run_guarded(*device, graph, drawn.fed(), drawn.random(), false);
      ASSERT_TRUE(got.ok()) << got.error().message << " Seed " << seed;
      EXPECT_EQ(got.value(), want.value()) << device->info().name << ", seed " << seed;
    }
  }
  std::cout << before << " transposes, of which " << after << " are left.\n";
  EXPECT_LT(after, before);
}

}  // namespace
}  // namespace nnrt::test
