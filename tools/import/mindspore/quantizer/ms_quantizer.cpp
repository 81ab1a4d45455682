#include "tools/import/mindspore/quantizer/ms_quantizer.h"

#include "core/base/text.h"
#include "mindspore/file/ms_file.h"
#include "tools/import/mindspore/quantizer/ms_int8_writer.h"
#include "tools/import/mindspore/quantizer/ms_quantizable.h"
#include "tools/import/mindspore/writer/ms_serializer.h"

namespace nnrt::import {

using namespace mindspore;

namespace {

ByteView bytes_of(const std::string& file) { return std::as_bytes(std::span(file)); }

Result<std::string> text_of(const SourceGraph& graph) {
  NNRT_ASSIGN(const Bytes bytes, serialize(graph));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

class MindsporeModel final : public QuantizableModel {
 public:
  MindsporeModel(FloatModel model, std::string file, uint64_t size)
      : model_(std::move(model)), file_(std::move(file)), size_(size) {
    graph_ = float_graph(model_);
  }

  bool is_float(const std::string& value) const override { return model_.is_float(id_of(value)); }
  bool is_constant(const std::string& value) const override { return model_.is_constant(id_of(value)); }
  std::optional<FloatConstant> floats(const std::string& value) const override {
    const uint32_t id = id_of(value);
    if (!model_.is_float(id) || !model_.is_constant(id)) return {};
    return model_.floats(id);
  }
  std::string file() const override { return file_; }
  uint64_t size() const override { return size_; }

  Result<WrittenModel> write(const QuantizationPlan& plan, const CodingOf& coding_of) const override {
    Int8Writer writer(model_);
    auto quantized = write_int8(*this, plan, coding_of, writer);
    NNRT_ASSIGN(std::string file, text_of(std::move(writer).finish()));
    return WrittenModel{std::move(file), std::move(quantized)};
  }

 private:
  // All values are in the graph.
  uint32_t id_of(const std::string& value) const {
    return static_cast<uint32_t>(*tensor_of(value, model_.graph().tensors.size()));
  }

  const FloatModel model_;
  const std::string file_;
  const uint64_t size_;
};

}  // namespace

Result<std::unique_ptr<ModelQuantizer>> read_mindspore_quantizer(
    const std::string& file, const std::filesystem::path& folder, const Options& options,
    const std::vector<std::string>& float_nodes) {
  NNRT_ASSIGN(FloatModel model, FloatModel::read(bytes_of(file), folder, options));
  NNRT_ASSIGN(std::string float_file, text_of(model.graph()));
  return ModelQuantizer::create(
      std::make_unique<MindsporeModel>(std::move(model), std::move(float_file), file.size()), float_nodes);
}

Result<std::string> with_mindspore_outputs(const std::string& file, std::span<const std::string> values) {
  NNRT_ASSIGN(SourceGraph graph, nnrt::mindspore::read_model_file(bytes_of(file), [](ByteView part) {
                return SharedBytes(std::make_shared<const Bytes>(part.begin(), part.end()));
              }));
  graph.outputs.clear();
  for (const std::string& value : values) {
    const auto id = tensor_of(value, graph.tensors.size());
    if (!id) return invalid("The model has no value (", value, ").");
    graph.outputs.push_back(static_cast<uint32_t>(*id));
  }
  return text_of(graph);
}

}  // namespace nnrt::import
