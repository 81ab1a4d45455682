// Data movement that copies less than it appears to.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/device/guarded_run.h"
#include "tests/support/random/random.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

namespace nnrt::test {
namespace {

// Interleaves the channels of two tensors and splits the result in two, each read by an operator.
GraphPtr shuffled_parts(int pixels, int channels) {
  GraphMaker maker;
  const Shape one{pixels, channels}, both{pixels, 2 * channels};
  const TensorId a = maker.input(one), b = maker.input(one);
  const TensorId concatenated =
      maker.op(Op::concat, {a, b}, both, {maker.parameter<int64_t>(10, DType::i64, {1})});
  const TensorId groups =
      maker.op(Op::reshape, {concatenated, maker.ints({pixels, 2, channels})}, {pixels, 2, channels});
  const TensorId transposed = maker.op(Op::transpose, {groups, maker.ints({0, 2, 1})}, {pixels, channels, 2});
  const TensorId flat = maker.op(Op::reshape, {transposed, maker.ints({pixels, 2 * channels})}, both);
  const auto half = [&](int first) {
    return maker.op(Op::slice, {flat, maker.ints({0, first}), maker.ints({pixels, channels})}, one);
  };
  return maker.finish({maker.op(Op::sub, {half(0), half(channels)}, one)});
}

TEST(Moves, SlicedShuffledChannelsEqualSingleSteps) {
  const auto device = make_device();
  for (const auto& [pixels, channels] : {std::pair{9, 16}, {9, 6}, {3, 2}, {37, 58}, {700, 24}}) {
    std::vector<float> a(size_t(pixels) * size_t(channels)), b(a.size()), expected;
    std::iota(a.begin(), a.end(), 1.0f);
    std::iota(b.begin(), b.end(), 0.5f);
    for (float& value : b) value *= -2;
    for (size_t i = 0; i < a.size(); ++i) {
      const size_t row = i / size_t(channels) * size_t(channels), c = i % size_t(channels);
      const std::vector<float>& from = c % 2 == 0 ? a : b;
      expected.push_back(from[row + c / 2] - from[row + (c + size_t(channels)) / 2]);
    }
    const Shape shape{pixels, channels};
    const auto model = device->prepare(shuffled_parts(pixels, channels), {}).value();
    EXPECT_EQ(floats_of(*model, {view_of<float>(shape, a), view_of<float>(shape, b)}), expected)
        << pixels << "x" << channels;
  }
}

// Moves sub-word elements by `make` and checks that each result holds the number of its source element.
template <typename T, typename Make>
std::vector<T> moved(Device& device, DType dtype, const Shape& shape, const Make& make) {
  GraphMaker maker;
  std::vector<T> values(size_t(product(shape, 0, shape.size())));
  std::iota(values.begin(), values.end(), T(0));
  const GraphPtr graph = maker.finish({make(maker, maker.input(shape, dtype))});
  Random random(1);
  const auto got = run_guarded(device, graph, {bytes_of(values)}, random, false).value();
  std::vector<T> result(got[0].size() / sizeof(T));
  std::memcpy(result.data(), got[0].data(), got[0].size());
  return result;
}

template <typename T>
void expect_transposes(Device& device, DType dtype) {
  // Each mode of copy.comp: vectors, words, elements, pairs of words, and interleaved.
  for (const Shape& shape : {Shape{1, 24, 3},
                             {3, 24, 4},
                             {2, 16, 6},
                             {1, 6, 5},
                             {5, 7, 3},
                             {7, 2, 16},
                             {7, 2, 12},
                             {7, 2, 5},
                             {3, 16, 32},
                             {2, 40, 2}}) {
    const Shape result{shape[0], shape[2], shape[1]};
    const std::vector<T> got = moved<T>(device, dtype, shape, [&](GraphMaker& maker, TensorId x) {
      return maker.op(Op::transpose, {x, maker.ints({0, 2, 1})}, result, {}, dtype);
    });
    size_t wrong = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      const size_t rows = size_t(shape[1]), columns = size_t(shape[2]);
      const size_t matrix = i / (rows * columns), column = i / rows % columns, row = i % rows;
      wrong += got[i] == T((matrix * rows + row) * columns + column) ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0u) << to_string(shape);
  }
}

TEST(Moves, TransposeSmallElements) {
  const auto device = make_device();
  expect_transposes<int16_t>(*device, DType::i16);
  expect_transposes<uint8_t>(*device, DType::u8);
}

// Random chains of data movement, with other readers of some results.
class Moved {
 public:
  explicit Moved(uint32_t seed) : random_(seed) {
    made_.push_back({make_.input(shape(), dtype_), shape()});
    for (int step = 0; step < 7; ++step) move(made_[random_.below(made_.size())]);
  }

