// im2col convolutions by cooperative matrices agree with the CPU device for any number of input channels,
// images in NCHW or NHWC, fp16 or float. Operands are small integers, or round to them, so sums are exact in
// any order and values not rounded like CAST are detected.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/fp16.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"
#include "tests/support/test_settings.h"

namespace nnrt::test {
namespace {

enum : int {
  kStride = 11,
  kPad = 12,
  kDilation = 13,
  kGroup = 16,
  kTransposedStride = 17,
  kTransposedGroup = 23
};

// The client's operators around the convolution.
enum class Around : uint8_t { fp16, cast, floats };

struct Convolution {
  int64_t images = 1, height = 1, width = 1, in = 3, out = 4, groups = 1;
  std::array<int64_t, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  std::array<int64_t, 4> pad{};
  bool has_planes = false, is_transposed = false, has_residual = false;
  Around around = Around::fp16;

  int64_t out_side(size_t d, int64_t side) const {
    if (is_transposed) return (side - 1) * stride[d] + kernel[d];
    return (side + pad[2 * d] + pad[2 * d + 1] - (kernel[d] - 1) * dilation[d] - 1) / stride[d] + 1;
  }
  Shape shape(int64_t rows, int64_t columns, int64_t channels) const {
    return has_planes ? Shape{images, channels, rows, columns} : Shape{images, rows, columns, channels};
  }
  Shape image() const { return shape(height, width, in); }
  Shape result() const { return shape(out_side(0, height), out_side(1, width), out); }
  Format format() const { return has_planes ? Format::nchw : Format::nhwc; }
  std::string text() const {
    return cat(to_string(image()), " to ", to_string(result()), ", kernel ", kernel[0], "x", kernel[1],
               ", stride ", stride[0], "x", stride[1], ", groups ", groups,
               is_transposed ? ", transposed" : "", ", around ", int(around));
  }
};

class Im2colMatrices : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    gpu_ = shared_device(
        cat("+fp16_storage,+khr_cooperative_matrix,+cooperative_matrix_emulated,+cooperative_matrix_im2col,",
            GetParam()));
  }

  Bytes bytes_of(const std::vector<float>& values, DType dtype) {
    Bytes bytes(values.size() * size_of(dtype));
    for (size_t i = 0; i < values.size(); ++i) {
      const Half half = to_half(values[i]);
      const void* from = dtype == DType::f16 ? static_cast<const void*>(&half) : &values[i];
      std::memcpy(bytes.data() + i * size_of(dtype), from, size_of(dtype));
    }
    return bytes;
  }

  // From -1 to 1. With `is_off`, slightly off, by at most half an fp16 ULP.
  std::vector<float> integers(const Shape& shape, bool is_off = false) {
    std::vector<float> values(size_t(*element_count(shape)));
    for (float& value : values) {
      value = float(random_.between(-1, 1));
      if (is_off) value *= random_.of<float>({1, 1 + 0x1p-11f, 1 - 0x1p-12f, 1 + 0x1p-14f});
    }
    return values;
  }

  Convolution draw() {
    Convolution c;
    const auto size = [&](int64_t max) { return random_.between(1, max); };
    c.images = size(2);
    c.groups = random_.one_in(4) ? 2 : 1;
    c.in = c.groups * random_.of<int64_t>({1, 2, 3, 3, 3, 4, 5, 12});
    c.out = c.groups * random_.of<int64_t>({4, 8, 20, 36, 68});
    c.is_transposed = random_.one_in(6);
    for (size_t d = 0; d < 2; ++d) {
      c.kernel[d] = random_.of<int64_t>({1, 2, 3, 5, 7});
      c.stride[d] = size(3);
      if (!c.is_transposed) {
        c.dilation[d] = size(2);
        c.pad[2 * d] = random_.between(0, c.kernel[d] / 2);
        c.pad[2 * d + 1] = random_.between(0, c.kernel[d] - 1);
      }
    }
    c.height = (c.kernel[0] - 1) * c.dilation[0] + size(14);
    c.width = (c.kernel[1] - 1) * c.dilation[1] + size(11);
    c.has_planes = random_.one_in(2);
    c.has_residual = random_.one_in(3);
    c.around = random_.of<Around>({Around::fp16, Around::cast, Around::floats});
    return c;
  }

