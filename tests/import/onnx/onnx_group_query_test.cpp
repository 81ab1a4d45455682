// GroupQueryAttention of ONNX Runtime whose sequence lengths are inputs, beside its definition.
#include "tests/import/onnx/onnx_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nnrt::test {
namespace {

// GroupQueryAttention with a cache. The file knows no length, or all of them.
struct GroupQuery {
  const char* name;
  int64_t batch = 1, length = 1, capacity = 12;
  std::vector<int32_t> last{};  // lengths of the sequences, minus 1
  int64_t total = 0;
  int64_t rotated = 0, window = -1;
  bool interleaved = false, packed = false, has_positions = false, has_sinks = false, grows = false;
  double softcap = 0;
  bool smooth = false, has_bias = false, declared = false;  // declared: the file has the new cache's shape

  static constexpr int64_t kHeads = 4, kGroups = 2, kSize = 6;
  int64_t keys() const { return std::max(capacity, total); }
  int64_t before(int64_t sequence) const { return std::max<int64_t>(last[size_t(sequence)] + 1 - length, 0); }
};
std::ostream& operator<<(std::ostream& out, const GroupQuery& c) { return out << c.name; }

struct GroupQueryValues {
  std::vector<float> query, key, value, past_key, past_value, cosines, sines, sinks, bias;
  std::vector<int64_t> positions;

  explicit GroupQueryValues(const GroupQuery& c)
      : query(numbers(c.batch * c.length * c.kHeads * c.kSize, 1)),
        key(numbers(c.batch * c.length * c.kGroups * c.kSize, 2)),
        value(numbers(c.batch * c.length * c.kGroups * c.kSize, 3)),
        past_key(numbers(c.batch * c.kGroups * c.capacity * c.kSize, 4)),
        past_value(numbers(c.batch * c.kGroups * c.capacity * c.kSize, 5)),
        cosines(numbers((c.keys() + 3) * c.rotated / 2, 6)),
        sines(numbers((c.keys() + 3) * c.rotated / 2, 7)),
        sinks(numbers(c.kHeads, 8)),
        bias(numbers(c.kHeads * c.length * c.keys(), 9)) {
    for (int64_t i = 0; i < c.batch * c.length; ++i) positions.push_back((3 * i + 1) % c.keys());
    for (std::vector<float>* const past : {&past_key, &past_value})
      for (size_t i = 0; i < past->size(); ++i)
        if (is_unfilled(c, int64_t(i) / c.kSize)) past->at(i) = std::numeric_limits<float>::quiet_NaN();
  }

  // Nothing depends on what the cache held after the end of a sequence.
  static bool is_unfilled(const GroupQuery& c, int64_t row) {
    return row % c.capacity >= c.before(row / c.capacity / c.kGroups);
  }

  static std::vector<float> numbers(int64_t count, int64_t seed) {
    std::vector<float> made;
    for (int64_t i = 0; i < count; ++i) made.push_back(float((i * 37 + seed * 29) % 97 - 48) / 32);
    return made;
  }
};

// By the definition, one key after the other, in double.
class GroupQueryReference {
 public:
  explicit GroupQueryReference(const GroupQuery& c) : c_(c), given_(c) {
    keys_ = cache(given_.past_key);
    values_ = cache(given_.past_value);
    for (int64_t b = 0; b < c.batch; ++b) add_sequence(b);
  }

  // Whether a new element belongs to its sequence; otherwise it is padding.
  bool counts(int64_t b, int64_t i) const { return c_.before(b) + i <= c_.last[size_t(b)]; }
  std::vector<double> keys_, values_, result_;

 private:
  static constexpr int64_t kSize = GroupQuery::kSize, kGroups = GroupQuery::kGroups,
                           kHeads = GroupQuery::kHeads;

  std::vector<double> cache(const std::vector<float>& past) const {
    std::vector<double> rows(size_t(c_.batch * kGroups * c_.keys() * kSize));
    for (int64_t i = 0; i < int64_t(past.size()); ++i) {
      const int64_t matrix = i / (c_.capacity * kSize);
      rows[size_t(matrix * c_.keys() * kSize + i % (c_.capacity * kSize))] = past[size_t(i)];
    }
    return rows;
  }