  // Adds readers of the last results, and of some earlier ones.
  GraphPtr finish() {
    std::vector<TensorId> outputs;
    for (size_t i = 1; i < made_.size(); ++i)
      if (i + 3 > made_.size() || random_.one_in(6))
        outputs.push_back(make_.op(Op::neg, {made_[i].id}, made_[i].shape, {}, dtype_));
    return make_.finish(outputs);
  }
  // A distinct number per element.
  Bytes numbers() const {
    constexpr uint16_t kNormal = 0x400;  // smallest normal fp16
    Bytes bytes(size_t(product(shape(), 0, 3)) * size_of(dtype_));
    for (size_t i = 0; i * size_of(dtype_) < bytes.size(); ++i) {
      const auto number = float(i + 1);
      const auto half = uint16_t(kNormal + i);
      std::memcpy(bytes.data() + i * size_of(dtype_), dtype_ == DType::f16 ? (const void*)&half : &number,
                  size_of(dtype_));
    }
    return bytes;
  }

 private:
  struct MovedTensor {
    TensorId id;
    Shape shape;
  };
  Shape shape() const { return {12, 5, size_}; }
  TensorId ints(const Shape& numbers) { return make_.ints({numbers.begin(), numbers.end()}); }

  void move(MovedTensor from) {
    Shape to = from.shape;
    std::vector<TensorId> inputs{from.id};
    Op op = Op::transpose;
    switch (random_.below(4)) {
      case 0: {
        Shape order;
        for (size_t d = 0; d < to.size(); ++d) order.push_back(int64_t(d));
        for (size_t d = to.size(); d-- > 1;) std::swap(order[d], order[random_.below(d + 1)]);
        for (size_t d = 0; d < to.size(); ++d) to[d] = from.shape[size_t(order[d])];
        inputs.push_back(ints(order));
        break;
      }
      case 1: {  // splits a dimension or merges two
        op = Op::reshape;
        const size_t d = random_.below(to.size());
        if (to[d] % 2 == 0 && to.size() < 5) {
          to[d] /= 2;
          to.insert(to.begin() + ptrdiff_t(d) + (random_.one_in(2) ? 1 : 0), 2);
        } else if (d + 1 < to.size()) {
          to[d] *= to[d + 1];
          to.erase(to.begin() + ptrdiff_t(d) + 1);
        }
        inputs.push_back(ints(to));
        break;
      }
      case 2: {  // a slice along one dimension
        op = Op::slice;
        const size_t d = random_.below(to.size());
        Shape first(to.size(), 0);
        if (to[d] % 2 == 0) to[d] /= 2;
        first[d] = random_.one_in(2) ? from.shape[d] - to[d] : 0;
        inputs.push_back(ints(first));
        inputs.push_back(ints(to));
        break;
      }
      default: {
        op = Op::concat;
        const size_t d = random_.below(to.size());
        if (product(to, 0, to.size()) > 4000) return;
        to[d] *= 2;
        inputs.push_back(from.id);
        made_.push_back(
            {make_.op(op, inputs, to, {make_.parameter<int64_t>(10, DType::i64, {int64_t(d)})}, dtype_), to});
        return;
      }
    }
    made_.push_back({make_.op(op, inputs, to, {}, dtype_), to});
  }

