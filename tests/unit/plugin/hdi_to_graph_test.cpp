// What a driver refuses of a model from a client.
#include "backends/plugin/hdi_to_graph.h"

#include "tests/support/attr_writer.h"
#include "tests/support/small_hdi_model.h"

#include <gtest/gtest.h>

#include <functional>

namespace nnrt::plugin {
namespace {

namespace hdi = ::nnrt::hdi::V2_0;

using test::hdi_node;

class HdiToGraph : public testing::Test {
 protected:
  void expect_invalid(Code code = Code::invalid_parameter) {
    const auto made = to_graph(model_);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, code) << made.error().message;
    EXPECT_FALSE(made.error().message.empty());
  }
  // That only the first node is refused; the rest becomes a graph.
  void expect_refused(Code code) {
    const auto made = to_graph(model_).value();
    ASSERT_TRUE(made.refusals[0]);
    EXPECT_EQ(made.refusals[0]->code, code) << made.refusals[0]->message;
    EXPECT_FALSE(made.refusals[1]);
    ASSERT_NE(made.graph, nullptr);
    EXPECT_EQ(made.graph->nodes.size(), 1u);
    EXPECT_EQ(made.graph->inputs, (std::vector<TensorId>{0, 2}));
    EXPECT_EQ(made.nodes, std::vector<uint32_t>{1});
  }

