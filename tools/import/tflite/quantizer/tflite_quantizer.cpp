#include "tools/import/tflite/quantizer/tflite_quantizer.h"

#include "tools/import/tflite/quantizer/tflite_int8_writer.h"

#include <algorithm>

namespace nnrt::import {

using namespace tflite;

struct TfliteQuantizer::State {
  FloatModel model;
  std::vector<QuantizableNode> candidates;
  uint64_t size = 0;
};

namespace {

// Fails for a name that is none of the model's.
Status remove_float_nodes(const FloatModel& model, const std::vector<std::string>& names,
                          std::vector<QuantizableNode>& candidates) {
  for (const std::string& name : names) {
    const auto is_named = [&](const format::OperatorT& op) {
      return model.operator_name(op) == name || std::ranges::any_of(op.outputs, [&](int32_t number) {
               return model.tensor(number).name == name;
             });
    };
    if (std::ranges::none_of(model.graph().operators, [&](const auto& op) { return is_named(*op); }))
      return Error{Code::invalid_parameter,
                   "The model has no node and no operator of the name (" + name + ")."};
    std::erase_if(candidates, [&](const QuantizableNode& node) {
      return is_named(model.operator_at(static_cast<size_t>(node.position)));
    });
  }
  return {};
}

const format::OperatorT* writer_of(const FloatModel& model, int32_t number) {
  for (const auto& op : model.graph().operators) {
    if (std::ranges::find(op->outputs, number) != op->outputs.end()) return op.get();
  }
  return nullptr;
}

// Returns the coding of a value that the specification fixes one for.
std::optional<Int8Coding> fixed_coding(const FloatModel& model, const std::string& value) {
  const format::OperatorT* const op = writer_of(model, tensor_of(value));
  const Int8Operator* const row = op == nullptr ? nullptr : find_int8_operator(model.code_of(*op));
  return row == nullptr ? std::nullopt : row->coding;
}

// Operators that know one scale alone, as CONCATENATION does, give their operands that of their result, where
// nothing else reads them: the others would be rounded twice. From the last to the first, because one may
// feed another.
void share_codings(const FloatModel& model, QuantizationPlan& plan) {
  std::unordered_map<std::string, size_t> reads;
  for (const auto& op : model.graph().operators) {
    for (const int32_t number : op->inputs) ++reads[value_name(number)];
  }
  for (const int32_t number : model.graph().outputs) ++reads[value_name(number)];
  for (auto node = plan.nodes.rbegin(); node != plan.nodes.rend(); ++node) {
    const format::OperatorT& op = model.operator_at(static_cast<size_t>(node->position));
    if (!find_int8_operator(model.code_of(op))->has_one_scale) continue;
    for (const std::string& operand : node->operands) {
      std::string& source = plan.sources.at(operand);
      if (source == operand && reads[operand] == 1 && !fixed_coding(model, operand))
        source = plan.sources.at(node->result);
    }
  }
}

std::vector<std::string> labels_of_others(const FloatModel& model, const QuantizationPlan& plan) {
  std::unordered_set<size_t> quantized;
  for (const QuantizableNode& node : plan.nodes) quantized.insert(static_cast<size_t>(node.position));
  std::vector<std::string> labels;
  for (size_t i = 0; i < model.operator_count(); ++i) {
    if (!quantized.contains(i)) labels.push_back(model.label_of(model.operator_at(i)));
  }
  return labels;
}

}  // namespace

TfliteQuantizer::TfliteQuantizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
TfliteQuantizer::TfliteQuantizer(TfliteQuantizer&&) noexcept = default;
TfliteQuantizer& TfliteQuantizer::operator=(TfliteQuantizer&&) noexcept = default;
TfliteQuantizer::~TfliteQuantizer() = default;

Result<TfliteQuantizer> TfliteQuantizer::read(const std::string& file,
                                              const std::vector<std::string>& float_nodes) {
  NNRT_ASSIGN(FloatModel model, FloatModel::read(file));
  std::vector<QuantizableNode> candidates = quantizable_operators(model);
  NNRT_TRY(remove_float_nodes(model, float_nodes, candidates));
  if (plan_quantization(candidates, [](const std::string&) { return true; }).nodes.empty())
    return nothing_to_quantize();
  return TfliteQuantizer(
      std::make_unique<State>(State{std::move(model), std::move(candidates), file.size()}));
}

std::vector<std::string> TfliteQuantizer::values() const {
  return values_of(plan_quantization(state_->candidates, [](const std::string&) { return true; }));
}

std::string TfliteQuantizer::float_file() const { return state_->model.file(); }

uint64_t TfliteQuantizer::size() const { return state_->size; }

Result<QuantizedModel> TfliteQuantizer::quantize(const Ranges& ranges) const {
  const FloatModel& model = state_->model;
  QuantizationPlan plan =
      plan_quantization(state_->candidates, [&](const std::string& value) { return ranges.contains(value); });
  if (plan.nodes.empty()) return no_ranges();
  share_codings(model, plan);
  Int8Writer writer(model, plan, [&](const std::string& source) {
    const ValueRange& range = ranges.at(source);
    return fixed_coding(model, source).value_or(coding_of(range.low, range.high));
  });
  QuantizedModel made;
  for (const QuantizableNode& node : plan.nodes) {
    if (node.kind == NodeKind::moved) continue;
    made.layers.push_back({model.label_of(model.operator_at(static_cast<size_t>(node.position))), node.result,
                           value_name(writer.quantized(node.result))});
  }
  made.float_layers = labels_of_others(model, plan);
  made.file = std::move(writer).write();
  return made;
}

Result<std::string> with_tflite_outputs(const std::string& file, std::span<const std::string> values) {
  const std::unique_ptr<format::ModelT> model(format::GetModel(file.data())->UnPack());
  std::vector<int32_t>& outputs = model->subgraphs[0]->outputs;
  outputs.clear();
  for (const std::string& value : values) outputs.push_back(tensor_of(value));
  return packed(*model);
}

}  // namespace nnrt::import
