// The kernels of single nodes on some devices, with the sizes of their dispatches: kernels.txt, which a
// change of a choice changes. The target write_kernel_table writes it.
#include "core/base/text.h"
#include "tests/support/lowered_node.h"
#include "tests/unit/vulkan/device/plain_snapshot.h"

#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

namespace nnrt::test {
namespace {

// Devices as their drivers describe them.
vulkan::Snapshot described_gpu(vulkan::Kind kind, uint32_t vendor, const char* name, uint32_t invocations) {
  vulkan::Snapshot s = vulkan::plain_snapshot(kind);
  s.device_name = name;
  s.driver_name = "driver";
  s.vendor_id = vendor;
  s.api_version = VK_API_VERSION_1_3;
  s.memory_types = {{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0}};
  s.max_group_invocations = invocations;
  s.max_group_size = {invocations, invocations, 64};
  s.storage_alignment = 64;
  s.max_storage_range = uint64_t{1} << 30;
  s.max_texels = 65536;
  s.max_allocation = uint64_t{1} << 31;
  s.quad_operations = s.shuffles = s.subgroup_arithmetic = true;
  return s;
}

void set_subgroups(vulkan::Snapshot& s, uint32_t min, uint32_t size, uint32_t max) {
  s.min_subgroup_size = min;
  s.subgroup_size = size;
  s.max_subgroup_size = max;
}

// Of Mesa 22.3, with 256-bit vectors.
vulkan::Snapshot lavapipe() {
  vulkan::Snapshot s = described_gpu(vulkan::Kind::cpu, 0x10005, "llvmpipe", 1024);
  s.driver_id = VK_DRIVER_ID_MESA_LLVMPIPE;
  s.storage_alignment = 16;
  s.max_storage_range = s.max_texels = uint64_t{1} << 27;
  s.max_loop_iterations = 65535;
  s.storage_8bit = s.storage_16bit = s.shader_float16 = s.shader_int8 = s.int8_dot = true;
  set_subgroups(s, 8, 8, 8);
  return s;
}
vulkan::Snapshot swiftshader() {
  vulkan::Snapshot s = described_gpu(vulkan::Kind::cpu, 0x1ae0, "SwiftShader Device (Subzero)", 256);
  s.driver_id = VK_DRIVER_ID_GOOGLE_SWIFTSHADER;
  s.storage_alignment = s.texel_alignment = 256;
  s.int8_dot = true;
  set_subgroups(s, 4, 4, 4);
  return s;
}

// A GPU with small types and integer dot products.
vulkan::Snapshot real_gpu(vulkan::Kind kind, uint32_t vendor, const char* name, uint32_t invocations = 1024) {
  vulkan::Snapshot s = described_gpu(kind, vendor, name, invocations);
  s.storage_8bit = s.storage_16bit = s.shader_float16 = s.shader_int8 = true;
  s.int8_dot = s.fast_int8_dot = true;
  return s;
}

vulkan::Snapshot h100() {
  vulkan::Snapshot s = real_gpu(vulkan::Kind::discrete, vulkan::kNvidia, "NVIDIA H100 80GB HBM3");
  s.driver_id = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
  s.max_shared_bytes = 49152;
  s.cores = 132;
  s.vulkan_memory_model = s.device_scope = s.cooperative_matrix = true;
  s.matrix_shapes = {{16, 16, 16}};
  s.int8_matrix_shapes = {{16, 16, 32}};
  set_subgroups(s, 32, 32, 32);
  return s;
}
vulkan::Snapshot rdna3() {
  vulkan::Snapshot s = real_gpu(vulkan::Kind::discrete, vulkan::kAmd, "AMD Radeon RX 7900 XTX (RADV NAVI31)");
  s.max_shared_bytes = 65536;
  s.cores = 96;
  s.vulkan_memory_model = s.device_scope = s.khr_cooperative_matrix = s.sets_subgroup_size = true;
  s.khr_matrix_shapes = {{16, 16, 16}};
  s.khr_int8_matrix_shapes = {{16, 16, 16}};
  set_subgroups(s, 32, 64, 64);
  return s;
}

vulkan::Snapshot mali(const char* name, uint32_t invocations, uint32_t cores) {
  vulkan::Snapshot s = real_gpu(vulkan::Kind::integrated, vulkan::kArm, name, invocations);
  s.cores = cores;
  set_subgroups(s, 16, 16, 16);
  return s;
}
vulkan::Snapshot mali_g610() { return mali("Mali-G610", 1024, 4); }

vulkan::Snapshot adreno(const char* name) {
  vulkan::Snapshot s = real_gpu(vulkan::Kind::integrated, vulkan::kQualcomm, name);
  set_subgroups(s, 64, 128, 128);
  return s;
}
vulkan::Snapshot adreno_740() { return adreno("Turnip Adreno (TM) 740"); }

constexpr DType kF16 = DType::f16, kF32 = DType::f32, kF64 = DType::f64, kI8 = DType::i8, kI32 = DType::i32,
                kI64 = DType::i64, kBool = DType::boolean, kU8 = DType::u8;
const Quant kHalf{{0.5}, {3}}, kQuarter{{0.25}, {-7}};

Quant quant_of(DType dtype) { return dtype == kI8 ? kHalf : Quant{}; }

LoweredNode unary(Op op, const Shape& shape, DType dtype = kF32) {
  return LoweredNode(op).input(shape, dtype, quant_of(dtype)).output(shape, dtype, quant_of(dtype));
}

LoweredNode binary(Op op, const Shape& a, const Shape& b, DType dtype = kF32) {
  return LoweredNode(op)
      .input(a, dtype, quant_of(dtype))
      .input(b, dtype, quant_of(dtype))
      .output(a, dtype, quant_of(dtype));
}

LoweredNode matmul(const Shape& a, const Shape& b, const Shape& y, DType dtype = kF32,
                   bool transposed = false) {
  LoweredNode node(Op::matmul);
  node.input(a, dtype, quant_of(dtype)).input(b, dtype, quant_of(dtype)).output(y, dtype, quant_of(dtype));
  return node.integer(Attr::transpose_b, {transposed ? 1.0 : 0.0});
}
LoweredNode square(int64_t side, DType dtype = kF32) {
  return matmul({side, side}, {side, side}, {side, side}, dtype);
}
// The model's operands are FLOAT32; the client allows fp16.
LoweredNode allowed_fp16(LoweredNode node) { return node.rename(0, "a as fp16").rename(1, "b as fp16"); }

LoweredNode connection(int64_t rows, int64_t in, int64_t out, DType dtype = kF32, DType result = kF32) {
  LoweredNode node(Op::full_connection);
  node.input({rows, in}, dtype, quant_of(dtype)).input({out, in}, dtype, quant_of(dtype));
  node.input({out}, dtype == kI8 ? kI32 : dtype);
  return node.output({rows, out}, dtype == kI8 ? result : dtype, quant_of(dtype));
}
LoweredNode int8_connection(int64_t rows, int64_t in, int64_t out) {
  return connection(rows, in, out, kI8, kI8);
}

LoweredNode nbits(int64_t rows, int64_t in, int64_t block) {
  LoweredNode node(Op::matmul_nbits);
  node.integer(Attr::bits, {4}).integer(Attr::block, {double(block)});
  node.input({rows, in}).input({40, in / 2}, kU8).input({40, in / block}).input({40, in / block}, kU8);
  return node.output({rows, 40});
}

struct Conv {
  int64_t side, in, out, kernel;
  int64_t stride = 1, groups = 1, dilation = 1;
  DType dtype = kF32;
  bool fed = false;   // weights
  float outlier = 0;  // one weight
};

// Padded, so that an image keeps its size at stride 1.
LoweredNode conv(const Conv& of) {
  const bool is_depthwise = of.groups == of.in && of.groups == of.out;
  LoweredNode node(is_depthwise ? Op::depthwise_conv2d_native : Op::conv2d);
  const Shape weights{of.out, of.kernel, of.kernel, is_depthwise ? 1 : of.in / of.groups};
  node.input({1, of.side, of.side, of.in}, of.dtype, quant_of(of.dtype), Format::nhwc);
  if (of.fed || of.dtype == kI8) {
    node.input(weights, of.dtype, quant_of(of.dtype));
  } else if (of.dtype == kF16) {
    node.fp16_input(weights);
  } else {
    std::vector<float> values(size_t(*element_count(weights)), 0.5f);
    if (of.outlier != 0) values[values.size() / 2] = of.outlier;
    node.floats(weights, values);
  }
  node.input({of.out}, of.dtype == kI8 ? kI32 : of.dtype);
  const auto pad = double((of.kernel - 1) * of.dilation / 2), stride = double(of.stride);
  node.integer(Attr::pad, {pad, pad, pad, pad}).integer(Attr::stride, {stride, stride});
  node.integer(Attr::dilation, {double(of.dilation), double(of.dilation)});
  if (!is_depthwise) node.integer(Attr::group, {double(of.groups)});
  const int64_t out = (of.side + 2 * int64_t(pad) - (of.kernel - 1) * of.dilation - 1) / of.stride + 1;
  return node.output({1, out, out, of.out}, of.dtype, quant_of(of.dtype));
}

LoweredNode pool(int64_t side, int64_t channels, int64_t kernel, int64_t stride, DType dtype = kF32) {
  LoweredNode node(Op::max_pool);
  const int64_t out = (side - kernel) / stride + 1;
  node.input({1, side, side, channels}, dtype, quant_of(dtype));
  node.integer(Attr::kernel, {double(kernel), double(kernel)});
  node.integer(Attr::stride, {double(stride), double(stride)});
  return node.output({1, out, out, channels}, dtype, dtype == kI8 ? kQuarter : Quant{});
}

LoweredNode softmax(const Shape& shape, double axis = -1, DType dtype = kF32) {
  return unary(Op::softmax, shape, dtype).integer(Attr::axis, {axis});
}

LoweredNode reduction(Op op, const Shape& shape, const std::vector<int32_t>& axes, DType dtype = kF32) {
  return LoweredNode(op).input(shape, dtype).value(axes).output({}, dtype);
}

LoweredNode group_norm(const Shape& shape, int64_t channels, Format format) {
  LoweredNode node(Op::group_norm);
  node.input(shape, kF32, {}, format).input({channels}).input({channels});
  return node.integer(Attr::group, {2}).output(shape);
}

struct Heads {
  int64_t queries, keys, size = 64, heads = 12, key_heads = heads, value_size = size;
};
LoweredNode attention(const Heads& of, DType dtype = kF32) {
  LoweredNode node(Op::attention);
  node.input({1, of.heads, of.queries, of.size}, dtype).input({1, of.key_heads, of.keys, of.size}, dtype);
  node.input({1, of.key_heads, of.keys, of.value_size}, dtype);
  return node.output({1, of.heads, of.queries, of.value_size}, dtype);
}

struct Layer {
  int64_t steps = 3, batch = 2, input = 5, hidden = 4, directions = 1, layers = 1;
};
LoweredNode lstm(const Layer& of, DType dtype = kF32) {
  const int64_t all = of.directions * of.layers;
  LoweredNode node(Op::lstm);
  node.input({of.steps, of.batch, of.input}, dtype);
  node.input({all, 4 * of.hidden, of.input}, dtype).input({all, 4 * of.hidden, of.hidden}, dtype);
  node.input({all, 8 * of.hidden}, dtype);
  for (int i = 0; i < 2; ++i) node.input({all, of.batch, of.hidden}, dtype);
  node.output({of.steps, of.batch, of.directions * of.hidden}, dtype);
  for (int i = 0; i < 2; ++i) node.output({all, of.batch, of.hidden}, dtype);
  return node.integer(Attr::bidirectional, {of.directions == 2 ? 1.0 : 0.0});
}
LoweredNode recurrent(Op op, const Layer& of, DType dtype = kF32) {
  const int64_t rows = (op == Op::gru ? 3 : 1) * of.hidden;
  LoweredNode node(op);
  node.input({of.steps, of.batch, of.input}, dtype).input({of.directions, rows, of.input}, dtype);
  node.input({of.directions, rows, of.hidden}, dtype).input({of.directions, 2 * rows}, dtype);
  node.input({of.directions, of.batch, of.hidden}, dtype);
  node.output({of.steps, of.batch, of.directions * of.hidden}, dtype);
  node.output({of.directions, of.batch, of.hidden}, dtype);
  return node.integer(Attr::direction, {of.directions == 2 ? 2.0 : 0.0});
}

LoweredNode transpose(const Shape& shape, const std::vector<int32_t>& order, DType dtype = kF32) {
  Shape result;
  for (const int32_t axis : order) result.push_back(shape[size_t(axis)]);
  return LoweredNode(Op::transpose).input(shape, dtype).value(order).output(result, dtype);
}

LoweredNode gather(const Shape& shape, int64_t rows, DType dtype = kF32) {
  Shape result = shape;
  result[0] = rows;
  return LoweredNode(Op::gather).input(shape, dtype).input({rows}, kI32).value({0}).output(result, dtype);
}

LoweredNode scatter(Op op, const Shape& indices, const Shape& updates, double reduction = 0) {
  LoweredNode node(op);
  node.input({4, 12}, kI8).input(indices, kI32).input(updates, kI8).integer(Attr::reduction, {reduction});
  return node.output({4, 12}, kI8);
}

LoweredNode top_k(const Shape& shape, int32_t k, DType dtype = kF32) {
  Shape result = shape;
  result.back() = k;
  return LoweredNode(Op::top_k).input(shape, dtype).value({k}).output(result, dtype).output(result, kI64);
}

LoweredNode regions(Op op, bool strict) {
  LoweredNode node(op);
  node.integer(Attr::new_height, {2}).integer(Attr::new_width, {3}).integer(Attr::strict, {double(strict)});
  return node.input({1, 5, 6, 8}).input({2, 4}).input({2}, kI64).output({2, 2, 3, 8});
}

LoweredNode col2im(const std::vector<int32_t>& size) {
  return LoweredNode(Op::col2im).input({1, 2, 3}).value(size).output({1, 1, 4, 4, 4});
}

LoweredNode cast(DType from, int32_t number, DType to, bool saturate = false) {
  LoweredNode node(Op::cast);
  node.integer(Attr::saturate, {double(saturate)}).input({7}, from).value({number});
  return node.output({7}, to);
}

LoweredNode huge_padding(Op op, const Shape& in, const Shape& out) {
  LoweredNode node(op);
  const bool is_nd = op == Op::max_pool_nd;
  node.input(in);
  is_nd ? node.integer(Attr::kernel, {2000000000}) : node.integer(Attr::kernel, {2000000000, 1});
  is_nd ? node.integer(Attr::pad, {1999999999, 1}) : node.integer(Attr::pad, {1999999999, 1, 0, 0});
  return node.output(out);
}

LoweredNode assertion(std::optional<bool> condition) {
  LoweredNode node(Op::assert_);
  condition ? node.boolean(*condition) : node.input({1}, kBool);
  return node.input({2, 3}, kF64).output({2, 3}, kF64);
}

struct Case {
  std::string name;
  LoweredNode node;
};

std::vector<Case> products() {
  return {
      {"matmul 16x8x32", matmul({16, 8}, {8, 32}, {16, 32})},
      {"matmul 3x8x32", matmul({3, 8}, {8, 32}, {3, 32})},
      {"matmul 16x8x12, B transposed", matmul({16, 8}, {12, 8}, {16, 12}, kF32, true)},
      {"matmul 196x576x192", matmul({196, 576}, {576, 192}, {196, 192})},
      {"matmul 128x768x3072", matmul({128, 768}, {768, 3072}, {128, 3072})},
      {"matmul 512x512x512", square(512)},
      {"matmul 1024x1024x1024", square(1024)},
      {"matmul 4096x4096x4096", square(4096)},
      {"matmul 64x4608x512", matmul({64, 4608}, {4608, 512}, {64, 512})},
      {"matmul 49x960x160", matmul({49, 960}, {960, 160}, {49, 160})},
      {"matmul 64x1033x512", matmul({64, 1033}, {1033, 512}, {64, 512})},
      {"matmul 8x70000x16", matmul({8, 70000}, {70000, 16}, {8, 16})},
      {"matmul irregular batch", matmul({2, 1, 3, 5, 4}, {1, 7, 1, 4, 16}, {2, 7, 3, 5, 16})},
      {"matmul heads, B transposed", matmul({12, 1, 64}, {12, 100, 64}, {12, 1, 100}, kF32, true)},
      {"matmul 2x256x512", matmul({2, 256}, {256, 512}, {2, 512})},
      {"matmul 2x256x511", matmul({2, 256}, {256, 511}, {2, 511})},
      {"matmul FLOAT64", matmul({2, 3}, {3, 2}, {2, 2}, kF64)},
      {"matmul FLOAT16 196x576x192", matmul({196, 576}, {576, 192}, {196, 192}, kF16)},
      {"matmul allowed fp16 196x576x192", allowed_fp16(matmul({196, 576}, {576, 192}, {196, 192}, kF16))},
      {"matmul FLOAT16 40x20x16", matmul({40, 20}, {20, 16}, {40, 16}, kF16)},
      {"matmul FLOAT16 512x512x512", square(512, kF16)},
      {"matmul FLOAT16 4096x4096x4096", square(4096, kF16)},
      {"matmul FLOAT16 64x4608x512", matmul({64, 4608}, {4608, 512}, {64, 512}, kF16)},
      {"matmul FLOAT16 vectors", matmul({64}, {64}, {}, kF16)},
      {"matmul FLOAT16 matrix by vector", matmul({32, 64}, {64}, {32}, kF16)},
      {"matmul FLOAT16 vector by matrices", matmul({64}, {20, 64, 8}, {20, 8}, kF16)},
      {"matmul INT8, B by columns", matmul({8, 8}, {8, 8}, {8, 8}, kI8)},
      {"matmul + ADD + RELU",
       matmul({16, 8}, {8, 32}, {16, 32}).input({16, 32}).step(Op::add, true).step(Op::relu)},
      {"connection 1x2048x1000", connection(1, 2048, 1000)},
      {"connection 1x64x36 + SIGMOID", connection(1, 64, 36).step(Op::sigmoid)},
      {"connection 3x7x36", connection(3, 7, 36)},
      {"connection 8x768x37", connection(8, 768, 37)},
      {"connection 9x768x36", connection(9, 768, 36)},
      {"connection FLOAT16 1x2048x1000", connection(1, 2048, 1000, kF16)},
      {"connection INT8 5x8x12", int8_connection(5, 8, 12)},
      {"connection INT8 5x6x12", int8_connection(5, 6, 12)},
      {"connection INT8 5x8x10", int8_connection(5, 8, 10)},
      {"connection INT8 2x512x40", int8_connection(2, 512, 40)},
      {"connection INT8 2x32x40", int8_connection(2, 32, 40)},
      {"connection INT8 40x48x36", int8_connection(40, 48, 36)},
      {"connection INT8 1024x1024x1024", int8_connection(1024, 1024, 1024)},
      {"connection INT8 64x4608x512", int8_connection(64, 4608, 512)},
      {"connection INT8 5x8x12, INT32 sums", connection(5, 8, 12, kI8, kI32)},
      {"connection INT8 5x6x12, INT32 sums", connection(5, 6, 12, kI8, kI32)},
      {"matmul_nbits 1x1024, blocks of 32", nbits(1, 1024, 32)},
      {"matmul_nbits 5x1024, blocks of 32", nbits(5, 1024, 32)},
      {"matmul_nbits 1x64, blocks of 4", nbits(1, 64, 4)},
  };
}

std::vector<Case> convolutions() {
  const auto depthwise = [](int64_t side, int64_t channels, int64_t kernel, int64_t stride,
                            int64_t dilation = 1) {
    return conv({side, channels, channels, kernel, stride, channels, dilation});
  };
  LoweredNode transposed(Op::conv2d_transpose);
  transposed.input({1, 3, 3, 4}).floats({4, 2, 2, 4}, std::vector<float>(64)).input({4});
  transposed.integer(Attr::stride, {2, 2}).output({1, 6, 6, 4});
  const auto conv3d = [](Shape in, Shape weight, Shape out, Format format) {
    LoweredNode node(Op::conv3d);
    const int64_t channels = weight[0];
    node.input(std::move(in), kF32, {}, format).input(std::move(weight)).input({channels});
    return node.output(std::move(out));
  };
  constexpr float kInf = std::numeric_limits<float>::infinity();
  return {
      {"conv 1x1 7x7 8->4", conv({7, 8, 4, 1})},
      {"conv 1x1 1x1 480->120", conv({1, 480, 120, 1})},
      {"conv 1x1 56x56 64->256", conv({56, 64, 256, 1})},
      {"conv 3x3 7x7 8->4", conv({7, 8, 4, 3})},
      {"conv 3x3 56x56 64->64", conv({56, 64, 64, 3})},
      {"conv 3x3 112x112 128->128", conv({112, 128, 128, 3})},
      {"conv 3x3 13x13 64->256", conv({13, 64, 256, 3})},
      {"conv 3x3 14x14 256->256", conv({14, 256, 256, 3})},
      {"conv 3x3 7x7 512->512 + RELU", conv({7, 512, 512, 3}).step(Op::relu)},
      {"conv 3x3 56x56 64->64, one large weight",
       conv({.side = 56, .in = 64, .out = 64, .kernel = 3, .outlier = 1e6f})},
      {"conv 3x3 5x5 4->4, one infinite weight",
       conv({.side = 5, .in = 4, .out = 4, .kernel = 3, .outlier = kInf})},
      {"conv 3x3 56x56 64->128, stride 2", conv({56, 64, 128, 3, 2})},
      {"conv 5x5 28x28 64->64", conv({28, 64, 64, 5})},
      {"conv 7x7 224x224 3->64, stride 2", conv({224, 3, 64, 7, 2})},
      {"conv 3x3 8x8 3->4", conv({8, 3, 4, 3})},
      {"conv 3x3 8x8 3->4, dilation 2", conv({.side = 8, .in = 3, .out = 4, .kernel = 3, .dilation = 2})},
      {"conv 3x3 7x7 3->4, fed weights", conv({.side = 7, .in = 3, .out = 4, .kernel = 3, .fed = true})},
      {"conv 3x3 56x56 64->64, fed weights",
       conv({.side = 56, .in = 64, .out = 64, .kernel = 3, .fed = true})},
      {"conv 3x3 14x14 144->144, 3 groups", conv({14, 144, 144, 3, 1, 3})},
      {"conv 3x3 FLOAT16 10x10 16->32", conv({.side = 10, .in = 16, .out = 32, .kernel = 3, .dtype = kF16})},
      {"conv 3x3 FLOAT16 56x56 64->64", conv({.side = 56, .in = 64, .out = 64, .kernel = 3, .dtype = kF16})},
      {"conv 5x5 FLOAT16 10x10 3->20", conv({.side = 10, .in = 3, .out = 20, .kernel = 5, .dtype = kF16})},
      {"conv 5x5 FLOAT16 10x10 3->18", conv({.side = 10, .in = 3, .out = 18, .kernel = 5, .dtype = kF16})},
      {"conv 3x3 INT8 56x56 64->64", conv({.side = 56, .in = 64, .out = 64, .kernel = 3, .dtype = kI8})},
      {"conv 3x3 INT8 56x56 3->64", conv({.side = 56, .in = 3, .out = 64, .kernel = 3, .dtype = kI8})},
      {"conv transposed", transposed},
      {"conv3d NHWC", conv3d({1, 3, 3, 3, 8}, {6, 2, 2, 2, 8}, {1, 2, 2, 2, 6}, Format::nhwc)},
      {"conv3d NCHW", conv3d({1, 8, 3, 3, 3}, {6, 2, 2, 2, 8}, {1, 6, 2, 2, 2}, Format::nchw)},
      {"depthwise 3x3 112x112x64", depthwise(112, 64, 3, 1)},
      {"depthwise 3x3 112x112x96, stride 2", depthwise(112, 96, 3, 2)},
      {"depthwise 3x3 28x28x192", depthwise(28, 192, 3, 1)},
      {"depthwise 3x3 7x7x960", depthwise(7, 960, 3, 1)},
      {"depthwise 3x3 9x9x6", depthwise(9, 6, 3, 1)},
      {"depthwise 3x3 30x30x4, dilation 2", depthwise(30, 4, 3, 1, 2)},
      {"depthwise 5x5 56x56x96", depthwise(56, 96, 5, 1)},
      {"depthwise, one infinite weight",
       conv({.side = 5, .in = 4, .out = 4, .kernel = 3, .groups = 4, .outlier = kInf})},
  };
}

std::vector<Case> pools() {
  const auto global = [](Op op, DType dtype = kF32) {
    LoweredNode node(op);
    node.input({2, 40, 40, 8}, dtype, quant_of(dtype)).integer(Attr::global, {1});
    return node.output({2, 1, 1, 8}, dtype, quant_of(dtype));
  };
  const auto volume = [](Shape in, Shape out, Format format) {
    LoweredNode node(Op::avg_pool_nd);
    node.input(in, kF32, {}, format).integer(Attr::kernel, {2, 2, 2});
    return node.output(std::move(out));
  };
  LoweredNode bilinear(Op::resize_bilinear), resize(Op::resize), same(Op::resize), sample(Op::grid_sample),
      box(Op::axis_aligned_bbox_transform);
  bilinear.input({1, 5, 1, 4})
      .integer(Attr::new_height, {11})
      .integer(Attr::new_width, {1})
      .output({1, 11, 1, 4});
  resize.input({2, 3, 5, 4}).value({2, 6, 7, 4}).integer(Attr::mode, {1}).output({2, 6, 7, 4});
  same.input({3, 5}).value({3, 5}).output({3, 5});
  sample.input({1, 3, 3, 3, 2}, kF32, {}, Format::nhwc).input({1, 2, 2, 2, 3}).output({1, 2, 2, 2, 2});
  box.integer(Attr::strict, {0}).input({5, 4}).input({5, 12}).input({5}, kI32).input({2, 2}).output({5, 12});
  return {
      {"max_pool 2x2 7x7x8, stride 2", pool(7, 8, 2, 2)},
      {"max_pool 3x3 112x112x64, stride 2", pool(112, 64, 3, 2)},
      {"max_pool 3x3 17x17x8", pool(17, 8, 3, 1)},
      {"max_pool 3x3 17x17x8, stride 3", pool(17, 8, 3, 3)},
      {"max_pool 2x2 8x8x3, stride 2", pool(8, 3, 2, 2)},
      {"max_pool INT8 2x2 8x8x12, stride 2", pool(8, 12, 2, 2, kI8)},
      {"max_pool INT8 7x7 7x7x8", pool(7, 8, 7, 1, kI8)},
      {"max_pool INT8 2x2 8x8x6, stride 2", pool(8, 6, 2, 2, kI8)},
      {"max_pool padding beyond 32 bits", huge_padding(Op::max_pool, {1, 7, 7, 4}, {1, 8, 7, 4})},
      {"max_pool global", global(Op::max_pool)},
      {"avg_pool global", global(Op::avg_pool)},
      {"avg_pool INT8 global", global(Op::avg_pool, kI8)},
      {"avg_pool_nd NHWC", volume({1, 3, 3, 3, 8}, {1, 2, 2, 2, 8}, Format::nhwc)},
      {"avg_pool_nd NCHW", volume({1, 8, 3, 3, 3}, {1, 8, 2, 2, 2}, Format::nchw)},
      {"avg_pool_nd whole volume", volume({2, 2, 2, 2, 8}, {2, 1, 1, 1, 8}, Format::nhwc)},
      {"max_pool_nd padding beyond 32 bits", huge_padding(Op::max_pool_nd, {1, 7, 4}, {1, 8, 4})},
      {"resize_bilinear", bilinear},
      {"resize two dimensions", resize},
      {"resize no dimension", same},
      {"grid_sample", sample},
      {"roi_align", regions(Op::roi_align, false)},
      {"roi_align, strict", regions(Op::roi_align, true)},
      {"roi_pooling", regions(Op::roi_pooling, false)},
      {"bbox_transform", box},
      {"col2im 3-D", col2im({4, 4, 4})},
      {"col2im 4-D", col2im({4, 4, 4, 4})},
  };
}

std::vector<Case> rows() {
  const auto norm = [](Op op, const Shape& shape, const Shape& scale, Format format = Format::none) {
    LoweredNode node(op);
    node.input(shape, kF32, {}, format).input(scale);
    if (op != Op::rms_norm) node.input(scale);
    return node.output(shape);
  };
  const auto cum_sum = [](const Shape& shape, DType dtype) {
    return unary(Op::cum_sum, shape, dtype).integer(Attr::axis, {1});
  };
  const auto arg_max = [](const Shape& shape, double k, const Shape& out, DType dtype = kF32) {
    LoweredNode node(Op::arg_max);
    node.input(shape, dtype, quant_of(dtype)).integer(Attr::axis, {1}).integer(Attr::top_k, {k});
    return node.output(out, kI32);
  };
  const auto dynamic_quantize = [](DType dtype) {
    return LoweredNode(Op::dynamic_quantize)
        .input({3, 5, 7}, dtype)
        .output({3, 5, 7}, kI8)
        .output({}, kF32)
        .output({}, kI32);
  };
  return {
      {"softmax 3x8", softmax({3, 8})},
      {"softmax 3x1000", softmax({3, 1000})},
      {"softmax 3x1001", softmax({3, 1001})},
      {"softmax 3x50257", softmax({3, 50257})},
      {"softmax 1536x128", softmax({1536, 128})},
      {"softmax 4096x1000", softmax({4096, 1000})},
      {"softmax 3x5x8, axis 1", softmax({3, 5, 8}, 1)},
      {"softmax 2x100x64, axis 1", softmax({2, 100, 64}, 1)},
      {"softmax 64x100x4096, axis 1", softmax({64, 100, 4096}, 1)},
      {"softmax FLOAT16 3x8", softmax({3, 8}, -1, kF16)},
      {"softmax INT8 3x8", softmax({3, 8}, -1, kI8)},
      {"log_softmax 3x7", unary(Op::log_softmax, {3, 7})},
      {"log_softmax FLOAT64 3x8", unary(Op::log_softmax, {3, 8}, kF64)},
      {"layer_norm 128x768", norm(Op::layer_norm, {128, 768}, {768})},
      {"layer_norm 197x1023", norm(Op::layer_norm, {197, 1023}, {1023})},
      {"rms_norm 5x3x8", norm(Op::rms_norm, {5, 3, 8}, {8})},
      {"rms_norm 2x4096", norm(Op::rms_norm, {2, 4096}, {4096})},
      {"instance_norm 2x3x5x7 NCHW", norm(Op::instance_norm, {2, 3, 5, 7}, {3}, Format::nchw)},
      {"instance_norm 1x2x2x8 NHWC", norm(Op::instance_norm, {1, 2, 2, 8}, {8}, Format::nhwc)},
      {"group_norm 3x2x2x16 NHWC", group_norm({3, 2, 2, 16}, 16, Format::nhwc)},
      {"group_norm 3x2x2x6 NHWC", group_norm({3, 2, 2, 6}, 6, Format::nhwc)},
      {"group_norm 1x8x32x32 NCHW", group_norm({1, 8, 32, 32}, 8, Format::nchw)},
      {"l2_normalize 3x5", unary(Op::l2_normalize, {3, 5})},
      {"l2_normalize 3x50x7, axes apart", unary(Op::l2_normalize, {3, 50, 7}).integer(Attr::axes, {0, -1})},
      {"lrn, large radius", unary(Op::lrn, {1, 2, 2, 5}).integer(Attr::radius, {1e15})},
      {"reduce_sum 2x3x5x7, axes 1 and 2", reduction(Op::reduce_sum, {2, 3, 5, 7}, {1, 2})},
      {"reduce_max 3x5x8, axis 1", reduction(Op::reduce_max, {3, 5, 8}, {1})},
      {"reduce_mean 3x5x7, axes apart", reduction(Op::reduce_mean, {3, 5, 7}, {0, 2})},
      {"reduce_mean INT32 3x5, axis 1", reduction(Op::reduce_mean, {3, 5}, {1}, kI32)},
      {"reduce_sum INT32 3x5, axis 1", reduction(Op::reduce_sum, {3, 5}, {1}, kI32)},
      {"reduce_sum INT32 7x1000, axis 1", reduction(Op::reduce_sum, {7, 1000}, {1}, kI32)},
      {"reduce_l2 3x1, axis 1", reduction(Op::reduce_l2, {3, 1}, {1})},
      {"reduce_sum 100003", reduction(Op::reduce_sum, {100003}, {0})},
      {"reduce_sum 4194304", reduction(Op::reduce_sum, {1 << 22}, {0})},
      {"reduce_sum 70001x2001, axis 0", reduction(Op::reduce_sum, {70001, 2001}, {0})},
      {"reduce_sum 7x1000, axis 1", reduction(Op::reduce_sum, {7, 1000}, {1})},
      {"reduce_sum 300x16384, axis 1", reduction(Op::reduce_sum, {300, 1 << 14}, {1})},
      {"reduce_sum 2x49x1280, axis 1", reduction(Op::reduce_sum, {2, 49, 1280}, {1})},
      {"reduce_all 9x3, axis 1", reduction(Op::reduce_all, {9, 3}, {1}, kBool)},
      {"reduce_all 7x1000, axis 1", reduction(Op::reduce_all, {7, 1000}, {1}, kBool)},
      {"all 3x5", LoweredNode(Op::all).input({3, 5}).value({1}).output({3}, kBool)},
      {"cum_sum INT64 3x5x7", cum_sum({3, 5, 7}, kI64)},
      {"cum_sum 3x1000", cum_sum({3, 1000}, kF32)},
      {"cum_sum FLOAT64 3x5", cum_sum({3, 5}, kF64)},
      {"arg_max 3x5x7", arg_max({3, 5, 7}, 1, {3, 7})},
      {"arg_max 3x1000", arg_max({3, 1000}, 1, {3})},
      {"arg_max INT8 3x5", arg_max({3, 5}, 1, {3}, kI8)},
      {"arg_max 3x5, the first two", arg_max({3, 5}, 2, {3, 2})},
      {"top_k 3x40, the first two", top_k({3, 40}, 2)},
      {"top_k 3x1000, the first seven", top_k({3, 1000}, 7)},
      {"top_k 2x100000, the first seven", top_k({2, 100000}, 7)},
      {"top_k FLOAT16 1x5, the first three", top_k({1, 5}, 3, kF16)},
      {"dynamic_quantize", dynamic_quantize(kF32)},
      {"dynamic_quantize FLOAT64", dynamic_quantize(kF64)},
  };
}

std::vector<Case> layers() {
  const Heads many{128, 128};
  return {
      {"attention 12x128x128", attention(many)},
      {"attention 12x128x128, causal", attention(many).integer(Attr::causal, {1})},
      {"attention 12x1x200", attention({1, 200})},
      {"attention 12x1x4096", attention({1, 4096})},
      {"attention 12x1x4096, 4 key heads", attention({.queries = 1, .keys = 4096, .key_heads = 4})},
      {"attention 12x8x77", attention({8, 77})},
      {"attention 12x5x7, size 7", attention({5, 7, 7})},
      {"attention 2x64x65, values of 132", attention({64, 65, 64, 2, 2, 132})},
      {"attention 2x16x77", attention({16, 77, 64, 2})},
      {"attention FLOAT16 12x128x128", attention(many, kF16)},
      {"attention FLOAT16 2x64x65, size 72", attention({64, 65, 72, 2}, kF16)},
      {"attention FLOAT16 2x64x65, size 12", attention({64, 65, 12, 2}, kF16)},
      {"attention FLOAT16 12x1x200", attention({1, 200}, kF16)},
      {"lstm", lstm({})},
      {"lstm 1 step", lstm({.steps = 1})},
      {"lstm 7x3, 130 states, both directions", lstm({7, 3, 16, 130, 2})},
      {"lstm 512 states", lstm({.hidden = 512})},
      {"lstm 2 layers", lstm({1, 2, 8, 4, 2, 2})},
      {"lstm FLOAT16", lstm({.steps = 1}, kF16)},
      {"lstm 20000 steps", lstm({.steps = 20000, .batch = 1})},
      {"rnn", recurrent(Op::rnn, {})},
      {"gru 2 steps", recurrent(Op::gru, {.steps = 2})},
      {"gru FLOAT16", recurrent(Op::gru, {.steps = 1}, kF16)},
      {"gru 10000 steps", recurrent(Op::gru, {.steps = 10000, .batch = 1})},
  };
}

std::vector<Case> copies() {
  const Quant one{{1}, {0}}, per_channel{{1, 2}, {0, 0}};
  const auto pad = [](DType dtype) {
    return LoweredNode(Op::pad)
        .input({3}, dtype)
        .value({1, 2}, {1, 1})
        .output({5}, dtype)
        .real(Attr::constant_value, 1);
  };
  const auto unstack = [&](const Quant& first, const Quant& second) {
    return LoweredNode(Op::unstack)
        .input({2, 5}, kI8, kHalf)
        .output({5}, kI8, first)
        .output({5}, kI8, second);
  };
  const auto slice = [](int32_t columns) {
    return LoweredNode(Op::slice).input({3, columns}).value({1, 0}).value({1, columns}).output({1, columns});
  };
  const auto gather_nd = [](const Shape& shape, int64_t dims, const Quant& from, const Quant& to) {
    return LoweredNode(Op::gather_nd).input(shape, kI8, from).input({5, dims}, kI32).output({5}, kI8, to);
  };
  LoweredNode concat(Op::concat), tile(Op::tile), elements(Op::gather_elements), nd(Op::scatter_nd),
      dense(Op::sparse_to_dense), one_hot(Op::one_hot), trilu(Op::trilu), constant(Op::constant_of_shape);
  concat.input({2, 3}, kU8).input({2, 5}, kU8).output({2, 8}, kU8).integer(Attr::axis, {1});
  tile.input({2, 2, 2, 2, 2}).value({2, 2, 2, 2, 2}).output({4, 4, 4, 4, 4});
  elements.input({3, 5, 7}, kF16).input({3, 4, 7}, kI64).integer(Attr::axis, {-2}).output({3, 4, 7}, kF16);
  nd.input({2, 3, 2}, kI32).input({2, 3, 7}, kU8).value({5, 3, 7}).output({5, 3, 7}, kU8);
  dense.input({7, 2}, kI64).input({1}).value({3, 5}).output({3, 5});
  one_hot.input({3, 5}, kI64).value({7}).input({1}, kF16).input({1}, kF16).output({3, 7, 5}, kF16);
  one_hot.integer(Attr::axis, {1});
  trilu.input({2, 3, 5}, kI8, kHalf).output({2, 3, 5}, kI8, kHalf).integer(Attr::diagonal, {-0x1p40});
  constant.value({3, 5}).output({3, 5}, kI64).real(Attr::value, 7);
  return {
      {"reshape", LoweredNode(Op::reshape).input({3, 5}).value({15}).output({15})},
      {"reshape, requantized",
       LoweredNode(Op::reshape).input({2, 3}, kI8, one).value({6}).output({6}, kI8, kHalf)},
      {"concat UINT8 2x3 2x5", concat},
      {"slice of 64 KiB", slice(16384)},
      {"slice of less", slice(16380)},
      {"tile in five dimensions", tile},
      {"pad 3", pad(kF32)},
      {"pad INT64 3", pad(kI64)},
      {"unstack, two quantizations", unstack(kHalf, kQuarter)},
      {"unstack, one quantization", unstack(kHalf, kHalf)},
      {"transpose 3x5", transpose({3, 5}, {1, 0})},
      {"transpose 12x5", transpose({12, 5}, {1, 0})},
      {"transpose 32x20", transpose({32, 20}, {1, 0})},
      {"transpose 96x32", transpose({96, 32}, {1, 0})},
      {"transpose 70x37", transpose({70, 37}, {1, 0})},
      {"transpose 2x2x16384, rows", transpose({2, 2, 16384}, {1, 0, 2})},
      {"transpose 7x2x6, shuffle", transpose({7, 2, 6}, {0, 2, 1})},
      {"transpose 7x2x8, shuffle", transpose({7, 2, 8}, {0, 2, 1})},
      {"transpose FLOAT16 24x3", transpose({24, 3}, {1, 0}, kF16)},
      {"transpose FLOAT16 24x4", transpose({24, 4}, {1, 0}, kF16)},
      {"transpose FLOAT16 6x5", transpose({6, 5}, {1, 0}, kF16)},
      {"transpose FLOAT16 130x64", transpose({130, 64}, {1, 0}, kF16)},
      {"transpose FLOAT16 7x2x16, shuffle", transpose({7, 2, 16}, {0, 2, 1}, kF16)},
      {"transpose FLOAT16 windows", transpose({1, 2, 7, 2, 7, 256}, {0, 1, 3, 2, 4, 5}, kF16)},
      {"transpose INT8 64x66", transpose({64, 66}, {1, 0}, kI8)},
      {"transpose INT8 3x5", transpose({3, 5}, {1, 0}, kI8)},
      {"transpose INT64 3x5", transpose({3, 5}, {1, 0}, kI64)},
      {"shape", LoweredNode(Op::shape).input({3, 5, 7}, kF64).output({3}, kI32)},
      {"rank", LoweredNode(Op::rank).input({3, 5, 7}).output({1}, kI32)},
      {"fill, constant", LoweredNode(Op::fill).floats({1}, {1}).value({3, 5}).output({3, 5})},
      {"fill, computed",
       LoweredNode(Op::fill).input({1}, DType::i16).value({3, 5}).output({3, 5}, DType::i16)},
      {"constant_of_shape INT64", constant},
      {"range", LoweredNode(Op::range)
                    .input({1}, kI32)
                    .output({5}, kI32)
                    .integer(Attr::start, {3})
                    .integer(Attr::delta, {2})},
      {"gather 3x12 INT8", gather({3, 12}, 5, kI8)},
      {"gather 3x32 INT8", gather({3, 32}, 5, kI8)},
      {"gather 3x7 INT8", gather({3, 7}, 5, kI8)},
      {"gather 3 FLOAT64", gather({3}, 5, kF64)},
      {"gather_nd INT8", gather_nd({3, 5}, 2, kHalf, kHalf)},
      {"gather_nd INT8, requantized", gather_nd({3}, 1, kHalf, kQuarter)},
      {"gather_nd INT8, requantized by channels", gather_nd({2}, 1, per_channel, kHalf)},
      {"gather_elements FLOAT16", elements},
      {"scatter_elements INT8", scatter(Op::scatter_elements, {2, 5}, {2, 5})},
      {"scatter_nd_update INT8", scatter(Op::scatter_nd_update, {2, 1}, {2, 12})},
      {"scatter_nd_update INT8, sums", scatter(Op::scatter_nd_update, {2, 1}, {2, 12}, 1)},
      {"scatter_nd UINT8", nd},
      {"sparse_to_dense", dense},
      {"one_hot FLOAT16", one_hot},
      {"trilu INT8", trilu},
      {"assert, true", assertion(true)},
      {"assert, false", assertion(false)},
      {"assert, computed", assertion(std::nullopt)},
  };
}

std::vector<Case> elements() {
  const auto affine = [](Op op, const Shape& shape, const Shape& term, size_t terms, Format format,
                         double axis) {
    LoweredNode node(op);
    node.input(shape, kF32, {}, format);
    for (size_t i = 0; i < terms; ++i) node.input(term);
    if (op == Op::scale) node.integer(Attr::axis, {axis});
    return node.output(shape);
  };
  const auto select = [](const Shape& shape, DType dtype, const Quant& from = {}, const Quant& to = {}) {
    return LoweredNode(Op::select)
        .input(shape, kBool)
        .input(shape, dtype, from)
        .input(shape, dtype, to)
        .output(shape, dtype, to);
  };
  const auto rotary = [](const Shape& shape, const Shape& angles) {
    return LoweredNode(Op::rotary_embedding).input(shape).input(angles).input(angles).output(shape);
  };
  const auto mixed = [](DType a, DType b) {
    return LoweredNode(Op::add).input({7}, a).input({7}, b).output({7}, b);
  };
  return {
      {"tanh 1048576", unary(Op::tanh, {1 << 20})},
      {"tanh 4096", unary(Op::tanh, {4096})},
      {"tanh FLOAT16 5x7", unary(Op::tanh, {5, 7}, kF16)},
      {"ceil FLOAT64 7", unary(Op::ceil, {7}, kF64)},
      {"relu INT8 7", unary(Op::relu, {7}, kI8)},
      {"logical_not 7", unary(Op::logical_not, {7}, kBool)},
      {"clip INT32 3", unary(Op::clip, {3}, kI32)},
      {"add 2x3x5", binary(Op::add, {2, 3, 5}, {2, 3, 5})},
      {"add 256x56x56, row", binary(Op::add, {256, 56, 56}, {56})},
      {"sub 2x3x5, row", binary(Op::sub, {2, 3, 5}, {5})},
      {"mul 2x3, scalar", binary(Op::mul, {2, 3}, {1})},
      {"add INT8 7", binary(Op::add, {7}, {7}, kI8)},
      {"add INT64 5x3, row", binary(Op::add, {5, 3}, {3}, kI64)},
      {"mod FLOAT64 3", binary(Op::mod, {3}, {3}, kF64)},
      {"bit_shift UINT8 8", binary(Op::bit_shift, {8}, {8}, kU8)},
      {"logical_and 3", binary(Op::logical_and, {3}, {3}, kBool)},
      {"less 3x3", LoweredNode(Op::less).input({3, 3}).input({3, 3}).output({3, 3}, kBool)},
      {"add of INT8 and FLOAT16", mixed(kI8, kF16)},
      {"prelu 2x3x5x7",
       LoweredNode(Op::prelu).input({2, 3, 5, 7}, kF32, {}, Format::nchw).input({3}).output({2, 3, 5, 7})},
      {"sigmoid + MUL + NEG",
       unary(Op::sigmoid, {2, 3, 8}).input({2, 3, 8}).step(Op::mul, true).step(Op::neg)},
      {"relu FLOAT16 + ADD", unary(Op::relu, {3, 8}, kF16).fp16_input({8}).step(Op::add, true)},
      {"batch_norm 2x5x3", affine(Op::batch_norm, {2, 5, 3}, {3}, 4, Format::none, 0)},
      {"batch_norm 2x3x5x7 NCHW", affine(Op::batch_norm, {2, 3, 5, 7}, {3}, 4, Format::nchw, 0)},
      {"scale 3x8, axis 1", affine(Op::scale, {3, 8}, {8}, 2, Format::none, 1)},
      {"scale 2x3x5x7, axis 1", affine(Op::scale, {2, 3, 5, 7}, {3, 5}, 2, Format::none, -3)},
      {"select INT64 3", select({3}, kI64)},
      {"select UINT8 5", select({5}, kU8)},
      {"select INT8 5, requantized", select({5}, kI8, {{1}, {0}}, kHalf)},
      {"select in eight dimensions", select(Shape(8, 2), kF32)},
      {"rotary_embedding 2x3x5x16", rotary({2, 3, 5, 16}, {5, 8})},
      {"rotary_embedding 2x3x5x12", rotary({2, 3, 5, 12}, {5, 6})},
      {"cast FLOAT32 to FLOAT32", cast(kF32, 11, kF32)},
      {"cast FLOAT32 to INT64", cast(kF32, 5, kI64)},
      {"cast FLOAT32 to UINT64", cast(kF32, 9, DType::u64)},
      {"cast FLOAT32 to INT8, saturating", cast(kF32, 2, kI8, true)},
      {"cast INT32 to INT8, saturating", cast(kI32, 2, kI8, true)},
      {"cast INT8 to INT32, saturating", cast(kI8, 4, kI32, true)},
      {"quant_dtype_cast by channels",
       LoweredNode(Op::quant_dtype_cast).input({3, 5}, kI8, {{0.5, 0.25, 2}, {1, 2, 3}}).output({3, 5})},
      {"quant_dtype_cast INT8 to UINT8", LoweredNode(Op::quant_dtype_cast).input({3}, kI8).output({3}, kU8)},
  };
}

// By shaders that compile fast.
std::vector<Case> fast_compile() {
  return {
      {"fast compile conv 3x3", conv({7, 16, 8, 3})},
      {"fast compile conv 3x3 of three channels", conv({7, 3, 8, 3})},
      {"fast compile conv 3x3 of two channels", conv({7, 2, 8, 3})},
      {"fast compile conv 1x1 to six channels", conv({7, 4, 6, 1})},
      {"fast compile full connection", connection(3, 8, 5)},
      {"fast compile matmul", matmul({2, 5, 8}, {2, 8, 12}, {2, 5, 12})},
      {"fast compile matmul of a constant",
       LoweredNode(Op::matmul).input({5, 2}).floats({2, 3}, std::vector<float>(6)).output({5, 3})},
  };
}

std::string text_of(const vulkan::Size3& size) {
  std::string text = cat(size[0]);
  for (size_t d = 1; d < 3; ++d)
    if (size[d] != 1 || (d == 1 && size[2] != 1)) text += cat("x", size[d]);
  return text;
}

std::string name_of(const vulkan::Command& command) {
  if (const auto* dispatch = std::get_if<vulkan::Dispatch>(&command)) return std::string(dispatch->shader);
  return std::holds_alternative<vulkan::Copy>(command) ? "copy command" : "fill command";
}

std::string size_of(const vulkan::Command& command) {
  if (const auto* dispatch = std::get_if<vulkan::Dispatch>(&command))
    return cat(" ", text_of(dispatch->threads), "/", text_of(dispatch->local));
  const auto* copy = std::get_if<vulkan::Copy>(&command);
  return copy != nullptr && copy->pieces.size() > 1 ? cat(" of ", copy->pieces.size()) : "";
}

// "kernel, kernel: shader invocations/of a workgroup, ..."
std::string lowered_text(const LoweredNode& node) {
  if (const Refusal refusal = node.refusal()) return *refusal;
  RecordingSink sink;
  if (const Status status = node.try_lower(sink); !status.ok()) return status.error().message;
  std::string text;
  for (const KernelChoice& choice : sink.choices) text += cat(text.empty() ? "" : ", ", choice.name);
  if (!text.empty()) text += ": ";
  size_t same = 0;  // of one shader, in a row
  for (size_t i = 0; i < sink.commands.size(); i += same) {
    const std::string name = name_of(sink.commands[i]);
    for (same = 1; i + same < sink.commands.size() && name_of(sink.commands[i + same]) == name;) ++same;
    text += cat(i == 0 ? "" : ", ", name, size_of(sink.commands[i]));
    if (same > 1) text += cat(" and ", same - 1, " more");
  }
  return text;
}

struct Device {
  std::string name;
  vulkan::DevicePlan plan;
};

// A line for all devices that do the same.
void add_lines(const Case& one, std::span<const Device> devices, std::ostream& to) {
  std::vector<std::pair<std::string, std::string>> lines;  // devices, text
  for (const Device& device : devices) {
    LoweredNode node = one.node;
    node.plan = device.plan;
    const std::string text = lowered_text(node);
    const auto same = std::ranges::find(lines, text, &std::pair<std::string, std::string>::second);
    if (same == lines.end()) {
      lines.emplace_back(device.name, text);
    } else {
      same->first += cat(" ", device.name);
    }
  }
  for (const auto& [names, text] : lines)
    to << cat(one.name, lines.size() == 1 ? "" : cat(" (", names, ")"), " | ", text, "\n");
}

TEST(KernelTable, IsApproved) {
  std::vector<Device> devices;
  for (const auto& [name, gpu] : {std::pair("lavapipe", lavapipe()),
                                  {"swiftshader", swiftshader()},
                                  {"h100", h100()},
                                  {"mali", mali_g610()},
                                  {"rdna3", rdna3()},
                                  {"adreno", adreno_740()}})
    devices.push_back({name, vulkan::plan(gpu).value()});
  for (Device& device : devices) device.plan.shaders = vulkan::Shaders::optimized;
  std::ostringstream table;
  for (const auto& cases : {products(), convolutions()})
    for (const Case& one : cases) add_lines(one, devices, table);
  for (const auto& cases : {pools(), rows(), layers(), copies(), elements()})
    for (const Case& one : cases) add_lines(one, std::span(devices).first(4), table);
  for (Device& device : devices) device.plan.shaders = vulkan::Shaders::fast_compile;
  for (const Case& one : fast_compile()) add_lines(one, std::span(devices).first(4), table);
  std::ofstream(KERNEL_TABLE_WRITTEN) << table.str();
  std::ifstream file(KERNEL_TABLE);
  const std::string approved((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(table.str(), approved) << "The target write_kernel_table approves it.";
}

}  // namespace
}  // namespace nnrt::test
