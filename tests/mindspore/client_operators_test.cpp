// Operators in the forms that MindSpore's converter writes, through the calls of a client.
#include "core/base/bytes_of.h"
#include "tests/import/mindspore/flat_composer.h"
#include "tests/mindspore/client_run.h"
#include "tests/mindspore/lite_graph_maker.h"

#include <neural_network_runtime/neural_network_runtime_inner.h>

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace nnrt::test {
namespace {

using Shape32 = std::vector<int32_t>;
constexpr int8_t kCrop = 39, kDetectionPostProcess = 46, kReverseSequence = 121;
constexpr int32_t kInt8 = 32, kInt32 = 34, kUInt8 = 37;

template <typename T>
conformance::Value value_of(Shape32 shape, const std::vector<T>& values) {
  conformance::Value value{std::move(shape), conformance::Bytes(values.size() * sizeof(T)), {}};
  std::memcpy(value.data.data(), values.data(), value.data.size());
  return value;
}

conformance::Value zeros(const Shape32& shape) {
  size_t count = 1;
  for (const int32_t length : shape) count *= size_t(length);
  return value_of(shape, std::vector<float>(count));
}

std::vector<float> counted(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

Results run_graph(const FlatRow& root, const conformance::Run& run) {
  OH_NNModel* const model = OH_NNModel_Construct();
  EXPECT_EQ(OH_NNModel_BuildFromLiteGraph(model, load_graph(flat_file(root)), nullptr, 0), OH_NN_SUCCESS);
  return run_model(model, run);
}

std::vector<float> floats_in(const std::vector<unsigned char>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// A crop of 0, 1, ... in shape [2, 4, 4, 3]. Empty if it is refused.
std::vector<float> cropped(int64_t axis, std::vector<int64_t> offsets, const Shape32& reference) {
  const FlatRow crop{{{0, axis}, {1, std::move(offsets)}}};
  const FlatRow root =
      ms_root({ms_node(kCrop, crop, {0, 1}, {2})},
              {ms_tensor("x", {2, 4, 4, 3}), ms_tensor("like", reference), ms_tensor("y", {})}, {0, 1}, {2});
  const conformance::Run run{{value_of({2, 4, 4, 3}, counted(96)), zeros(reference)}, {zeros(reference)}};
  const Results results = run_graph(root, run);
  return results.failure.empty() ? floats_in(results.outputs[0]) : std::vector<float>();
}

std::vector<float> part_of_counted(const std::vector<int>& start, const Shape32& sizes) {
  std::vector<float> values;
  for (int a = start[0]; a < start[0] + sizes[0]; ++a)
    for (int b = start[1]; b < start[1] + sizes[1]; ++b)
      for (int c = start[2]; c < start[2] + sizes[2]; ++c)
        for (int d = start[3]; d < start[3] + sizes[3]; ++d)
          values.push_back(float(((a * 4 + b) * 4 + c) * 3 + d));
  return values;
}

TEST(ClientOperators, CropBeginsAtItsOffsets) {
  const Shape32 sizes{2, 2, 3, 2};
  EXPECT_EQ(cropped(1, {1, 0, 1}, sizes), part_of_counted({0, 1, 0, 1}, sizes));
  EXPECT_EQ(cropped(1, {1}, sizes), part_of_counted({0, 1, 1, 1}, sizes));
  EXPECT_EQ(cropped(0, {}, sizes), part_of_counted({0, 0, 0, 0}, sizes));
}

TEST(ClientOperators, CropHasOffsetsForSomeAxes) {
  const Shape32 sizes{1, 2, 3, 2};
  EXPECT_EQ(cropped(2, {1, 1}, sizes), part_of_counted({0, 0, 1, 1}, sizes))
      << "sizes before the axis differ";
  EXPECT_EQ(cropped(-2, {1, 1}, sizes), part_of_counted({0, 0, 1, 1}, sizes));
  EXPECT_EQ(cropped(3, {1}, sizes), part_of_counted({0, 0, 0, 1}, sizes));
  EXPECT_EQ(cropped(1, {2, 1}, sizes), part_of_counted({0, 2, 1, 0}, sizes)) << "none for the last";
}

TEST(ClientOperators, CropRejectsOutOfRange) {
  const Shape32 sizes{1, 2, 3, 2};
  EXPECT_TRUE(cropped(2, {1, 1, 1}, sizes).empty()) << "an offset too many";
  EXPECT_TRUE(cropped(2, {2, 1}, sizes).empty());
  EXPECT_TRUE(cropped(2, {-1, 1}, sizes).empty());
  EXPECT_TRUE(cropped(4, {}, sizes).empty());
  EXPECT_TRUE(cropped(-5, {}, sizes).empty());
}

// Of 0, 1, ... in the shape.
std::vector<float> reversed(const Shape32& shape, int64_t along, int64_t batch,
                            std::vector<int32_t> lengths) {
  const FlatRow fields{{{0, along}, {1, batch}}};
  const Shape32 per_batch{int32_t(lengths.size())};
  const FlatRow root = ms_root(
      {ms_node(kReverseSequence, fields, {0, 1}, {2})},
      {ms_tensor("x", shape), ms_tensor("lengths", per_batch, kInt32), ms_tensor("y", shape)}, {0, 1}, {2});
  conformance::Value x = zeros(shape);
  x = value_of(shape, counted(x.data.size() / sizeof(float)));
  const Results results = run_graph(root, {{x, value_of(per_batch, lengths)}, {zeros(shape)}});
  return results.failure.empty() ? floats_in(results.outputs[0]) : std::vector<float>();
}

TEST(ClientOperators, ReverseSequenceReversesTheBeginOfEachSequence) {
  EXPECT_EQ(reversed({2, 3, 2}, 1, 0, {2, 3}), (std::vector<float>{2, 3, 0, 1, 4, 5, 10, 11, 8, 9, 6, 7}));
  EXPECT_EQ(reversed({3, 2}, 0, 1, {3, 1}), (std::vector<float>{4, 1, 2, 3, 0, 5}));
  EXPECT_EQ(reversed({3, 2}, -2, -1, {0, 2}), (std::vector<float>{0, 3, 2, 1, 4, 5}));
  EXPECT_EQ(reversed({1, 2, 2, 3}, 3, 1, {2, 3}), (std::vector<float>{1, 0, 2, 4, 3, 5, 8, 7, 6, 11, 10, 9}));
}

TEST(ClientOperators, ReverseSequencePadsWithZeros) {
  EXPECT_EQ(reversed({2, 3}, 1, 0, {2, 4}), (std::vector<float>{1, 0, 2, 0, 5, 4}));
}

TEST(ClientOperators, ReverseSequenceRefusesAxesOutOfRange) {
  EXPECT_TRUE(reversed({2, 3}, 1, 1, {2, 2}).empty());
  EXPECT_TRUE(reversed({2, 3}, 2, 0, {2, 2}).empty());
}

// Two boxes with two classes, and their anchors.
Buffers detections(const FlatRow& anchors) {
  const FlatRow fields{{{2, std::vector<float>{5, 5, 10, 10}},
                        {3, 0.5f},
                        {4, 0.1f},
                        {5, int64_t{2}},
                        {7, int64_t{1}},
                        {8, int64_t{2}}}};
  const FlatRow root = ms_root(
      {ms_node(kDetectionPostProcess, fields, {0, 1, 2}, {3, 4, 5, 6}, 4)},
      {ms_tensor("boxes", {1, 2, 4}), ms_tensor("scores", {1, 2, 3}), anchors, ms_tensor("found", {1, 2, 4}),
       ms_tensor("classes", {1, 2}), ms_tensor("confidences", {1, 2}), ms_tensor("count", {1})},
      {0, 1}, {3, 4, 5, 6});
  const conformance::Run run{{value_of<float>({1, 2, 4}, {1, -1, 0.5f, 0, 0, 2, 0, -0.5f}),
                              value_of<float>({1, 2, 3}, {0, 0.25f, 0.75f, 0.125f, 0.5f, 0.375f})},
                             {zeros({1, 2, 4}), zeros({1, 2}), zeros({1, 2}), zeros({1})}};
  const Results results = run_graph(root, run);
  EXPECT_EQ(results.failure, "");
  return results.outputs;
}

TEST(ClientOperators, DetectionTakesQuantizedAnchors) {
  const std::vector<float> anchors{0.5f, 0.25f, 1, 0.75f, 1.5f, 1.25f, 0.5f, 2};
  const Buffers want = detections(ms_constant({2, 4}, 43, bytes_of(anchors)));
  ASSERT_EQ(want.size(), 4u);
  EXPECT_EQ(floats_in(want[1]), (std::vector<float>{1, 0}));
  // Entries of UINT8 are those of INT8 with the same values.
  for (const int32_t type : {kInt8, kUInt8}) {
    constexpr int kZeroPoint = -4;
    Bytes codes;
    for (const float anchor : anchors)
      codes.push_back(std::byte(int(anchor / 0.125f) + kZeroPoint + (type == kUInt8 ? 128 : 0)));
    FlatRow quantized = ms_constant({2, 4}, type, codes);
    quantized.fields[7] = FlatRows{ms_quant(0.125, kZeroPoint)};
    EXPECT_EQ(detections(quantized), want) << type;
  }
}

}  // namespace
}  // namespace nnrt::test
