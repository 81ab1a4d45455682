// A lower bound for the CPU device: runs the convolutions and full connections of each float network through
// oneDNN back to back, and each model of kernels_bench. Weights use oneDNN's preferred layout; activations do
// too ("any"), or use the CPU device's ("nhwc"). Threads: OMP_NUM_THREADS.
#include "networks/operation_parameters.h"
#include "product_benchmarks.h"

#include <benchmark/benchmark.h>
#include <dnnl.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>

namespace {

using conformance::Operation;
using conformance::Shape;
using dnnl::memory;
using Dims = memory::dims;

class Gemms {
 public:
  Gemms(const conformance::Case& network, bool nhwc, bool int8 = false)
      : network_(network),
        nhwc_(nhwc),
        type_(int8 ? memory::data_type::s8 : memory::data_type::f32),
        bias_type_(int8 ? memory::data_type::s32 : memory::data_type::f32),
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_) {
    for (const Operation& operation : network.operations) {
      if (operation.type == OH_NN_OPS_CONV2D) {
        add_convolution(operation, OH_NN_CONV2D_STRIDES, OH_NN_CONV2D_PAD, false);
      } else if (operation.type == OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE) {
        add_convolution(operation, OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES, OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD,
                        true);
      } else if (operation.type == OH_NN_OPS_FULL_CONNECTION) {
        add_connection(operation);
      } else if (operation.type == OH_NN_OPS_MATMUL) {
        add_gemm(operation);
      }
    }
  }

  bool empty() const { return steps_.empty(); }

  void run() {
    for (const Step& step : steps_) step.primitive.execute(stream_, step.arguments);
    stream_.wait();
  }

 private:
  struct Step {
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
  };

  memory::desc any(const Dims& dims) const { return {dims, type_, memory::format_tag::any}; }
  memory::desc any_bias(const Dims& dims) const { return {dims, bias_type_, memory::format_tag::any}; }
  memory::desc activations(const Dims& dims) const {
    return {dims, type_, nhwc_ ? memory::format_tag::nhwc : memory::format_tag::any};
  }
  const Shape& shape(uint32_t id) const { return network_.tensors[id].shape; }
  static Dims channels_first(const Shape& shape) { return {shape[0], shape[3], shape[1], shape[2]}; }
  void add_convolution(const Operation& operation, OH_NN_TensorType strides, OH_NN_TensorType padding,
                       bool depthwise) {
    const Dims result = channels_first(shape(operation.outputs[0]));
    Dims weights = channels_first(shape(operation.inputs[1]));
    if (depthwise) weights.insert(weights.begin() + 1, 1);  // one group per channel
    const Dims pads = bench::integers_of(network_, operation, padding);
    const dnnl::convolution_forward::desc desc(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto,
        activations(channels_first(shape(operation.inputs[0]))), any(weights), any_bias({result[1]}),
        activations(result), bench::integers_of(network_, operation, strides), {pads[0], pads[2]},
        {pads[1], pads[3]});
    add(dnnl::convolution_forward::primitive_desc(desc, relu(), engine_));
  }

  void add_connection(const Operation& operation) {
    const Shape &from = shape(operation.inputs[0]), &weight = shape(operation.inputs[1]);
    const dnnl::inner_product_forward::desc desc(dnnl::prop_kind::forward_inference, any({from[0], from[1]}),
                                                 any({weight[0], weight[1]}), any({weight[0]}),
                                                 any({from[0], weight[0]}));
    add(dnnl::inner_product_forward::primitive_desc(desc, engine_));
  }

  // A matrix or a batch of them, with rank `rank`; `transposed` swaps dimensions, not memory.
  memory::desc matrix(uint32_t id, size_t rank, bool transposed) const {
    Dims dims(shape(id).begin(), shape(id).end());
    dims.insert(dims.begin(), rank - dims.size(), 1);
    Dims strides(rank, 1);
    for (size_t axis = rank - 1; axis-- > 0;) strides[axis] = strides[axis + 1] * dims[axis + 1];
    if (transposed) {
      std::swap(dims[rank - 1], dims[rank - 2]);
      std::swap(strides[rank - 1], strides[rank - 2]);
    }
    return {dims, type_, strides};
  }

  void add_gemm(const Operation& operation) {
    const auto is_set = [&](OH_NN_TensorType type) { return bench::is_set(network_, operation, type); };
    const size_t rank = shape(operation.outputs[0]).size();
    const dnnl::matmul::desc desc(matrix(operation.inputs[0], rank, is_set(OH_NN_MATMUL_TRANSPOSE_A)),
                                  matrix(operation.inputs[1], rank, is_set(OH_NN_MATMUL_TRANSPOSE_B)),
                                  matrix(operation.outputs[0], rank, false));
    add(dnnl::matmul::primitive_desc(desc, engine_));
  }

  static dnnl::primitive_attr relu() {
    dnnl::post_ops ops;
    ops.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(ops);
    return attributes;
  }

  template <typename Description>
  void add(const Description& made) {
    const auto fresh = [&](const memory::desc& desc) {
      memory created(desc, engine_);
      std::memset(created.get_data_handle(), 0, desc.get_size());
      return created;
    };
    Step step{typename PrimitiveOf<Description>::type(made),
              {{DNNL_ARG_SRC, fresh(made.src_desc())},
               {DNNL_ARG_WEIGHTS, fresh(made.weights_desc())},
               {DNNL_ARG_DST, fresh(made.dst_desc())}}};
    if (made.bias_desc().get_size() > 0) step.arguments[DNNL_ARG_BIAS] = fresh(made.bias_desc());
    steps_.push_back(std::move(step));
  }
  template <typename Description>
  struct PrimitiveOf;

  const conformance::Case& network_;
  bool nhwc_;
  memory::data_type type_, bias_type_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<Step> steps_;
};

template <>
struct Gemms::PrimitiveOf<dnnl::convolution_forward::primitive_desc> {
  using type = dnnl::convolution_forward;
};
template <>
struct Gemms::PrimitiveOf<dnnl::inner_product_forward::primitive_desc> {
  using type = dnnl::inner_product_forward;
};
template <>
struct Gemms::PrimitiveOf<dnnl::matmul::primitive_desc> {
  using type = dnnl::matmul;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const bool nhwc : {false, true}) {
    bench::register_products(
        nhwc ? "/nhwc" : "/any", true,
        [nhwc](const conformance::Case& network, bool int8) { return Gemms(network, nhwc, int8); });
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
