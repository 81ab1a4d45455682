#include "tools/import/onnx/quantizer/onnx_quantizer.h"

#include "core/base/text.h"
#include "tools/import/onnx/onnx_conversion.h"
#include "tools/import/onnx/onnx_reader.h"
#include "tools/import/onnx/quantizer/qdq_writer.h"
#include "tools/import/onnx/quantizer/quantizable_nodes.h"

#include <limits>

namespace nnrt::import {

using namespace onnx;

namespace {

Status check_is_float(const onnx_file::GraphProto& graph) {
  for (const onnx_file::NodeProto& node : graph.node()) {
    const std::string& type = node.op_type();
    if (type == "QuantizeLinear" || type == "DynamicQuantizeLinear" || type.starts_with("QLinear") ||
        type.starts_with("ConvInteger") || type.starts_with("MatMulInteger")) {
      return unsupported("The model is already quantized: it has operator ", type, ".");
    }
  }
  return {};
}

Result<Network> network_of(onnx_file::ModelProto model, std::span<const std::string> values,
                           const Options& options) {
  if (!values.empty()) model.mutable_graph()->clear_output();
  for (const std::string& value : values) model.mutable_graph()->add_output()->set_name(value);
  const std::string file = model.serialize();
  return read_onnx(std::as_bytes(std::span(file)), {}, options);
}

class OnnxModel final : public QuantizableModel {
 public:
  explicit OnnxModel(PreparedGraph prepared) : prepared_(std::move(prepared)) {
    graph_ = float_graph(prepared_);
  }

  bool is_float(const std::string& value) const override { return prepared_.is_float(value); }
  bool is_constant(const std::string& value) const override { return prepared_.is_constant(value); }
  std::optional<FloatConstant> floats(const std::string& value) const override {
    return prepared_.floats(value);
  }
  Result<Network> network(std::span<const std::string> values, const Options& options) const override {
    return network_of(prepared_.model(), values, options);
  }
  uint64_t size() const override { return prepared_.model().byte_size(); }

  Result<WrittenModel> write(const QuantizationPlan& plan, const CodingOf& coding_of) const override {
    QdqWriter writer(prepared_, graph_, plan, coding_of);
    onnx_file::ModelProto written = writer.write();
    std::string file = written.serialize();
    if (file.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
      return unsupported("The quantized model is larger than 2 GiB.");
    return WrittenModel{
        std::move(file), writer.dequantized(),
        [model = std::move(written)](std::span<const std::string> values, const Options& options) {
          return network_of(model, values, options);
        }};
  }

 private:
  const PreparedGraph prepared_;
};

}  // namespace

Result<std::unique_ptr<ModelQuantizer>> read_onnx_quantizer(const std::string& file,
                                                            const DataFolders& folders,
                                                            const std::vector<std::string>& float_nodes) {
  NNRT_ASSIGN(onnx_file::ModelProto model, parse_onnx(std::as_bytes(std::span(file))));
  NNRT_TRY(check_is_float(model.graph()));
  NNRT_ASSIGN(PreparedGraph graph, PreparedGraph::prepare(std::move(model), folders));
  return ModelQuantizer::create(std::make_unique<OnnxModel>(std::move(graph)), float_nodes);
}

}  // namespace nnrt::import