  std::vector<double> row(const std::vector<float>& from, int64_t b, int64_t i, int64_t head, int64_t heads,
                          bool rotates) const {
    const float* const first = &from[size_t(((b * c_.length + i) * heads + head) * kSize)];
    std::vector<double> made(first, first + kSize);
    const int64_t pairs = rotates ? c_.rotated / 2 : 0;
    const int64_t position =
        c_.has_positions ? given_.positions[size_t(b * c_.length + i)] : c_.before(b) + i;
    for (int64_t p = 0; p < pairs; ++p) {
      const double cos = given_.cosines[size_t(position * pairs + p)],
                   sin = given_.sines[size_t(position * pairs + p)];
      const auto left = size_t(c_.interleaved ? 2 * p : p),
                 right = size_t(c_.interleaved ? 2 * p + 1 : pairs + p);
      const double a = made[left], z = made[right];
      made[left] = a * cos - z * sin;
      made[right] = z * cos + a * sin;
    }
    return made;
  }

  double* row_at(std::vector<double>& cache, int64_t b, int64_t group, int64_t position) const {
    return &cache[size_t(((b * kGroups + group) * c_.keys() + position) * kSize)];
  }

  void add_sequence(int64_t b) {
    for (int64_t i = 0; i < c_.length; ++i) {
      for (int64_t group = 0; group < kGroups; ++group) {
        std::ranges::copy(row(given_.key, b, i, group, kGroups, true),
                          row_at(keys_, b, group, c_.before(b) + i));
        std::ranges::copy(row(given_.value, b, i, group, kGroups, false),
                          row_at(values_, b, group, c_.before(b) + i));
      }
    }
    for (int64_t i = 0; i < c_.length; ++i)
      for (int64_t head = 0; head < kHeads; ++head) attend(b, i, head);
  }

  void attend(int64_t b, int64_t i, int64_t head) {
    const std::vector<double> query = row(given_.query, b, i, head, kHeads, true);
    const int64_t end = c_.before(b) + i + 1,
                  begin = c_.window < 0 ? 0 : std::max<int64_t>(end - c_.window, 0);
    std::vector<double> sums(size_t(kSize), 0);
    double total = c_.has_sinks ? std::exp(double(given_.sinks[size_t(head)])) : c_.smooth ? 1 : 0;
    for (int64_t k = begin; k < end; ++k) {
      const double* const key = row_at(keys_, b, head / 2, k);
      double score = std::inner_product(query.begin(), query.end(), key, 0.0) / std::sqrt(double(kSize));
      if (c_.softcap != 0) score = c_.softcap * std::tanh(score / c_.softcap);
      if (c_.has_bias) score += given_.bias[size_t((head * c_.length + i) * c_.keys() + k)];
      total += std::exp(score);
      for (int64_t e = 0; e < kSize; ++e)
        sums[size_t(e)] += std::exp(score) * row_at(values_, b, head / 2, k)[e];
    }
    for (const double sum : sums) result_.push_back(sum / total);
  }

