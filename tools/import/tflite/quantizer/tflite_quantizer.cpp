#include "tools/import/tflite/quantizer/tflite_quantizer.h"

#include "tools/import/tflite/quantizer/tflite_int8_writer.h"

#include <algorithm>

namespace nnrt::import {

using namespace tflite;

namespace {

// Returns whether `name` is the operator's name, its type, or the name of an output.
bool is_named(const FloatModel& model, int position, const std::string& name) {
  const format::OperatorT& op = model.operator_at(static_cast<size_t>(position));
  return model.operator_name(op) == name ||
         std::ranges::any_of(op.outputs, [&](int32_t number) { return model.tensor(number).name == name; });
}

const format::OperatorT* writer_of(const FloatModel& model, int32_t number) {
  for (const auto& op : model.graph().operators) {
    if (std::ranges::find(op->outputs, number) != op->outputs.end()) return op.get();
  }
  return nullptr;
}

// The coding that the specification fixes for a value, if any.
std::optional<Int8Coding> fixed_coding(const FloatModel& model, const std::string& value) {
  const format::OperatorT* const op = writer_of(model, tensor_of(value));
  const Int8Operator* const row = op == nullptr ? nullptr : find_int8_operator(model.code_of(*op));
  return row == nullptr ? std::nullopt : row->coding;
}

std::unordered_map<std::string, size_t> reads_of(const FloatModel& model) {
  std::unordered_map<std::string, size_t> reads;
  for (const auto& op : model.graph().operators)
    for (const int32_t number : op->inputs) ++reads[value_name(number)];
  for (const int32_t number : model.graph().outputs) ++reads[value_name(number)];
  return reads;
}

class TfliteQuantizer final : public ModelQuantizer {
 public:
  TfliteQuantizer(FloatModel model, std::vector<QuantizableNode> candidates, uint64_t size)
      : model_(std::move(model)), candidates_(std::move(candidates)), size_(size) {}

  std::vector<std::string> values() const override { return values_of(plan_quantization(candidates_)); }
  std::string float_file() const override { return model_.file(); }
  uint64_t size() const override { return size_; }
  Result<QuantizedModel> quantize(const Ranges& ranges) const override;

 private:
  std::string label_at(int position) const {
    return model_.label_of(model_.operator_at(static_cast<size_t>(position)));
  }

  const FloatModel model_;
  const std::vector<QuantizableNode> candidates_;
  const uint64_t size_;
};

Result<QuantizedModel> TfliteQuantizer::quantize(const Ranges& ranges) const {
  QuantizationPlan plan =
      plan_quantization(candidates_, [&](const std::string& value) { return ranges.contains(value); });
  if (plan.nodes.empty()) return no_ranges();
  share_codings(
      plan, reads_of(model_),
      [&](int position) {
        const format::OperatorT& op = model_.operator_at(static_cast<size_t>(position));
        return find_int8_operator(model_.code_of(op))->has_one_scale;
      },
      [&](const std::string& value) { return fixed_coding(model_, value).has_value(); });
  Int8Writer writer(model_, plan, [&](const std::string& source) {
    const ValueRange& range = ranges.at(source);
    return fixed_coding(model_, source).value_or(coding_of(range.low, range.high));
  });
  QuantizedModel made;
  for (const QuantizableNode& node : plan.nodes) {
    if (node.kind == NodeKind::moved) continue;
    made.layers.push_back({label_at(node.position), node.result, value_name(writer.quantized(node.result))});
  }
  for (const int position : float_positions(plan, static_cast<int>(model_.operator_count())))
    made.float_layers.push_back(label_at(position));
  made.file = std::move(writer).write();
  return made;
}

}  // namespace

Result<std::unique_ptr<ModelQuantizer>> read_tflite_quantizer(const std::string& file,
                                                              const std::vector<std::string>& float_nodes) {
  NNRT_ASSIGN(FloatModel model, FloatModel::read(file));
  std::vector<QuantizableNode> candidates = quantizable_operators(model);
  NNRT_TRY(remove_float_nodes(
      float_nodes, static_cast<int>(model.operator_count()),
      [&](int position, const std::string& name) { return is_named(model, position, name); }, candidates));
  if (plan_quantization(candidates).nodes.empty()) return nothing_to_quantize();
  return std::unique_ptr<ModelQuantizer>(
      std::make_unique<TfliteQuantizer>(std::move(model), std::move(candidates), file.size()));
}

Result<std::string> with_tflite_outputs(const std::string& file, std::span<const std::string> values) {
  const std::unique_ptr<format::ModelT> model(format::GetModel(file.data())->UnPack());
  std::vector<int32_t>& outputs = model->subgraphs[0]->outputs;
  outputs.clear();
  for (const std::string& value : values) outputs.push_back(tensor_of(value));
  return packed(*model);
}

}  // namespace nnrt::import
