#include "backends/cpu/engine/cpu_device.h"
#include "core/base/fp16.h"
#include "tests/support/graph_maker.h"
#include "tests/support/prepare_model.h"
#include "tests/support/tensor_views.h"
#include "tests/support/trace_file.h"

#include <cstdlib>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;
using test::prepare;

constexpr int64_t kAny = -1, kSize = 8, kValueSize = 20;

// Lengths of a run; heads share keys and values in pairs.
struct Sizes {
  int64_t past, added, queries = 1, heads = 3;
};

struct Options {
  DType dtype = DType::f32;
  bool dynamic = false, flat = false, causal = false, gives_caches = true, reads_keys = false;
};

// ATTENTION of caches that grow: outputs are its result and, unless `gives_caches` is false, both caches.
GraphPtr grown_caches(const Sizes& sizes, const Options& options) {
  GraphMaker make;
  const auto length = [&](int64_t known) { return options.dynamic ? kAny : known; };
  const auto shape = [&](int64_t heads, int64_t rows, int64_t size) {
    return options.flat ? Shape{heads, rows, size} : Shape{1, heads, rows, size};
  };
  const int64_t queries = length(sizes.queries), all = length(sizes.past + sizes.added);
  const TensorId query = make.input({1, 2 * sizes.heads, queries, kSize}, options.dtype);
  const auto cache = [&](int64_t size) {
    const TensorId past = make.input(shape(sizes.heads, length(sizes.past), size), options.dtype);
    const TensorId added = make.input(shape(sizes.heads, length(sizes.added), size), options.dtype);
    const TensorId axis = make.parameter<int64_t>(10, DType::i64, {options.flat ? 1 : -2});
    return make.op(Op::concat, {past, added}, shape(sizes.heads, all, size), {axis}, options.dtype);
  };
  const auto batched = [&](TensorId joined, int64_t size) {
    if (!options.flat) return joined;
    const auto heads = int32_t(sizes.heads);
    return make.op(Op::reshape, {joined, make.ints({1, heads, -1, int32_t(size)})}, {1, heads, all, size}, {},
                   options.dtype);
  };
  const TensorId keys = cache(kSize), values = cache(kValueSize);
  const TensorId causal = make.parameter<int8_t>(1063, DType::i8, {int8_t(options.causal ? 1 : 0)});
  std::vector<TensorId> outputs{make.op(Op::attention,
                                        {query, batched(keys, kSize), batched(values, kValueSize)},
                                        {1, 2 * sizes.heads, queries, kValueSize}, {causal}, options.dtype)};
  if (options.gives_caches) outputs.insert(outputs.end(), {keys, values});
  if (options.reads_keys)
    outputs.push_back(make.op(Op::abs, {keys}, shape(sizes.heads, all, kSize), {}, options.dtype));
  return make.finish(outputs);
}

std::vector<TensorView> inputs_of(const Sizes& sizes, const Options& options) {
  std::vector<TensorView> inputs;
  const auto add = [&](int64_t heads, int64_t rows, int64_t size) {
    std::vector<float> floats(size_t(heads * rows * size));
    for (size_t i = 0; i < floats.size(); ++i)
      floats[i] = float(int((i * 37 + inputs.size() * 11) % 101) - 50) / 32;
    const Shape shape =
        options.flat && !inputs.empty() ? Shape{heads, rows, size} : Shape{1, heads, rows, size};
    if (floats.empty()) return inputs.push_back(test::empty_view(1, shape));
    if (options.dtype == DType::f32) return inputs.push_back(test::view_of<float>(shape, floats));
    std::vector<Half> halves;
    for (const float value : floats) halves.push_back(to_half(value));
    inputs.push_back(test::view_of<Half>(shape, halves));
  };
  add(2 * sizes.heads, sizes.queries, kSize);
  for (const int64_t size : {kSize, kValueSize}) {
    add(sizes.heads, sizes.past, size);
    add(sizes.heads, sizes.added, size);
  }
  return inputs;
}

using Outputs = std::vector<std::vector<std::byte>>;

