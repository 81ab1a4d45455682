#include "tools/import/model_quantizer.h"

#include "core/base/text.h"
#include "tools/import/load_network.h"
#include "tools/import/network/network_builder.h"
#include "tools/import/onnx/writer/write_onnx.h"
#include "tools/import/quantizer/int8_rewriter.h"
#include "tools/import/tflite/write_tflite.h"
#include "tools/import/write_network.h"

#include <algorithm>
#include <fstream>
#include <set>

namespace nnrt::import {
namespace {

// Fills dimensions of inputs that the network leaves open.
Status set_input_shapes(Network& network, const Options& given) {
  List<std::string> names;
  for (const TensorId id : network.inputs) names.push_back(network.tensors[id].name);
  NNRT_ASSIGN(const Options options, options_for(names, given));
  for (const TensorId id : network.inputs) {
    Tensor& input = network.tensors[id];
    NNRT_ASSIGN(input.shape, input_shape(options, input.name, input.shape));
  }
  return {};
}

// With these values as outputs; an input becomes one by a copy.
Result<Network> observed(Network network, std::span<const TensorId> values, const Options& options) {
  NNRT_TRY(set_input_shapes(network, options));
  if (values.empty()) return network;
  for (const TensorId value : values)
    if (value >= network.tensors.size()) return invalid("The model has no value (", value, ").");
  const List<TensorId> inputs = network.inputs;
  NetworkBuilder builder(std::move(network));
  return converting([&] {
    List<TensorId> outputs;
    for (const TensorId value : values)
      outputs.push_back(std::ranges::count(inputs, value) > 0 ? builder.copy(value) : value);
    return std::move(builder).finish(inputs, outputs);
  });
}

bool is_open(int32_t dimension, int32_t given) { return dimension == -1 || dimension == given; }

// Whether the shapes only fill dimensions that the network leaves open.
bool fits(const Network& network, const InputShapes& shapes) {
  return std::ranges::all_of(network.inputs, [&](TensorId id) {
    const Tensor& input = network.tensors[id];
    const auto named = shapes.find(input.name), given = named == shapes.end() ? shapes.find("") : named;
    return given == shapes.end() || std::ranges::equal(input.shape, given->second, is_open);
  });
}

// What the quantizer writes back in the file's own format keeps the dimensions that the file leaves open.
Result<Network> read_for(const std::filesystem::path& path, const std::filesystem::path& output,
                         const Options& options) {
  if (path.extension() == output.extension() && !options.input_shapes.empty()) {
    Options open = options;
    open.input_shapes.clear();
    auto network = load(path, open);
    if (network.ok() && fits(network.value(), options.input_shapes) &&
        write_network(network.value(), output).ok())
      return network;
  }
  return load(path, options);
}

}  // namespace

Result<std::unique_ptr<ModelQuantizer>> read_quantizer(const std::filesystem::path& path,
                                                       const std::filesystem::path& output,
                                                       const std::vector<std::string>& float_nodes,
                                                       const Options& options) {
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return Error{Code::invalid_path, cat("The file (", path.string(), ") cannot be read.")};
  NNRT_ASSIGN(const Network network, read_for(path, output, options));
  if (path.extension() != output.extension()) bytes.clear();
  return ModelQuantizer::create(network, output, std::move(bytes), float_nodes);
}

Result<std::unique_ptr<ModelQuantizer>> ModelQuantizer::create(const Network& network,
                                                               const std::filesystem::path& output,
                                                               std::string file,
                                                               const std::vector<std::string>& float_nodes) {
  for (const Tensor& tensor : network.tensors)
    if (!tensor.quantization.empty())
      return unsupported("The model is already quantized: its tensor (", tensor.name, ") has a scale.");
  NNRT_ASSIGN(QuantizableModel model, QuantizableModel::create(network, output));
  NNRT_TRY(write_network(model.network, output));  // before a long calibration
  std::vector<QuantizableNode> candidates = find_candidates(model);
  NNRT_TRY(remove_float_nodes(float_nodes, model, candidates));
  if (plan_quantization(candidates).nodes.empty())
    return unsupported(
        "The model has no FLOAT32 convolution or matrix product with constant weights to quantize.");
  return std::unique_ptr<ModelQuantizer>(
      new ModelQuantizer(std::move(model), std::move(candidates), output, std::move(file)));
}

ModelQuantizer::ModelQuantizer(QuantizableModel model, std::vector<QuantizableNode> candidates,
                               std::filesystem::path output, std::string file)
    : model_(std::move(model)),
      candidates_(std::move(candidates)),
      output_(std::move(output)),
      file_(std::move(file)) {
  for (size_t i = 0; i < model_.nodes.size(); ++i)
    if (const auto& form = model_.nodes[i].form; form && form->coding)
      for (const TensorId value : model_.operation(i).outputs) fixed_codings_.emplace(value, *form->coding);
}

std::vector<TensorId> ModelQuantizer::values() const { return values_of(plan_quantization(candidates_)); }

Result<Network> ModelQuantizer::network(std::span<const TensorId> values, const Options& options) const {
  return observed(model_.network, values, options);
}

std::string ModelQuantizer::with_notes(const Bytes& made) const {
  const auto origin = std::as_bytes(std::span(file_));
  if (is_tflite(origin)) return with_metadata(made, origin);
  if (output_.extension() == ".onnx" && !file_.empty()) return with_onnx_metadata(made, origin);
  return {reinterpret_cast<const char*>(made.data()), made.size()};
}

Result<QuantizedModel> ModelQuantizer::quantize(const Ranges& ranges) const {
  QuantizationPlan plan =
      plan_quantization(candidates_, [&](TensorId value) { return ranges.contains(value); });
  if (plan.nodes.empty()) return unsupported("No value has a finite range: nothing can be quantized.");
  share_codings(plan, model_, [&](TensorId value) { return fixed_codings_.contains(value); });
  RewrittenNetwork written = rewrite_int8(model_, plan, [&](TensorId source) {
    const auto fixed = fixed_codings_.find(source);
    if (fixed != fixed_codings_.end()) return fixed->second;
    const ValueRange& range = ranges.at(source);
    return coding_of(range.low, range.high);
  });
  NNRT_ASSIGN(const Bytes file, write_network(written.network, output_));
  QuantizedModel made;
  made.file = with_notes(file);
  made.network = [network = std::move(written.network)](std::span<const TensorId> values,
                                                        const Options& options) {
    return observed(network, values, options);
  };
  std::set<std::optional<uint32_t>> named;  // a layer may have several nodes
  std::set<size_t> quantized;
  for (const QuantizableNode& node : plan.nodes) {
    quantized.insert(node.position);
    if (node.kind == NodeKind::moved) continue;
    made.layers.push_back(
        {model_.nodes[node.position].label, node.result, written.quantized.at(node.result)});
    named.insert(model_.nodes[node.position].layer);
  }
  for (size_t i = 0; i < model_.nodes.size(); ++i) {
    const FloatNode& node = model_.nodes[i];
    if (!quantized.contains(i) && (!node.layer || named.insert(node.layer).second))
      made.float_layers.push_back(node.label);
  }
  return made;
}

}  // namespace nnrt::import