  const GroupQuery& c_;
  const GroupQueryValues given_;
};

OnnxModel model_of(const GroupQuery& c, bool is_open) {
  const auto open = [&](int64_t length) { return is_open ? -1 : length; };
  const int64_t width = GroupQuery::kGroups * GroupQuery::kSize,
                query = GroupQuery::kHeads * GroupQuery::kSize;
  const Dimensions past{open(c.batch), GroupQuery::kGroups, c.grows || is_open ? -1 : c.capacity,
                        GroupQuery::kSize};
  OnnxModel model(17);
  model.input("q", {open(c.batch), open(c.length), c.packed ? query + 2 * width : query});
  if (!c.packed) {
    model.input("k", {open(c.batch), open(c.length), width})
        .input("v", {open(c.batch), open(c.length), width});
  }
  model.input("past_k", past).input("past_v", past);
  model.input("last", {open(c.batch)}, OnnxModel::kInt32).input("total", {}, OnnxModel::kInt32);
  Names inputs{"q", c.packed ? "" : "k", c.packed ? "" : "v", "past_k", "past_v", "last", "total"};
  const GroupQueryValues values(c);
  if (c.rotated > 0) {
    model.floats("cos", {c.keys() + 3, c.rotated / 2}, values.cosines);
    model.floats("sin", {c.keys() + 3, c.rotated / 2}, values.sines);
  }
  inputs.insert(inputs.end(), {c.rotated > 0 ? "cos" : "", c.rotated > 0 ? "sin" : ""});
  if (c.has_positions) {
    const std::string bytes(reinterpret_cast<const char*>(values.positions.data()),
                            values.positions.size() * 8);
    model.constant("positions", OnnxModel::kInt64, {c.batch, c.length}, bytes);
  }
  if (c.has_sinks) model.floats("sinks", {GroupQuery::kHeads}, values.sinks);
  if (c.has_bias) model.input("bias", {1, GroupQuery::kHeads, open(c.length), open(c.keys())});
  inputs.insert(inputs.end(),
                {c.has_positions ? "positions" : "", c.has_bias ? "bias" : "", c.has_sinks ? "sinks" : ""});
  model.node("GroupQueryAttention", inputs, {"y", "present_k", "present_v"}).domain("com.microsoft");
  model.with("num_heads", GroupQuery::kHeads).with("kv_num_heads", GroupQuery::kGroups);
  if (c.rotated > 0) model.with("do_rotary", 1).with("rotary_interleaved", c.interleaved ? 1 : 0);
  if (c.window > 0) model.with("local_window_size", c.window);
  if (c.softcap != 0) model.with("softcap", c.softcap);
  if (c.smooth) model.with("smooth_softmax", 1);
  if (!c.declared || is_open) return model.output("y").output("present_k").output("present_v");
  const Dimensions present{c.batch, GroupQuery::kGroups, c.keys(), GroupQuery::kSize};
  return model.output("y")
      .output("present_k", present, OnnxModel::kFloat32)
      .output("present_v", present, OnnxModel::kFloat32);
}

std::vector<Value> inputs_of(const GroupQuery& c) {
  const GroupQueryValues values(c);
  const auto i32 = [](int64_t length) { return static_cast<int32_t>(length); };
  const int32_t batch = i32(c.batch), length = i32(c.length), width = i32(c.kGroups * c.kSize),
                query = i32(c.kHeads * c.kSize);
  std::vector<Value> inputs;
  if (c.packed) {
    std::vector<float> all;
    for (int32_t row = 0; row < batch * length; ++row) {
      const auto append = [&](const std::vector<float>& from, int32_t count) {
        all.insert(all.end(), from.begin() + row * count, from.begin() + (row + 1) * count);
      };
      append(values.query, query);
      append(values.key, width);
      append(values.value, width);
    }
    inputs.push_back(value_of({batch, length, query + 2 * width}, all));
  } else {
    inputs.push_back(value_of({batch, length, query}, values.query));
    inputs.push_back(value_of({batch, length, width}, values.key));
    inputs.push_back(value_of({batch, length, width}, values.value));
  }
  for (const auto& past : {values.past_key, values.past_value})
    inputs.push_back(value_of({batch, i32(c.kGroups), i32(c.capacity), i32(c.kSize)}, past));
  inputs.push_back(value_of({batch}, c.last));
  inputs.push_back(value_of({}, std::vector{i32(c.total)}));
  if (c.has_bias) inputs.push_back(value_of({1, i32(c.kHeads), length, i32(c.keys())}, values.bias));
  return inputs;
}

void expect_group_query(const GroupQuery& c, const std::vector<Value>& results, bool has_grown) {
  const GroupQueryReference want(c);
  const auto y = elements_of<float>(results[0]), keys = elements_of<float>(results[1]),
             values = elements_of<float>(results[2]);
  ASSERT_EQ(y.size(), want.result_.size());
  ASSERT_EQ(keys.size(), want.keys_.size());
  ASSERT_EQ(values.size(), want.values_.size());
  const int64_t width = c.kHeads * c.kSize, row = c.keys() * c.kSize;
  for (int64_t i = 0; i < int64_t(y.size()); ++i) {
    if (want.counts(i / (c.length * width), i / width % c.length)) {
      ASSERT_NEAR(y[size_t(i)], want.result_[size_t(i)], 2e-6) << i;
    }
  }
  for (int64_t i = 0; i < int64_t(keys.size()); ++i) {
    if (i % row / c.kSize > c.last[size_t(i / row / c.kGroups)]) {
      if (has_grown) {
        ASSERT_EQ(keys[size_t(i)], 0) << i;
        ASSERT_EQ(values[size_t(i)], 0) << i;
      }
      continue;
    }
    ASSERT_NEAR(keys[size_t(i)], want.keys_[size_t(i)], 1e-6) << i;
    ASSERT_EQ(values[size_t(i)], float(want.values_[size_t(i)])) << i;
  }
}

class GroupQueryOf : public testing::TestWithParam<GroupQuery> {};

TEST_P(GroupQueryOf, IsRightWithLengthsOfTheRun) {
  const GroupQuery& c = GetParam();
  const auto i32 = [](int64_t length) { return static_cast<int32_t>(length); };
  const import::Shape present{i32(c.batch), i32(c.kGroups), i32(c.keys()), i32(c.kSize)},
      result{i32(c.batch), i32(c.length), i32(c.kHeads * c.kSize)};
  for (const bool is_open : {false, true}) {
    const List<Value> results = results_of(model_of(c, is_open), inputs_of(c), {result, present, present});
    expect_group_query(c, results, is_open || !c.declared || c.keys() > c.capacity);
  }
}

class GroupQueryOfFixedCapacity : public GroupQueryOf {};

TEST_P(GroupQueryOfFixedCapacity, UpdatesTheCacheInPlace) {
  GroupQuery c = GetParam();
  c.declared = true;
  const import::Network network = model_of(c, false).network();
  auto session = Session::open(network, OH_NN_CPU).value();
  const std::vector<Value> inputs = inputs_of(c);
  const size_t past = c.packed ? 1 : 3;
  ASSERT_TRUE(session.may_share(past, 1));
  ASSERT_TRUE(session.may_share(past + 1, 2));
  const std::vector<import::Shape> shapes{{int32_t(c.batch), int32_t(c.length), int32_t(c.kHeads * c.kSize)},
                                          inputs[past].shape,
                                          inputs[past].shape};
  const auto apart = session.run(inputs, shapes),
             shared = session.run(inputs, shapes, {{1, past}, {2, past + 1}});
  ASSERT_TRUE(shared.ok()) << shared.error().message;
  expect_group_query(c, shared.value(), false);
  for (size_t i = 0; i < shapes.size(); ++i) EXPECT_EQ(shared.value()[i].bytes, apart.value()[i].bytes) << i;
}

const GroupQuery kGroupQueries[] = {
    {.name = "Decode", .last = {6}, .total = 7},
    {.name = "DecodeBatch", .batch = 2, .last = {6, 3}, .total = 7, .rotated = 6},
    {.name = "LastPosition", .last = {11}, .total = 12, .rotated = 4},
    {.name = "Prompt", .length = 5, .last = {4}, .total = 5, .rotated = 6},
    {.name = "PaddedPrompts", .batch = 2, .length = 5, .last = {4, 2}, .total = 5, .rotated = 6},
    {.name = "Chunk", .length = 3, .last = {7}, .total = 8, .rotated = 6, .interleaved = true},
    {.name = "Positions", .length = 3, .last = {7}, .total = 8, .rotated = 6, .has_positions = true},
    {.name = "Packed", .batch = 2, .last = {6, 3}, .total = 7, .rotated = 6, .packed = true},
    {.name = "Window", .batch = 2, .last = {8, 3}, .total = 9, .window = 4},
    {.name = "WindowOfAChunk", .length = 4, .last = {8}, .total = 9, .window = 3},
    {.name = "Softcap", .batch = 2, .last = {6, 3}, .total = 7, .softcap = 0.5},
    {.name = "Sinks", .batch = 2, .last = {6, 3}, .total = 7, .has_sinks = true},
    {.name = "SmoothSoftmax", .batch = 2, .last = {6, 3}, .total = 7, .smooth = true},
    {.name = "SinksOfAChunk", .length = 3, .last = {7}, .total = 8, .has_sinks = true, .softcap = 2},
    {.name = "Bias", .length = 2, .last = {6}, .total = 7, .has_bias = true},
    {.name = "BiasAndSoftcap", .last = {6}, .total = 7, .softcap = 2, .has_bias = true},
    {.name = "Declared", .last = {6}, .total = 7, .declared = true},
    {.name = "DeclaredToGrow", .capacity = 6, .last = {6}, .total = 7, .declared = true},
    {.name = "DeclaredToGrowUnevenly",
     .batch = 2,
     .length = 2,
     .capacity = 6,
     .last = {7, 3},
     .total = 8,
     .rotated = 6,
     .declared = true},
    {.name = "GrowsByOne", .capacity = 6, .last = {6}, .total = 7, .rotated = 6, .grows = true},
    {.name = "GrowsUnevenly", .batch = 2, .capacity = 6, .last = {6, 2}, .total = 7, .grows = true},
    {.name = "GrowsFromNothing", .length = 3, .capacity = 0, .last = {2}, .total = 3, .grows = true},
};
std::string name_of(const testing::TestParamInfo<GroupQuery>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Onnx, GroupQueryOf, testing::ValuesIn(kGroupQueries), name_of);

std::vector<GroupQuery> of_fixed_capacity() {
  std::vector<GroupQuery> found;
  std::ranges::copy_if(kGroupQueries, std::back_inserter(found),
                       [](const GroupQuery& c) { return !c.grows && c.keys() == c.capacity; });
  return found;
}
INSTANTIATE_TEST_SUITE_P(Onnx, GroupQueryOfFixedCapacity, testing::ValuesIn(of_fixed_capacity()), name_of);

// The cache of the file has a known length, and does not grow.
TEST(OnnxGroupQuery, FailsTheRunBeyondTheCapacity) {
  const GroupQuery plain{
      .name = "", .batch = 2, .length = 2, .capacity = 4, .last = {2, 4}, .total = 4, .declared = true};
  GroupQuery sinks = plain, softcap = plain;
  sinks.has_sinks = true;
  softcap.softcap = 2;
  for (const GroupQuery& c : {plain, sinks, softcap}) {
    const import::Shape present{2, 2, 4, 6};
    testing::internal::CaptureStderr();
    EXPECT_FALSE(run_on_cpu(model_of(c, false), inputs_of(c), {{2, 2, 24}, present, present}).ok());
    const std::string logged = testing::internal::GetCapturedStderr();
    EXPECT_NE(logged.find("lengths of the sequences, capacity of the cache) begins with 3, 5, 4."),
              std::string::npos)
        << logged;
  }
}

// Whether the length of a past is a capacity is up to the file, or to the client if the file leaves it open.
TEST(OnnxGroupQuery, GrowsUnlessCacheLengthIsFixed) {
  const GroupQuery c{.name = "", .capacity = 6, .last = {6}, .total = 7};
  const import::Shape grown{1, 2, 7, 6}, fixed{1, 2, 6, 6};
  const List<Value> results = results_of(model_of(c, false), inputs_of(c), {{1, 1, 24}, grown, grown});
  expect_group_query(c, results, true);
  import::Options options;
  options.input_shapes = {{"q", {1, 1, 24}}, {"k", {1, 1, 12}}, {"v", {1, 1, 12}},
                          {"last", {1}},     {"past_k", fixed}, {"past_v", fixed}};
  const import::Network network = model_of(c, true).network(options);
  EXPECT_EQ(network.tensors[network.outputs[1]].shape, fixed);
}

// Layers share what follows from the lengths.
TEST(OnnxGroupQuery, OfSeveralLayersHasOneMask) {
  const auto count = [](int layers) {
    OnnxModel model(17);
    model.input("q", {1, 1, 8}).input("past", {1, 1, 6, 4});
    model.input("last", {1}, OnnxModel::kInt32).input("total", {}, OnnxModel::kInt32);
    for (int i = 0; i < layers; ++i) {
      const std::string y = "y" + std::to_string(i);
      model.node("GroupQueryAttention",
                 {i == 0 ? "q" : "y" + std::to_string(i - 1), "k", "k", "past", "past", "last", "total"},
                 {y});
      model.domain("com.microsoft").with("num_heads", 2).with("kv_num_heads", 1);
    }
    model.floats("k", {1, 1, 4}, {1, 2, 3, 4});
    const auto network = model.output("y" + std::to_string(layers - 1)).read();
    EXPECT_TRUE(network.ok()) << message(network);
    return network.ok() ? network.value().operations.size() : 0;
  };
  EXPECT_EQ(count(3) - count(2), count(2) - count(1));
  EXPECT_LT(count(2), 2 * count(1) - 8);
}

}  // namespace
}  // namespace nnrt::test
