// How long do the products of a network take alone? The convolutions and full connections of each float
// network through oneDNN, one after the other, with weights and activations in the layouts that it likes best
// and nothing between them: a floor for the CPU device. Threads: OMP_NUM_THREADS.
#include "networks/networks.h"

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

class Products {
 public:
  explicit Products(const conformance::Case& network)
      : network_(network), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    for (const Operation& operation : network.operations) {
      if (operation.type == OH_NN_OPS_CONV2D) {
        add_convolution(operation, OH_NN_CONV2D_STRIDES, OH_NN_CONV2D_PAD, false);
      } else if (operation.type == OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE) {
        add_convolution(operation, OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES, OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD,
                        true);
      } else if (operation.type == OH_NN_OPS_FULL_CONNECTION) {
        add_connection(operation);
      }
    }
  }

  void run() {
    for (const Step& step : steps_) step.primitive.execute(stream_, step.arguments);
    stream_.wait();
  }

 private:
  struct Step {
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
  };

  static memory::desc any(const Dims& dims) {
    return {dims, memory::data_type::f32, memory::format_tag::any};
  }
  const Shape& shape(uint32_t id) const { return network_.tensors[id].shape; }
  static Dims channels_first(const Shape& shape) { return {shape[0], shape[3], shape[1], shape[2]}; }
  Dims integers(const Operation& operation, OH_NN_TensorType type) const {
    const auto id =
        std::ranges::find(operation.params, type, [&](uint32_t i) { return network_.tensors[i].type; });
    const conformance::Bytes& data = *network_.tensors[*id].data;
    Dims values(data.size() / sizeof(int64_t));
    std::memcpy(values.data(), data.data(), data.size());
    return values;
  }

  void add_convolution(const Operation& operation, OH_NN_TensorType strides, OH_NN_TensorType padding,
                       bool depthwise) {
    const Dims result = channels_first(shape(operation.outputs[0]));
    Dims weights = channels_first(shape(operation.inputs[1]));
    if (depthwise) weights.insert(weights.begin() + 1, 1);  // a group for each channel
    const Dims pads = integers(operation, padding);
    const dnnl::convolution_forward::desc desc(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto,
        any(channels_first(shape(operation.inputs[0]))), any(weights), any({result[1]}), any(result),
        integers(operation, strides), {pads[0], pads[2]}, {pads[1], pads[3]});
    add(dnnl::convolution_forward::primitive_desc(desc, relu(), engine_));
  }

  void add_connection(const Operation& operation) {
    const Shape &from = shape(operation.inputs[0]), &weight = shape(operation.inputs[1]);
    const dnnl::inner_product_forward::desc desc(dnnl::prop_kind::forward_inference, any({from[0], from[1]}),
                                                 any({weight[0], weight[1]}), any({weight[0]}),
                                                 any({from[0], weight[0]}));
    add(dnnl::inner_product_forward::primitive_desc(desc, engine_));
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
    steps_.push_back({typename PrimitiveOf<Description>::type(made),
                      {{DNNL_ARG_SRC, fresh(made.src_desc())},
                       {DNNL_ARG_WEIGHTS, fresh(made.weights_desc())},
                       {DNNL_ARG_BIAS, fresh(made.bias_desc())},
                       {DNNL_ARG_DST, fresh(made.dst_desc())}}});
  }
  template <typename Description>
  struct PrimitiveOf {
    using type = std::conditional_t<std::is_same_v<Description, dnnl::convolution_forward::primitive_desc>,
                                    dnnl::convolution_forward, dnnl::inner_product_forward>;
  };

  const conformance::Case& network_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<Step> steps_;
};

void time_products(benchmark::State& state, const bench::Network& network) {
  const conformance::Case description = network.describe({});
  Products products(description);
  products.run();
  for (auto iteration : state) products.run();
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const bench::Network& network : bench::networks()) {
    if (network.int8 || network.name == "lstm") continue;
    benchmark::RegisterBenchmark(std::string("products/").append(network.name).c_str(), time_products,
                                 std::cref(network))
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
