// Extensions that clients of OpenHarmony 4.1 and later pass with a graph.
#include "tests/mindspore/lite_graph_maker.h"
#include "tests/mindspore/small_model.h"
#include "tests/unit/api/api_test_handles.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <cstdlib>
#include <cstring>

namespace nnrt::test {
namespace {

using namespace api_tests;
using Lengths = std::vector<int32_t>;

// As an app's: the value is not copied.
struct Given {
  std::string name;
  std::string value;
};

Given numbers(std::string name, const Lengths& values) {
  return {std::move(name), {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int32_t)}};
}

std::vector<OH_NN_Extension> extensions_of(const std::vector<Given>& all) {
  std::vector<OH_NN_Extension> made(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    std::strncpy(made[i].name, all[i].name.c_str(), sizeof made[i].name - 1);
    made[i].value = const_cast<char*>(all[i].value.data());
    made[i].valueSize = all[i].value.size();
  }
  return made;
}

class GraphExtensions : public testing::Test {
 protected:
  GraphExtensions() { setenv("NNRT_DEVICES", "cpu,graph_extensions", 1); }
  ~GraphExtensions() override { setenv("NNRT_DEVICES", "cpu", 1); }

  OH_NN_ReturnCode build(const OH_NN_Extension* extensions, size_t count) {
    model_.reset(OH_NNModel_Construct());
    LiteGraph* const graph = load_graph(file_);
    const OH_NN_ReturnCode code = OH_NNModel_BuildFromLiteGraph(model_.get(), graph, extensions, count);
    if (code != OH_NN_SUCCESS) free_graph(graph);
    return code;
  }
  OH_NN_ReturnCode build(const std::vector<Given>& given) {
    const std::vector<OH_NN_Extension> extensions = extensions_of(given);
    return build(extensions.data(), extensions.size());
  }
  OH_NN_ReturnCode build_dims(const Lengths& shapes, const Lengths& lengths) {
    return build({numbers("InputDims", shapes), numbers("DynamicDims", lengths)});
  }
  // The shape of the input after Build.
  Lengths input_shape() {
    compilation_.reset(OH_NNCompilation_Construct(model_.get()));
    EXPECT_EQ(OH_NNCompilation_Build(compilation_.get()), OH_NN_SUCCESS);
    executor_.reset(OH_NNExecutor_Construct(compilation_.get()));
    const Desc desc(OH_NNExecutor_CreateInputTensorDesc(executor_.get(), 0));
    int32_t* shape = nullptr;
    size_t rank = 0;
    EXPECT_EQ(OH_NNTensorDesc_GetShape(desc.get(), &shape, &rank), OH_NN_SUCCESS);
    return {shape, shape + rank};
  }
  // y = relu(2 x) + [1, 2] for `rows` rows of [-3, 4].
  void expect_run(int32_t rows) {
    const api_tests::Tensor x = tensor_of({rows, 2}), y = tensor_of({rows, 2});
    auto* const in = static_cast<float*>(OH_NNTensor_GetDataBuffer(x.get()));
    for (int32_t i = 0; i < 2 * rows; ++i) in[i] = i % 2 == 0 ? -3.0f : 4.0f;
    NN_Tensor *inputs[] = {x.get()}, *outputs[] = {y.get()};
    ASSERT_EQ(OH_NNExecutor_RunSync(executor_.get(), inputs, 1, outputs, 1), OH_NN_SUCCESS);
    const auto* const out = static_cast<const float*>(OH_NNTensor_GetDataBuffer(y.get()));
    for (int32_t i = 0; i < 2 * rows; ++i) EXPECT_EQ(out[i], i % 2 == 0 ? 1 : 10) << i;
  }

  const std::vector<std::byte> file_ = small_model();
  Model model_;
  Compilation compilation_;
  Executor executor_;
};

TEST_F(GraphExtensions, SetTheShapesOfInputs) {
  ASSERT_EQ(build_dims({-1, 2}, {1, 3}), OH_NN_SUCCESS);
  EXPECT_EQ(input_shape(), (Lengths{-1, 2}));
  for (const int32_t rows : {1, 3, 5}) expect_run(rows);
}

TEST_F(GraphExtensions, SetShapesOnlyIfLengthsAreGivenToo) {
  for (const Given& given : {numbers("InputDims", {-1, 2}), numbers("DynamicDims", {1, 3})}) {
    ASSERT_EQ(build({given}), OH_NN_SUCCESS);
    EXPECT_EQ(input_shape(), (Lengths{1, 2}));
  }
}

TEST_F(GraphExtensions, MustFitEachOtherAndTheInputs) {
  EXPECT_EQ(build_dims({-1, 2, 3}, {1}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(build_dims({-1}, {1}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(build_dims({1, 2}, {1}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(build_dims({-1, -1}, {1, 2, 3}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(build_dims({-1, 0}, {1}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(build_dims({-2, 2}, {1}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(build_dims({-1, 2}, {1, 0}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(build_dims({-1, 2}, {}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(build({{"InputDims", "odd"}, numbers("DynamicDims", {1})}), OH_NN_INVALID_PARAMETER);
  const std::vector<OH_NN_Extension> many(201);
  EXPECT_EQ(build(many.data(), 201), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(build(many.data(), 200), OH_NN_SUCCESS);
  EXPECT_EQ(build(nullptr, 1), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(build(nullptr, 0), OH_NN_SUCCESS);
}

// Names without a terminating zero, repeated ones, and values of no use here.
TEST_F(GraphExtensions, OfDriversHaveNoEffect) {
  std::vector<Given> given{{"ModelName", "face"},
                           {"isProfiling", "true"},
                           {"opLayout", "relu"},
                           {"opLayout", "add"},
                           {"isExceedRamLimit", "true"},
                           {"NPU_FM_SHARED", ""},
                           {"BandMode", "1"},
                           {"QuantBuffer", std::string(64, '\1')}};
  std::vector<OH_NN_Extension> extensions = extensions_of(given);
  std::memset(extensions[0].name, 'x', sizeof extensions[0].name);
  ASSERT_EQ(build(extensions.data(), extensions.size()), OH_NN_SUCCESS);
  EXPECT_EQ(input_shape(), (Lengths{1, 2}));
  expect_run(1);
}

TEST_F(GraphExtensions, AreOnlyReadOnRequest) {
  setenv("NNRT_DEVICES", "cpu", 1);
  EXPECT_EQ(build(reinterpret_cast<const OH_NN_Extension*>(uintptr_t{0x123}), 12345), OH_NN_SUCCESS);
  ASSERT_EQ(build_dims({-1, 2}, {1, 3}), OH_NN_SUCCESS);
  EXPECT_EQ(input_shape(), (Lengths{1, 2}));
}

// It has had four arguments from the beginning.
TEST_F(GraphExtensions, OfMetaGraphsAreAlwaysRead) {
  setenv("NNRT_DEVICES", "cpu", 1);
  const std::vector<Given> given{numbers("InputDims", {-1, 2}), numbers("DynamicDims", {1, 3})};
  const std::vector<OH_NN_Extension> extensions = extensions_of(given);
  model_.reset(OH_NNModel_Construct());
  ASSERT_EQ(OH_NNModel_BuildFromMetaGraph(model_.get(), root_table(file_), extensions.data(), 2),
            OH_NN_SUCCESS);
  EXPECT_EQ(input_shape(), (Lengths{-1, 2}));
  expect_run(3);
}

}  // namespace
}  // namespace nnrt::test