  const test::SmallHdiModel small_;
  const std::shared_ptr<SharedMemory> memory_ = small_.memory;
  hdi::Model model_ = small_.model;
};

TEST_F(HdiToGraph, CopiesConstants) {
  reinterpret_cast<float*>(memory_->data())[3] = 5;
  const auto made = to_graph(model_).value();
  reinterpret_cast<float*>(memory_->data())[3] = 0;
  const Tensor& constant = made.graph->tensors[1];
  EXPECT_EQ(reinterpret_cast<const float*>(constant.data->data())[1], 5);
}

TEST_F(HdiToGraph, SortsNodes) {
  std::swap(model_.nodes[0], model_.nodes[1]);
  const auto made = to_graph(model_).value();
  EXPECT_EQ(made.graph->nodes[0].position, 1u);
}

TEST_F(HdiToGraph, RejectsIndicesOutOfRange) {
  for (auto change : std::vector<std::function<void(hdi::Model&)>>{
           [](auto& model) { model.inputIndex = {4}; }, [](auto& model) { model.outputIndex = {~0u}; },
           [](auto& model) { model.nodes[0].inputIndex[1] = 4; },
           [](auto& model) { model.nodes[1].outputIndex[0] = 4; },
           [](auto& model) { model.subGraph[0].nodeIndices[1] = 2; },
           [](auto& model) { model.subGraph[0].nodeIndices = {0}; }}) {
    const hdi::Model before = model_;
    change(model_);
    expect_invalid();
    model_ = before;
  }
}

TEST_F(HdiToGraph, RejectsWrongDataFlow) {
  for (auto change : std::vector<std::function<void(hdi::Model&)>>{
           [](auto& model) {  // written twice
             model.nodes[1].inputIndex[0] = 0;
             model.nodes[1].outputIndex[0] = model.outputIndex[0] = 2;
           },
           [](auto& model) { model.nodes[0].inputIndex[0] = 3; },  // a cycle
           [](auto& model) { model.inputIndex = {}; },             // read, but never written
           [](auto& model) { model.outputIndex = {0}; },
           [](auto& model) { model.nodes.clear(), model.subGraph.clear(); }}) {
    const hdi::Model before = model_;
    change(model_);
    const auto made = to_graph(model_);
    EXPECT_FALSE(made.ok() && made.value().graph != nullptr);
    model_ = before;
  }
}

TEST_F(HdiToGraph, RejectsSeveralSubgraphs) {
  model_.subGraph.push_back(model_.subGraph[0]);
  expect_invalid(Code::unsupported);
}

TEST_F(HdiToGraph, RejectsBadBuffers) {
  for (const hdi::SharedBuffer buffer : {hdi::SharedBuffer{memory_->fd(), 16, 12, 8},
                                         {memory_->fd(), 16, ~0u, 8},
                                         {memory_->fd(), 16, 8, 4},
                                         {memory_->fd(), 8192, 8188, 8},
                                         {1 << 20, 16, 8, 8}}) {
    model_.allTensors[1].data = buffer;
    expect_invalid();
  }
}

TEST_F(HdiToGraph, RejectsBadTensors) {
  for (auto change :
       std::vector<std::function<void(hdi::Tensor&)>>{[](auto& tensor) { tensor.dims = {-2}; },
                                                      [](auto& tensor) {
                                                        tensor.dims = {1 << 30, 1 << 30, 1 << 30, 1 << 30};
                                                      },
                                                      [](auto& tensor) { tensor.dims.resize(201, 1); }}) {
    const hdi::Model before = model_;
    change(model_.allTensors[0]);
    expect_invalid();
    model_ = before;
  }
  model_.allTensors[0].quantParams = {{4, 0, 1.0}};
  expect_invalid(Code::unsupported);
}

TEST_F(HdiToGraph, RefusesNodes) {
  for (const uint32_t type : {0u, 3u, 191u, ~0u}) {
    model_.nodes[0].nodeType = static_cast<hdi::NodeType>(type);
    expect_refused(Code::unsupported);
  }
}

TEST_F(HdiToGraph, RefusesNodesWithTheAttributesOfOthers) {
  model_.nodes[0].attr = hdi::MulFusion{};
  expect_refused(Code::unsupported);
  model_.nodes[0].attr = hdi::AddFusion{hdi::ACTIVATION_TYPE_SIGMOID};
  expect_refused(Code::invalid_parameter);
  model_.nodes[0] =
      hdi_node(hdi::NODE_TYPE_REDUCE_FUSION, hdi::ReduceFusion{false, hdi::REDUCE_MODE_ASUM}, {0, 1}, {2});
  expect_refused(Code::unsupported);
  model_.nodes[0] = hdi_node(hdi::NODE_TYPE_RESIZE, hdi::Resize{hdi::RESIZE_METHOD_CUBIC}, {0}, {2});
  expect_refused(Code::unsupported);
  model_.nodes[0] =
      hdi_node(hdi::NODE_TYPE_DEPTH_TO_SPACE, hdi::DepthToSpace{2, hdi::FORMAT_NCHW, "other"}, {0}, {2});
  expect_refused(Code::invalid_parameter);
}

TEST_F(HdiToGraph, RefusesWrongOperandCounts) {
  model_.nodes[0].inputIndex = {0};
  expect_refused(Code::invalid_parameter);
}

TEST_F(HdiToGraph, RefusesBytesOfAnotherLength) {
  for (const hdi::NodeAttr& attr :
       {hdi::NodeAttr(hdi::AddFusion{}), hdi::NodeAttr(hdi::Conv2DFusion{}), hdi::NodeAttr(hdi::LRN{}),
        hdi::NodeAttr(hdi::BatchToSpaceND{{2}, {{1, 2}}})}) {
    const std::vector<int8_t> whole = test::attr_bytes(attr, 4);
    constexpr hdi::NodeType kTypes[] = {hdi::NODE_TYPE_ADD_FUSION, hdi::NODE_TYPE_CONV2D_FUSION,
                                        hdi::NODE_TYPE_LRN, hdi::NODE_TYPE_BATCH_TO_SPACE_ND};
    size_t refused = 0;
    for (size_t count = 0; count <= whole.size() + 9; ++count) {
      for (const hdi::NodeType type : kTypes) {
        model_.nodes[0] = hdi_node(type, {}, {0, 1}, {2});
        model_.nodes[0].nodeAttr = whole;
        model_.nodes[0].nodeAttr.resize(count, -1);
        const auto made = to_graph(model_).value();
        refused += made.refusals[0] ? 1 : 0;
      }
    }
    EXPECT_GT(refused, 4 * whole.size());
  }
}

TEST_F(HdiToGraph, ReadsAvgPoolOfV1_0) {
  for (size_t i = 0; i < 4; ++i) model_.allTensors[i].dims = {1, 1, 2, 1};
  const hdi::AvgPoolFusion pool{{1, 1}, {1, 1}, {0, 0, 0, 0}, hdi::PAD_MODE_PAD, hdi::ROUND_MODE_CEIL};
  for (const size_t enum_bytes : {4, 8}) {
    model_.nodes[0] = hdi_node(hdi::NODE_TYPE_AVGPOOL_FUSION, {}, {0}, {2});
    model_.nodes[0].nodeAttr = test::attr_bytes(pool, enum_bytes);
    const auto newer = to_graph(model_).value();
    ASSERT_FALSE(newer.refusals[0]) << newer.refusals[0]->message;
    EXPECT_EQ(newer.graph->nodes[0].attrs.integer(Attr::round_mode), 1);
    constexpr size_t kLists = 3 * 4 + (2 + 2 + 4) * 8;
    const auto round_mode = model_.nodes[0].nodeAttr.begin() + ptrdiff_t(kLists + enum_bytes);
    model_.nodes[0].nodeAttr.erase(round_mode, round_mode + ptrdiff_t(enum_bytes));
    const auto older = to_graph(model_).value();
    ASSERT_FALSE(older.refusals[0]) << older.refusals[0]->message;
    EXPECT_EQ(older.graph->nodes[0].attrs.integer(Attr::round_mode), 0);
    EXPECT_EQ(older.graph->nodes[0].attrs.at(Attr::kernel).integers, (std::vector<int64_t>{1, 1}));
  }
}

// The axis of TOP_K with k from memory_, if upstream sent 0 for it.
class AxisOfTopK : public HdiToGraph {
 protected:
  std::optional<int64_t> axis(std::vector<int32_t> from, std::vector<int32_t> to, int32_t k = 0) {
    model_.allTensors[0].dims = from;
    model_.allTensors[1] = {"k", hdi::DATA_TYPE_INT32, {1}, hdi::FORMAT_NONE, {}, {}};
    if (k == 0) {
      model_.inputIndex = {0, 1};
    } else {
      std::memcpy(memory_->data(), &k, sizeof k);
      model_.allTensors[1].data = {memory_->fd(), 16, 0, sizeof k};
    }
    model_.allTensors[2].dims = model_.allTensors[3].dims = to;
    model_.allTensors.push_back(test::float_tensor(to));
    model_.allTensors.back().dataType = hdi::DATA_TYPE_INT32;
    model_.nodes[0] = hdi_node(hdi::NODE_TYPE_TOPK_FUSION, hdi::TopKFusion{true, 0}, {0, 1}, {2, 4});
    const auto made = to_graph(model_);
    model_ = small_.model;
    EXPECT_TRUE(made.ok()) << made.error().message;
    if (made.value().refusals[0]) return std::nullopt;
    return made.value().graph->nodes[0].attrs.integer(Attr::axis);
  }
};

TEST_F(AxisOfTopK, IsTheOneThatHasKElements) {
  EXPECT_EQ(axis({4, 5}, {4, 2}, 2), -1);
  EXPECT_EQ(axis({4, 5}, {2, 5}, 2), 0);
  EXPECT_EQ(axis({4, 5}, {4, 2}), -1);
  EXPECT_EQ(axis({4, 5}, {2, 5}), 0);
  EXPECT_EQ(axis({4, 5}, {4, 5}, 5), -1);
  EXPECT_EQ(axis({4, 5}, {4, 5}, 4), 0);
  EXPECT_EQ(axis({4, 5}, {-1, -1}, 5), -1);
  EXPECT_EQ(axis({-1, 5}, {-1, 2}, 2), -1);
  EXPECT_EQ(axis({-1, 5}, {2, 5}, 2), 0);
  EXPECT_EQ(axis({4, 3, 5}, {4, 3, 1}), -1);
  EXPECT_EQ(axis({7}, {2}), -1);
}

TEST_F(AxisOfTopK, IsRefusedIfBothHave) {
  EXPECT_EQ(axis({4, 5}, {4, 5}), std::nullopt);
  EXPECT_EQ(axis({4, 5}, {-1, -1}, 2), std::nullopt);
  EXPECT_EQ(axis({-1, 5}, {2, 5}), std::nullopt);
  EXPECT_EQ(axis({3, 3}, {3, 3}, 3), std::nullopt);
}

TEST_F(HdiToGraph, ReadsZerosOfLrnAsDefaultsIfAllAreZero) {
  for (size_t i = 0; i < 4; ++i) model_.allTensors[i].dims = {1, 1, 1, 2};
  const auto made_with = [&](const hdi::LRN& lrn) {
    model_.nodes[0] = hdi_node(hdi::NODE_TYPE_LRN, lrn, {0}, {2});
    return to_graph(model_).value();
  };
  const ModelGraph unset = made_with({1, 0, 0, 0, "ACROSS_CHANNELS"});
  ASSERT_FALSE(unset.refusals[0]) << unset.refusals[0]->message;
  const Attrs& attrs = unset.graph->nodes[0].attrs;
  EXPECT_EQ(attrs.real(Attr::bias), 1);
  EXPECT_EQ(attrs.real(Attr::alpha), 1);
  EXPECT_EQ(attrs.real(Attr::beta), 0.5);
  for (const hdi::LRN& lrn :
       {hdi::LRN{1, 0, 2, 3, "ACROSS_CHANNELS"}, hdi::LRN{1, 2, 0, 3, "ACROSS_CHANNELS"},
        hdi::LRN{1, 0, 0, 3, "ACROSS_CHANNELS"}})
    EXPECT_TRUE(made_with(lrn).refusals[0]);
}

}  // namespace
}  // namespace nnrt::plugin
