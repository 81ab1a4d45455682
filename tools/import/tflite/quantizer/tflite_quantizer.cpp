#include "tools/import/tflite/quantizer/tflite_quantizer.h"

#include "tools/import/tflite/quantizer/tflite_int8_writer.h"

namespace nnrt::import {

using namespace tflite;

namespace {

class TfliteModel final : public QuantizableModel {
 public:
  TfliteModel(FloatModel model, uint64_t size) : model_(std::move(model)), size_(size) {
    graph_ = float_graph(model_);
  }

  bool is_float(const std::string& value) const override {
    return model_.is_float(number(value)) && !model_.tensor(number(value)).is_variable;
  }
  bool is_constant(const std::string& value) const override { return model_.is_constant(number(value)); }
  std::optional<FloatConstant> floats(const std::string& value) const override {
    const int32_t tensor = number(value);
    if (!model_.is_float(tensor) || !model_.is_constant(tensor)) return {};
    return model_.floats(tensor);
  }
  std::string file() const override { return model_.file(); }
  uint64_t size() const override { return size_; }

  Result<WrittenModel> write(const QuantizationPlan& plan, const CodingOf& coding_of) const override {
    Int8Writer writer(model_);
    auto quantized = write_int8(*this, plan, coding_of, writer);
    return WrittenModel{std::move(writer).finish(), std::move(quantized)};
  }

 private:
  int32_t number(const std::string& value) const {
    const auto found = tensor_of(value, model_.graph().tensors.size());
    return found ? static_cast<int32_t>(*found) : -1;
  }

  const FloatModel model_;
  const uint64_t size_;
};

}  // namespace

Result<std::unique_ptr<ModelQuantizer>> read_tflite_quantizer(const std::string& file,
                                                              const std::vector<std::string>& float_nodes) {
  NNRT_ASSIGN(FloatModel model, FloatModel::read(file));
  return ModelQuantizer::create(std::make_unique<TfliteModel>(std::move(model), file.size()), float_nodes);
}

Result<std::string> with_tflite_outputs(const std::string& file, std::span<const std::string> values) {
  const std::unique_ptr<format::ModelT> model(format::GetModel(file.data())->UnPack());
  std::vector<int32_t>& outputs = model->subgraphs[0]->outputs;
  outputs.clear();
  for (const std::string& value : values) {
    const auto number = tensor_of(value, model->subgraphs[0]->tensors.size());
    if (!number) return Error{Code::invalid_parameter, "The model has no value (" + value + ")."};
    outputs.push_back(static_cast<int32_t>(*number));
  }
  return packed(*model);
}

}  // namespace nnrt::import