  Random random_;
  const DType dtype_ = random_.one_in(2) ? DType::f16 : DType::f32;
  const int64_t size_ = random_.one_in(2) ? 16 : int64_t(random_.below(20)) + 1;
  GraphMaker make_;
  std::vector<MovedTensor> made_;
};

TEST(Moves, Compose) {
  const auto gpu = make_device();
  const auto cpu = cpu::make_device();
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    Moved moved(seed);
    const GraphPtr graph = moved.finish();
    const std::vector<Bytes> fed{moved.numbers()};
    Random random(1);
    const auto got = run_guarded(*gpu, graph, fed, random, false);
    const auto expected = run_guarded(*cpu, graph, fed, random, false);
    ASSERT_TRUE(got.ok() && expected.ok()) << seed;
    ASSERT_EQ(got.value(), expected.value()) << seed;
  }
}

// Values that are exact in fp16, round down, up or to even, are subnormal, or overflow.
std::vector<float> cast_values(size_t count) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::array kSpecial{0.0f,       -0.0f,      1.0f,          1 + 0x1p-11f, 1 + 0x3p-11f,
                                65504.0f,   65519.9f,   65520.0f,      1e6f,         kInfinity,
                                -kInfinity, 0x1p-14f,   0x1p-24f,      0x1p-25f,     0x3p-25f,
                                0x1p-26f,   0x1.8p-20f, -0x1.ffep-15f, 1e-40f,       -0.333333f};
  Random random(7);
  std::vector<float> values(kSpecial.begin(), kSpecial.end());
  while (values.size() < count)
    values.push_back(float(random.real(-70000, 70000) * double(random.below(3)) / 2));
  values.resize(count);
  return values;
}

// A tensor cast to fp16, transposed or sliced, and cast back.
GraphPtr cast_and_moved(const Shape& shape, Op op) {
  GraphMaker maker;
  const auto cast = [&](TensorId x, const Shape& to, DType dtype) {
    return maker.op(Op::cast, {x, maker.ints({int32_t(dtype)})}, to, {}, dtype);
  };
  const auto moved = [&](TensorId x, const Shape& from, Shape& to) {
    if (op == Op::transpose) {
      to = {from[0], from[2], from[1]};
      return maker.op(op, {x, maker.ints({0, 2, 1})}, to, {}, DType::f16);
    }
    to = {from[0], from[1], from[2] - 1};
    return maker.op(op, {x, maker.ints({0, 0, 1}), maker.ints({int(to[0]), int(to[1]), int(to[2])})}, to, {},
                    DType::f16);
  };
  Shape once, twice;
  const TensorId fp16 = moved(cast(maker.input(shape), shape, DType::f16), shape, once);
  const TensorId negated = maker.op(Op::neg, {fp16}, once, {}, DType::f16);
  const TensorId back = cast(moved(negated, once, twice), twice, DType::f32);
  return maker.finish({fp16, back});
}

TEST(Moves, FusedCastsMatchSeparateCasts) {
  const auto gpu = make_device();
  const auto cpu = cpu::make_device();
  for (const Shape& shape :
       {Shape{1, 24, 3}, {3, 24, 4}, {2, 16, 6}, {1, 6, 5}, {5, 7, 3}, {3, 16, 32}, {2, 9, 8}}) {
    for (const Op op : {Op::transpose, Op::slice}) {
      const GraphPtr graph = cast_and_moved(shape, op);
      const std::vector<float> values = cast_values(size_t(product(shape, 0, 3)));
      const std::vector<Bytes> fed{bytes_of(values)};
      Random random(1);
      const auto got = run_guarded(*gpu, graph, fed, random, false);
      const auto expected = run_guarded(*cpu, graph, fed, random, false);
      ASSERT_TRUE(got.ok() && expected.ok());
      EXPECT_EQ(got.value(), expected.value()) << to_string(shape) << " " << name(op);
    }
  }
}

