#include "tests/device/loops/long_nodes.h"

namespace nnrt::test {
namespace {

using Nodes = std::vector<LongNode>;

LoweredNode over_axis(Op op, const Shape& shape, double axis, DType dtype = DType::f32) {
  LoweredNode node(op);
  return node.input(shape, dtype).integer(Attr::axis, {axis}).output(shape, dtype);
}

LoweredNode reduction(Op op, const Shape& shape, const std::vector<int32_t>& axes, Shape result,
                      DType dtype = DType::f32) {
  LoweredNode node(op);
  node.input(shape, dtype).value(axes);
  return node.output(std::move(result), dtype);
}

void add_reductions(Nodes& nodes) {
  nodes.push_back({"softmax", over_axis(Op::softmax, {1, 600001}, -1)});
  nodes.push_back({"softmax of vec4", over_axis(Op::softmax, {1, 2400000}, -1)});
  nodes.push_back({"softmax of columns", over_axis(Op::softmax, {600001, 4}, 0)});
  nodes.push_back({"log_softmax", over_axis(Op::log_softmax, {600001, 3}, 0)});
  const auto norm = [](Op op, const Shape& shape, const Shape& parameters) {
    LoweredNode node(op);
    return node.input(shape).input(parameters).input(parameters).output(shape);
  };
  nodes.push_back({"layer_norm", norm(Op::layer_norm, {1, 600001}, {600001})});
  nodes.push_back({"layer_norm of vec4", norm(Op::layer_norm, {1, 2400000}, {2400000})});
  nodes.push_back({"instance_norm", norm(Op::instance_norm, {1, 3, 100, 201}, {3})});
  nodes.push_back({"group_norm", norm(Op::group_norm, {1, 4, 100, 101}, {4}).integer(Attr::group, {2})});
  LoweredNode rms(Op::rms_norm);
  nodes.push_back({"rms_norm", rms.input({1, 600001}).input({600001}).output({1, 600001})});
  LoweredNode l2(Op::l2_normalize);
  nodes.push_back({"l2_normalize", l2.input({600001, 4}).integer(Attr::axes, {0}).output({600001, 4})});
  LoweredNode lrn(Op::lrn);
  nodes.push_back({"lrn", lrn.input({1, 1, 1, 5000}).integer(Attr::radius, {2000}).output({1, 1, 1, 5000})});
  LoweredNode largest(Op::arg_max);
  nodes.push_back({"arg_max", largest.input({1, 600001}).integer(Attr::axis, {1}).output({1}, DType::i32)});
  nodes.push_back({"reduce_sum", reduction(Op::reduce_sum, {1, 600001}, {1}, {1})});
  nodes.push_back({"reduce_max of vec4", reduction(Op::reduce_max, {1, 2400000}, {1}, {1})});
  nodes.push_back({"reduce_l2 of columns", reduction(Op::reduce_l2, {600001, 4}, {0}, {4})});
  nodes.push_back({"reduce_min of INT32", reduction(Op::reduce_min, {1, 600001}, {1}, {1}, DType::i32)});
  nodes.push_back({"reduce_mean of INT32", reduction(Op::reduce_mean, {1, 600001}, {1}, {1}, DType::i32)});
  nodes.push_back({"reduce_all", reduction(Op::reduce_all, {1, 600001}, {1}, {1}, DType::boolean)});
  nodes.push_back({"cum_sum of many", over_axis(Op::cum_sum, {2100, 4100}, 0)});
  nodes.push_back({"cum_sum of a long one", over_axis(Op::cum_sum, {400000}, 0)});
  const auto top = [](int64_t length, int32_t k) {
    LoweredNode node(Op::top_k);
    return node.input({1, length}).value({k}).output({1, k}).output({1, k}, DType::i32);
  };
  nodes.push_back({"top_k of few", top(60000, 3)});
  nodes.push_back({"top_k of many", top(9000, 2000)});
}

void add_spatial(Nodes& nodes) {
  const auto pool = [](Op op, const Shape& in, std::initializer_list<double> kernel, const Shape& out) {
    LoweredNode node(op);
    return node.input(in, DType::f32, {}, Format::nhwc)
        .integer(Attr::kernel, kernel)
        .integer(Attr::stride, std::initializer_list<double>{1, 1})
        .output(out);
  };
  nodes.push_back({"max_pool", pool(Op::max_pool, {1, 72, 72, 4}, {70, 70}, {1, 3, 3, 4})});
  nodes.push_back({"max_pool strips", pool(Op::max_pool, {1, 9002, 6, 4}, {3, 3}, {1, 9000, 4, 4})});
  nodes.push_back({"avg_pool", pool(Op::avg_pool, {1, 72, 72, 3}, {70, 70}, {1, 3, 3, 3})});
  nodes.push_back({"global max_pool", pool(Op::max_pool, {1, 140, 141, 3}, {140, 141}, {1, 1, 1, 3})});
  const Quant quant{.scales = {0.5}, .zero_points = {3}};
  LoweredNode bytes(Op::avg_pool);
  nodes.push_back({"INT8 avg_pool", bytes.input({1, 72, 72, 4}, DType::i8, quant, Format::nhwc)
                                        .integer(Attr::kernel, {70, 70})
                                        .integer(Attr::stride, {1, 1})
                                        .output({1, 3, 3, 4}, DType::i8, quant)});
  LoweredNode pool_3d(Op::max_pool_nd);
  nodes.push_back({"max_pool_nd", pool_3d.input({1, 21, 21, 21, 4}, DType::f32, {}, Format::nhwc)
                                      .integer(Attr::kernel, {20, 20, 20})
                                      .integer(Attr::stride, {1, 1, 1})
                                      .output({1, 2, 2, 2, 4})});
  LoweredNode columns(Op::col2im);
  nodes.push_back({"col2im", columns.input({1, 5000, 3})
                                 .value({5002})
                                 .integer(Attr::block, {5000})
                                 .integer(Attr::stride, {1})
                                 .integer(Attr::pad, {0, 0})
                                 .integer(Attr::dilation, {1})
                                 .output({1, 1, 5002})});
  LoweredNode resize(Op::resize);
  nodes.push_back({"resize", resize.input({1, 30000, 4})
                                 .value({1, 4, 4})
                                 .integer(Attr::mode, {1})
                                 .integer(Attr::antialias, {1})
                                 .output({1, 4, 4})});
  const auto regions = [](Op op) {
    LoweredNode node(op);
    return node.integer(Attr::new_height, {2})
        .integer(Attr::new_width, {2})
        .integer(Attr::strict, {0})
        .input({1, 90, 90, 4})
        .input({1, 4})
        .input({1}, DType::i32)
        .output({1, 2, 2, 4});
  };
  nodes.push_back({"roi_align", regions(Op::roi_align).integer(Attr::sampling_ratio, {80, 80})});
  nodes.push_back({"roi_align by the region", regions(Op::roi_align), true});
  nodes.push_back({"roi_pooling", regions(Op::roi_pooling), true});
}

std::vector<float> zeros(const Shape& shape) { return std::vector<float>(size_t(*element_count(shape))); }

// With weights that are constants, as in models, or inputs.
LoweredNode convolution(Op op, const Shape& in, const Shape& weight, const Shape& out, double groups = 1,
                        DType dtype = DType::f32) {
  LoweredNode node(op);
  node.input(in, dtype, {}, Format::nhwc);
  if (dtype == DType::f16)
    node.fp16_input(weight);
  else
    node.floats(weight, zeros(weight));
  node.input({weight[0]}, dtype);
  if (op == Op::conv2d || op == Op::conv2d_transpose) node.integer(Attr::group, {groups});
  return node.output(out, dtype);
}

void add_convolutions(Nodes& nodes) {
  nodes.push_back({"conv2d", convolution(Op::conv2d, {1, 64, 64, 8}, {16, 60, 60, 8}, {1, 5, 5, 16})});
  nodes.push_back(
      {"conv2d of odd channels", convolution(Op::conv2d, {1, 64, 64, 2}, {5, 60, 60, 2}, {1, 5, 5, 5})});
  nodes.push_back(
      {"conv2d of many channels", convolution(Op::conv2d, {1, 3, 3, 16384}, {8, 2, 2, 16384}, {1, 2, 2, 8})});
  nodes.push_back({"conv2d of float16",
                   convolution(Op::conv2d, {1, 34, 34, 8}, {16, 32, 32, 8}, {1, 3, 3, 16}, 1, DType::f16)});
  nodes.push_back({"conv2d of three channels of float16",
                   convolution(Op::conv2d, {1, 34, 34, 3}, {16, 32, 32, 3}, {1, 3, 3, 16}, 1, DType::f16)});
  nodes.push_back({"depthwise", convolution(Op::conv2d, {1, 72, 72, 8}, {8, 70, 70, 1}, {1, 3, 3, 8}, 8)});
  nodes.push_back({"depthwise of odd channels",
                   convolution(Op::conv2d, {1, 72, 72, 3}, {3, 70, 70, 1}, {1, 3, 3, 3}, 3)});
  nodes.push_back(
      {"depthwise rows", convolution(Op::conv2d, {1, 9002, 6, 4}, {4, 3, 3, 1}, {1, 9000, 4, 4}, 4)});
  nodes.push_back(
      {"conv2d_transpose", convolution(Op::conv2d_transpose, {1, 3, 3, 4}, {4, 60, 60, 4}, {1, 62, 62, 4})});
  nodes.push_back(
      {"conv3d", convolution(Op::conv3d, {1, 11, 11, 11, 16}, {4, 10, 10, 10, 16}, {1, 2, 2, 2, 4})});
}

void add_products(Nodes& nodes) {
  const auto product = [](const Shape& a, const Shape& b, const Shape& y, bool transposes,
                          DType dtype = DType::f32) {
    LoweredNode node(Op::matmul);
    return node.input(a, dtype)
        .input(b, dtype)
        .integer(Attr::transpose_b, {transposes ? 1.0 : 0.0})
        .output(y, dtype);
  };
  nodes.push_back({"matmul", product({17, 20000}, {20000, 16}, {17, 16}, false)});
  nodes.push_back({"matmul of odd lengths", product({17, 20001}, {20001, 5}, {17, 5}, false)});
  nodes.push_back({"matmul of a row", product({1, 640000}, {12, 640000}, {1, 12}, true)});
  nodes.push_back({"matmul of an odd row", product({1, 640001}, {5, 640001}, {1, 5}, true)});
  nodes.push_back({"matmul of a row by columns", product({2, 640000}, {640000, 16}, {2, 16}, false)});
  nodes.push_back({"matmul of a row of vec4", product({2, 640000}, {16, 640000}, {2, 16}, true)});
  nodes.push_back({"matmul of float16", product({64, 4096}, {32, 4096}, {64, 32}, true, DType::f16)});
  const Quant quant{.scales = {0.5}, .zero_points = {3}};
  const auto quantized = [&](int64_t rows, int64_t inner, int64_t columns, bool sums = false) {
    LoweredNode node(Op::full_connection);
    node.input({rows, inner}, DType::i8, quant).input({columns, inner}, DType::i8, quant);
    return sums ? node.output({rows, columns}, DType::i32) : node.output({rows, columns}, DType::i8, quant);
  };
  nodes.push_back({"full_connection of INT8", quantized(64, 32768, 64)});
  nodes.push_back({"full_connection with sums of INT32", quantized(64, 32768, 64, true)});
  nodes.push_back({"full_connection of rows of INT8", quantized(2, 1 << 18, 8)});
  const auto nbits = [](int64_t block) {
    constexpr int64_t kInner = 1 << 18;
    LoweredNode node(Op::matmul_nbits);
    node.integer(Attr::bits, {4})
        .integer(Attr::block, {double(block)})
        .input({1, 16384})
        .input({8, 8192}, DType::u8);
    return node.input({8, kInner / block}).input({8, kInner / block}, DType::u8).output({1, 8});
  };
  nodes.push_back({"matmul_nbits", nbits(32)});
  nodes.push_back({"matmul_nbits of short blocks", nbits(4)});
}

void add_networks(Nodes& nodes) {
  const auto attention = [](int64_t queries, int64_t size, DType dtype, int64_t heads = 1) {
    LoweredNode node(Op::attention);
    node.input({1, heads, queries, size}, dtype)
        .input({1, heads, 6000, size}, dtype)
        .input({1, heads, 6000, size}, dtype);
    return node.output({1, heads, queries, size}, dtype);
  };
  nodes.push_back({"attention", attention(6, 64, DType::f32)});
  nodes.push_back({"attention of odd lengths", attention(1, 63, DType::f32)});
  nodes.push_back({"attention of float16", attention(20, 64, DType::f16)});
  nodes.push_back({"attention of many heads", attention(1, 20, DType::f32, 20)});
  const auto layer = [](Op op, int64_t gates, int64_t steps, int64_t hidden) {
    LoweredNode node(op);
    node.input({steps, 1, 2})
        .input({1, gates * hidden, 2})
        .input({1, gates * hidden, hidden})
        .input({1, 2 * gates * hidden});
    node.input({1, 1, hidden});
    if (op == Op::lstm) node.input({1, 1, hidden});
    node.output({steps, 1, hidden}).output({1, 1, hidden});
    return op == Op::lstm ? node.output({1, 1, hidden}) : node;
  };
  nodes.push_back({"lstm", layer(Op::lstm, 4, 1, 2001)});
  nodes.push_back({"gru", layer(Op::gru, 3, 1, 2001)});
  nodes.push_back({"rnn", layer(Op::rnn, 1, 1, 2001)});
  nodes.push_back({"lstm of many steps", layer(Op::lstm, 4, 300, 64)});
  nodes.push_back({"gru of many steps", layer(Op::gru, 3, 300, 64)});
}

}  // namespace

std::vector<LongNode> long_nodes() {
  Nodes nodes;
  add_reductions(nodes);
  add_spatial(nodes);
  add_convolutions(nodes);
  add_products(nodes);
  add_networks(nodes);
  return nodes;
}

}  // namespace nnrt::test
