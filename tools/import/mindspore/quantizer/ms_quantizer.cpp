#include "tools/import/mindspore/quantizer/ms_quantizer.h"

#include "core/base/text.h"
#include "mindspore/file/ms_file.h"
#include "tools/import/mindspore/quantizer/ms_int8_writer.h"
#include "tools/import/mindspore/writer/ms_serializer.h"

#include <algorithm>

namespace nnrt::import {

using namespace mindspore;

namespace {

ByteView bytes_of(const std::string& file) { return std::as_bytes(std::span(file)); }

Result<std::string> text_of(const SourceGraph& graph) {
  NNRT_ASSIGN(const Bytes bytes, serialize(graph));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Returns whether `name` is the node's name, its primitive, or the name of an output.
bool is_named(const FloatModel& model, int position, const std::string& name) {
  const SourceNode& node = model.graph().nodes[static_cast<size_t>(position)];
  return node.name == name || node.primitive->row().name == name ||
         std::ranges::any_of(node.outputs, [&](uint32_t id) { return model.tensor(id).name == name; });
}

class MindsporeQuantizer final : public ModelQuantizer {
 public:
  MindsporeQuantizer(FloatModel model, std::vector<QuantizableNode> candidates, std::string float_file,
                     uint64_t size)
      : model_(std::move(model)),
        candidates_(std::move(candidates)),
        float_file_(std::move(float_file)),
        size_(size) {
    for (const SourceNode& node : model_.graph().nodes)
      for (const uint32_t id : node.outputs) fixed_[value_name(id)] = fixed_coding(node);
  }

  std::vector<std::string> values() const override { return values_of(plan_quantization(candidates_)); }
  std::string float_file() const override { return float_file_; }
  uint64_t size() const override { return size_; }
  Result<QuantizedModel> quantize(const Ranges& ranges) const override;

 private:
  static std::optional<Int8Coding> fixed_coding(const SourceNode& node) {
    const auto form = int8_form(node);
    return form ? form->coding : std::nullopt;
  }
  std::optional<Int8Coding> fixed_coding(const std::string& value) const {
    const auto found = fixed_.find(value);
    return found == fixed_.end() ? std::nullopt : found->second;
  }
  const SourceNode& node_at(int position) const {
    return model_.graph().nodes[static_cast<size_t>(position)];
  }
  std::unordered_map<std::string, size_t> reads() const;

  const FloatModel model_;
  const std::vector<QuantizableNode> candidates_;
  const std::string float_file_;
  const uint64_t size_;
  std::unordered_map<std::string, std::optional<Int8Coding>> fixed_;  // by value
};

std::unordered_map<std::string, size_t> MindsporeQuantizer::reads() const {
  std::unordered_map<std::string, size_t> counts;
  for (const SourceNode& node : model_.graph().nodes)
    for (const uint32_t id : node.inputs) ++counts[value_name(id)];
  for (const uint32_t id : model_.graph().outputs) ++counts[value_name(id)];
  return counts;
}

Result<QuantizedModel> MindsporeQuantizer::quantize(const Ranges& ranges) const {
  QuantizationPlan plan =
      plan_quantization(candidates_, [&](const std::string& value) { return ranges.contains(value); });
  if (plan.nodes.empty()) return no_ranges();
  share_codings(
      plan, reads(), [&](int position) { return int8_form(node_at(position))->has_one_scale; },
      [&](const std::string& value) { return fixed_coding(value).has_value(); });
  Int8Writer writer(model_, plan, [&](const std::string& source) {
    const ValueRange& range = ranges.at(source);
    return fixed_coding(source).value_or(coding_of(range.low, range.high));
  });
  QuantizedModel made;
  for (const QuantizableNode& node : plan.nodes) {
    if (node.kind == NodeKind::moved) continue;
    made.layers.push_back(
        {model_.label_of(node_at(node.position)), node.result, value_name(writer.quantized(node.result))});
  }
  for (const int position : float_positions(plan, static_cast<int>(model_.graph().nodes.size())))
    made.float_layers.push_back(model_.label_of(node_at(position)));
  NNRT_ASSIGN(made.file, text_of(std::move(writer).write()));
  return made;
}

}  // namespace

Result<std::unique_ptr<ModelQuantizer>> read_mindspore_quantizer(
    const std::string& file, const std::filesystem::path& folder, const Options& options,
    const std::vector<std::string>& float_nodes) {
  NNRT_ASSIGN(FloatModel model, FloatModel::read(bytes_of(file), folder, options));
  std::vector<QuantizableNode> candidates = quantizable_nodes(model);
  NNRT_TRY(remove_float_nodes(
      float_nodes, static_cast<int>(model.graph().nodes.size()),
      [&](int position, const std::string& name) { return is_named(model, position, name); }, candidates));
  if (plan_quantization(candidates).nodes.empty()) return nothing_to_quantize();
  NNRT_ASSIGN(std::string float_file, text_of(model.graph()));
  return std::unique_ptr<ModelQuantizer>(std::make_unique<MindsporeQuantizer>(
      std::move(model), std::move(candidates), std::move(float_file), file.size()));
}

Result<std::string> with_mindspore_outputs(const std::string& file, std::span<const std::string> values) {
  NNRT_ASSIGN(SourceGraph graph, nnrt::mindspore::read_model_file(bytes_of(file), [](ByteView part) {
                return SharedBytes(std::make_shared<const Bytes>(part.begin(), part.end()));
              }));
  graph.outputs.clear();
  for (const std::string& value : values) {
    const auto id = tensor_of(value, graph.tensors.size());
    if (!id) return invalid("The model has no value (", value, ").");
    graph.outputs.push_back(*id);
  }
  return text_of(graph);
}

}  // namespace nnrt::import