// Sides around multiples of tile, word and block, and an outer dimension between the transposed ones.
template <typename T>
void expect_tiles(Device& device, DType dtype) {
  for (const Shape& shape : {Shape{1, 1, 1},
                             {64, 1, 64},
                             {65, 1, 63},
                             {3, 2, 4099},
                             {4099, 1, 5},
                             {66, 2, 130},
                             {67, 3, 129},
                             {64, 3, 32},
                             {600, 1, 48},
                             {1030, 2, 37},
                             {12, 2, 20}}) {
    const Shape result{shape[2], shape[1], shape[0]};
    const std::vector<T> got = moved<T>(device, dtype, shape, [&](GraphMaker& maker, TensorId x) {
      return maker.op(Op::transpose, {x, maker.ints({2, 1, 0})}, result, {}, dtype);
    });
    size_t wrong = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      const auto a = size_t(shape[0]), b = size_t(shape[1]), c = size_t(shape[2]);
      wrong += got[i] == T((i % a * b + i / a % b) * c + i / a / b) ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0u) << to_string(shape);
  }
}

TEST(Moves, TransposeWholeWords) {
  const auto device = make_device();
  expect_transposes<int32_t>(*device, DType::i32);
  expect_transposes<int64_t>(*device, DType::i64);
  expect_tiles<int32_t>(*device, DType::i32);
  expect_tiles<int64_t>(*device, DType::i64);
}

// Concatenates two parts along the second dimension, in few rows, including odd lengths.
template <typename T>
void expect_joined_rows(Device& device, DType dtype) {
  struct Case {
    int rows, length, first;
  };
  for (const Case& sizes : {Case{1, 16, 5}, {2, 7, 3}, {7, 24, 8}, {31, 9, 1}}) {
    const int rows = sizes.rows, length = sizes.length, first = sizes.first;
    const std::vector<T> got = moved<T>(device, dtype, {rows, length}, [&](GraphMaker& maker, TensorId x) {
      const auto part = [&](int from, int to) {
        return maker.op(Op::slice, {x, maker.ints({0, from}), maker.ints({rows, to - from})},
                        {rows, to - from}, {}, dtype);
      };
      const TensorId axis = maker.parameter<int64_t>(10, DType::i64, {1});
      return maker.op(Op::concat, {part(first, length), part(0, first)}, {rows, length}, {axis}, dtype);
    });
    for (size_t i = 0; i < got.size(); ++i) {
      const auto columns = size_t(length);
      const T expected = T(i / columns * columns + (i % columns + size_t(first)) % columns);
      EXPECT_EQ(got[i], expected) << rows << "x" << length << ": " << i;
    }
  }
}

// The default on GPUs.
TEST(Moves, KernelMatchesCopyCommand) {
  for (const bool forbids : {false, true}) {
    vulkan::DevicePlan plan = first_plan();
    if (forbids) plan.kernels.forbid("copy_command");
    const auto device = make_device(plan);
    expect_joined_rows<uint8_t>(*device, DType::u8);
    expect_joined_rows<int16_t>(*device, DType::i16);
    expect_joined_rows<int32_t>(*device, DType::i32);
    expect_joined_rows<int64_t>(*device, DType::i64);
  }
}

TEST(Moves, TilesTransposeSmallElementsOfAnyShape) {
  vulkan::DevicePlan plan = first_plan();
  plan.kernels.force("transpose_tile");
  const auto device = make_device(plan);
  expect_transposes<int16_t>(*device, DType::i16);
  expect_transposes<uint8_t>(*device, DType::u8);
  expect_tiles<int16_t>(*device, DType::i16);
  expect_tiles<uint8_t>(*device, DType::u8);
}

TEST(Moves, ShuffledFp16EqualsSingleSteps) {
  const auto device = make_device();
  for (const int channels : {16, 8, 12, 6, 58}) {
    const std::vector<int16_t> got = moved<
        int16_t>(*device, DType::i16, {9, 2 * channels}, [&](GraphMaker& maker, TensorId x) {
      const auto add = [&](Op op, const std::vector<TensorId>& inputs, const Shape& shape,
                           const std::vector<TensorId>& parameters = {}) {
        return maker.op(op, inputs, shape, parameters, DType::i16);
      };
      const auto half = [&](TensorId of, int first) {
        return add(Op::slice, {of, maker.ints({0, first}), maker.ints({9, channels})}, {9, channels});
      };
      const TensorId axis = maker.parameter<int64_t>(10, DType::i64, {1});
      const TensorId swapped = add(Op::concat, {half(x, channels), half(x, 0)}, {9, 2 * channels}, {axis});
      const TensorId groups = add(Op::reshape, {swapped, maker.ints({9, 2, channels})}, {9, 2, channels});
      const TensorId transposed = add(Op::transpose, {groups, maker.ints({0, 2, 1})}, {9, channels, 2});
      return add(Op::abs,
                 {half(add(Op::reshape, {transposed, maker.ints({9, 2 * channels})}, {9, 2 * channels}), 0)},
                 {9, channels});
    });
    for (size_t i = 0; i < got.size(); ++i) {
      const auto c = i % size_t(channels), row = i / size_t(channels) * 2 * size_t(channels);
      EXPECT_EQ(got[i], int16_t(row + (c % 2 == 0 ? size_t(channels) : 0) + c / 2)) << channels << ": " << i;
    }
  }
}