  void expect_agreement(const Convolution& c) {
    SCOPED_TRACE(c.text());
    const DType fed = c.around == Around::fp16 ? DType::f16 : DType::f32;
    const DType computed = c.around == Around::floats ? DType::f32 : DType::f16;
    GraphMaker make;
    const Shape weight{c.out, c.kernel[0], c.kernel[1], c.in / c.groups}, result = c.result();
    TensorId x = make.input(c.image(), fed, c.format());
    if (c.around == Around::cast)
      x = make.op(Op::cast, {x, make.ints({int32_t(DType::f16)})}, c.image(), {}, DType::f16, c.format());
    const TensorId w = make.constant_bytes(weight, computed, bytes_of(integers(weight), computed));
    const TensorId bias = make.constant_bytes({c.out}, computed, bytes_of(integers({c.out}), computed));
    const auto list = [&](int type, const auto& values) {
      return make.parameter<int64_t>(type, DType::i64, {values.begin(), values.end()});
    };
    std::vector<TensorId> parameters{list(c.is_transposed ? kTransposedStride : kStride, c.stride),
                                     list(c.is_transposed ? kTransposedGroup : kGroup, std::array{c.groups})};
    if (!c.is_transposed) parameters.push_back(list(kPad, c.pad));
    if (!c.is_transposed) parameters.push_back(list(kDilation, c.dilation));
    const Op op = c.is_transposed ? Op::conv2d_transpose : Op::conv2d;
    TensorId y = make.op(op, {x, w, bias}, result, parameters, computed, c.format());
    std::vector<Bytes> inputs{bytes_of(integers(c.image(), c.around == Around::cast), fed)};
    if (c.has_residual) {
      const TensorId other = make.input(result, computed, c.format());
      inputs.push_back(bytes_of(integers(result), computed));
      y = make.op(Op::add, {y, other}, result, {}, computed, c.format());
    }
    const GraphPtr graph = normalize(make.finish({y}));
    const CompileOptions options{.float16 = c.around == Around::floats};
    const Bytes want = run(*cpu_, graph, inputs, {}), got = run(*gpu_, graph, inputs, options);
    const auto fault = difference(computed, got, want, kExact, 1);
    EXPECT_FALSE(fault) << *fault;
  }

  Bytes run(Device& device, const GraphPtr& graph, const std::vector<Bytes>& inputs,
            const CompileOptions& options) {
    const auto got = run_guarded(device, graph, inputs, random_, false, options);
    EXPECT_TRUE(got.ok()) << (got.ok() ? "" : got.error().message);
    return got.ok() ? got.value()[0] : Bytes();
  }

  Random random_{31};
  const std::shared_ptr<Device> cpu_ = cpu::make_device();
  std::shared_ptr<Device> gpu_;
};

INSTANTIATE_TEST_SUITE_P(Matrices, Im2colMatrices,
                         testing::Values("+matrix_128x128,+unsplit_k", "+matrix_64x64,+unsplit_k",
                                         "+matrix_32x32,+unsplit_k", "+matrix_32x32,+split_k"),
                         [](const testing::TestParamInfo<const char*>& given) {
                           std::string name;
                           for (const char c : std::string_view(given.param))
                             name += std::isalnum(uint8_t(c)) != 0 ? c : '_';
                           return name;
                         });

TEST_P(Im2colMatrices, ComputeRandomConvolutions) {
  for (uint32_t i = 0; i < draws(32); ++i) expect_agreement(draw());
}

// First layers of ResNet, MobileNet and ViT on small images.
TEST_P(Im2colMatrices, ComputeTheFirstConvolutionsOfNetworks) {
  for (const bool has_planes : {false, true}) {
    for (const Around around : {Around::fp16, Around::cast, Around::floats}) {
      Convolution resnet{.height = 31, .width = 33, .out = 64, .kernel = {7, 7}, .stride = {2, 2}};
      resnet.pad = {3, 3, 3, 3};
      Convolution mobilenet{.images = 2, .height = 33, .width = 31, .out = 32, .kernel = {3, 3}};
      mobilenet.stride = {2, 2};
      mobilenet.pad = {0, 1, 0, 1};
      Convolution vit{.height = 64, .width = 48, .out = 40, .kernel = {16, 16}, .stride = {16, 16}};
      for (Convolution* c : {&resnet, &mobilenet, &vit}) {
        c->has_planes = has_planes;
        c->around = around;
        expect_agreement(*c);
      }
    }
  }
}

}  // namespace
}  // namespace nnrt::test
