#include "tools/import/mindspore/quantizer/ms_float_model.h"

#include "core/base/text.h"
#include "mindspore/file/ms_file.h"
#include "mindspore/lower/lower_values.h"
#include "mindspore/lower/weight_axis.h"
#include "mindspore/schema/enumerations.h"
#include "tools/import/mindspore/ms_external_data.h"
#include "tools/import/network/network_check.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import::mindspore {

using namespace nnrt::mindspore;

namespace {

bool has_scales(const SourceTensor& tensor) {
  return !is_float(dtype_of(tensor.type_id)) && !tensor.quant.empty() &&
         std::ranges::all_of(tensor.quant, &QuantEntry::inited);
}

void make_float(SourceTensor& tensor, const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  tensor.data = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  tensor.type_id = kTypeFloat32;
  tensor.quant.clear();
}

// The dimension of the data that a gather reads.
int64_t gather_axis(const SourceGraph& graph, const SourceNode& node) {
  if (node.primitive->type() != PrimitiveType::gather || node.inputs.size() < 3) return 0;
  const SourceTensor& axis = graph.tensors[node.inputs[2]];
  int32_t value = 0;
  if (axis.has_data() && axis.data->size() >= sizeof value)
    std::memcpy(&value, axis.data->data(), sizeof value);
  return value;
}

}  // namespace

Result<FloatModel> FloatModel::read(ByteView file, const std::filesystem::path& folder,
                                    const Options& options) {
  const KeepBytes keep = [](ByteView part) -> SharedBytes {
    return std::make_shared<const Bytes>(part.begin(), part.end());
  };
  FloatModel made;
  NNRT_ASSIGN(made.graph_, read_model_file(file, keep));
  NNRT_TRY(drop_unread_nodes(made.graph_));
  for (const SourceNode& node : made.graph_.nodes)
    if (node.problem) return of_file(Error(*node.problem).during(cat("reading node \"", node.name, "\"")));
  ConstantBudget budget(file.size());
  NNRT_TRY(unpack_constants(made.graph_, unpack_rules(folder, options, budget)));
  NNRT_TRY(made.make_constants_float());
  NNRT_TRY(made.check_is_float());
  return made;
}

Status FloatModel::make_constants_float() {
  for (SourceTensor& tensor : graph_.tensors)
    if (tensor.has_data() && dtype_of(tensor.type_id) == DType::f16) {
      if (Status status = check_constant(tensor); !status.ok()) return of_file(std::move(status).error());
      make_float(tensor, widened_elements(tensor));
    }
  for (SourceNode& node : graph_.nodes) {
    if (node.quant_type != kQuantWeight) continue;
    node.quant_type = kQuantNone;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      SourceTensor& tensor = graph_.tensors[node.inputs[i]];
      if (!tensor.has_data() || !has_scales(tensor)) continue;
      const size_t axis = weight_axis(graph_, node, i, gather_axis(graph_, node));
      auto values = dequantized_elements(tensor, axis);
      if (!values.ok()) return of_file(std::move(values).error());
      make_float(tensor, values.value());
    }
  }
  return {};
}

Status FloatModel::check_is_float() const {
  const auto found = std::ranges::find_if(graph_.tensors, has_scales);
  if (found == graph_.tensors.end()) return {};
  return Error{Code::unsupported,
               cat("The model is already quantized: its tensor (", found->name, ") has a scale.")};
}

bool FloatModel::is_float(uint32_t id) const { return dtype_of(tensor(id).type_id) == DType::f32; }

FloatConstant FloatModel::floats(uint32_t id) const {
  const ByteView data = *tensor(id).data;
  FloatConstant constant{{tensor(id).dims.begin(), tensor(id).dims.end()}, {}};
  constant.values.resize(data.size() / sizeof(float));
  std::memcpy(constant.values.data(), data.data(), constant.values.size() * sizeof(float));
  return constant;
}

}  // namespace nnrt::import::mindspore