// Convolutions of one input, concatenated along the channels, or a single one.
class Branches {
 public:
  explicit Branches(std::optional<size_t> alone = {}) : alone_(alone) {}

  GraphPtr graph() {
    const TensorId x = maker_.input(kInput, DType::f32, Format::nhwc);
    const TensorId same = maker_.parameter<int8_t>(14, DType::i8, {0});
    std::vector<TensorId> made;
    for (size_t i = 0; i < kChannels.size(); ++i) {
      if (alone_ && *alone_ != i) continue;
      const int64_t kernel = i % 2 == 0 ? 1 : 3, channels = kChannels[i];
      const TensorId weight = constant({channels, kernel, kernel, 8}), bias = constant({channels});
      made.push_back(
          maker_.op(Op::conv2d, {x, weight, bias}, {1, 6, 5, channels}, {same}, DType::f32, Format::nhwc));
    }
    if (alone_) return normalize(maker_.finish(made));
    const TensorId axis = maker_.parameter<int64_t>(10, DType::i64, {3});
    const TensorId concatenated =
        maker_.op(Op::concat, made, {1, 6, 5, kAll}, {axis}, DType::f32, Format::nhwc);
    return normalize(maker_.finish({maker_.op(Op::abs, {concatenated}, {1, 6, 5, kAll})}));
  }

  static constexpr std::array<int64_t, 4> kChannels{12, 8, 20, 16};
  static constexpr int64_t kAll = 56;
  static inline const Shape kInput{1, 6, 5, 8};

 private:
  TensorId constant(Shape shape) {
    const int64_t count = product(shape, 0, shape.size());
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(float((i * 37 + count) % 64 - 32) / 32);
    return maker_.floats(std::move(shape), values);
  }

  std::optional<size_t> alone_;
  GraphMaker maker_;
};

TEST(Moves, ConvolutionsWriteConcatSlicesInPlace) {
  std::vector<float> x;
  for (int i = 0; i < 240; ++i) x.push_back(float(i * 29 % 61 - 30) / 16);
  const std::vector<TensorView> inputs{view_of<float>(Branches::kInput, x)};
  vulkan::DevicePlan optimized = first_plan(), fast_compile = optimized, winograd = optimized;
  fast_compile.shaders = vulkan::Shaders::fast_compile;
  winograd.kernels.force("winograd4");
  for (const vulkan::DevicePlan& plan : {optimized, fast_compile, winograd}) {
    const auto device = make_device(plan);
    const std::vector<float> got = floats_of(*prepare(*device, Branches().graph()), inputs);
    ASSERT_EQ(got.size(), size_t(30 * Branches::kAll));
    size_t first = 0;
    for (size_t branch = 0; branch < Branches::kChannels.size(); ++branch) {
      const auto channels = size_t(Branches::kChannels[branch]);
      const std::vector<float> alone = floats_of(*prepare(*device, Branches(branch).graph()), inputs);
      ASSERT_EQ(alone.size(), 30 * channels);
      for (size_t i = 0; i < alone.size(); ++i) {
        EXPECT_EQ(got[i / channels * size_t(Branches::kAll) + first + i % channels], std::abs(alone[i]))
            << branch << ", " << i;
      }
      first += channels;
    }
  }
}

}  // namespace
}  // namespace nnrt::test