Outputs run(PreparedModel& model, const GraphPtr& graph, const std::vector<TensorView>& inputs) {
  std::vector<OutputSlot> slots(graph->outputs.size(), OutputSlot{{}, true});
  const Status status = model.run(inputs, slots, {});
  EXPECT_TRUE(status.ok()) << status.error().message;
  Outputs outputs;
  for (size_t i = 0; i < slots.size(); ++i) {
    const size_t bytes = size_t(element_count(slots[i].view.shape).value_or(0)) *
                         size_of(graph->tensors[graph->outputs[i]].dtype);
    outputs.emplace_back(slots[i].view.data(), slots[i].view.data() + bytes);
  }
  return outputs;
}

// The number of CONCATs that ATTENTION computes.
size_t joined_in(const PreparedModel& model, const GraphPtr& graph) {
  size_t count = 0;
  for (const OperationKernels& operation : model.kernels(graph).operations)
    for (const KernelChoice& choice : operation.kernels) count += choice.name == "appended" ? 1 : 0;
  return count;
}

class CacheAppends : public testing::Test {
 protected:
  void TearDown() override { unsetenv("NNRT_TEST_FUSE"); }

  // Compares with the operators one after the other, in runs of these sizes; returns how many CONCATs are
  // joined.
  size_t compare(const std::vector<Sizes>& runs, const Options& options) {
    const GraphPtr graph = grown_caches(runs[0], options);
    const auto model = prepare(*make_device(), graph);
    EXPECT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0);
    const auto plain = prepare(*make_device(), graph);
    EXPECT_EQ(unsetenv("NNRT_TEST_FUSE"), 0);
    EXPECT_EQ(joined_in(*plain, graph), 0u);
    for (const Sizes& sizes : runs) {
      const std::vector<TensorView> inputs = inputs_of(sizes, options);
      Outputs got, want;
      const auto joined = test::traced_work([&] { got = run(*model, graph, inputs); });
      const auto apart = test::traced_work([&] { want = run(*plain, graph, inputs); });
      EXPECT_EQ(joined, apart);
      EXPECT_EQ(got, want) << sizes.past << " + " << sizes.added << " rows, " << sizes.queries << " queries";
    }
    return joined_in(*model, graph);
  }
};

TEST_F(CacheAppends, AreTheSameBits) {
  for (const DType dtype : {DType::f32, DType::f16})
    for (const bool flat : {false, true})
      for (const Sizes& sizes : {Sizes{7, 1}, Sizes{255, 1}, Sizes{256, 1}, Sizes{300, 3}, Sizes{2, 600}})
        EXPECT_EQ(compare({sizes}, {.dtype = dtype, .flat = flat}), 2u);
}

TEST_F(CacheAppends, MayGrowFromRunToRun) {
  for (const bool flat : {false, true}) {
    const std::vector<Sizes> runs{{5, 1}, {6, 1}, {300, 2, 3}, {0, 4, 2}, {0, 1}, {9, 1}};
    EXPECT_EQ(compare(runs, {.dynamic = true, .flat = flat}), 2u);
  }
}

TEST_F(CacheAppends, AreJoinedFirstForManyQueries) {
  EXPECT_EQ(compare({{20, 16, 16}}, {}), 2u);
  EXPECT_EQ(compare({{20, 16, 16}, {36, 1}, {0, 16, 16}}, {.dynamic = true}), 2u);
}

// Query 0 sees key 0 only.
TEST_F(CacheAppends, AreCompleteIfKeysAreNotSeen) { EXPECT_EQ(compare({{400, 3}}, {.causal = true}), 2u); }

TEST_F(CacheAppends, MayBeTemporary) {
  for (const bool dynamic : {false, true})
    EXPECT_EQ(compare({{40, 1}}, {.dynamic = dynamic, .gives_caches = false}), 2u);
}

TEST_F(CacheAppends, AreJoinedForOtherReaders) {
  EXPECT_EQ(compare({{40, 1}}, {.reads_keys = true}), 1u) << "only the values";
}

TEST_F(CacheAppends, AndAttentionAreNotWrittenOverInputs) {
  const GraphPtr graph = grown_caches({40, 1}, {});
  const auto model = prepare(*make_device(), graph);
  for (size_t input = 0; input < graph->inputs.size(); ++input)
    for (size_t output = 0; output < graph->outputs.size(); ++output)
      EXPECT_FALSE(model->may_share(input, output)) << input << " " << output;
}

}  // namespace
}  // namespace nnrt::cpu
