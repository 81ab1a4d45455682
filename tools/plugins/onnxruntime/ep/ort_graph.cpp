#include "tools/plugins/onnxruntime/ep/ort_graph.h"

#include "core/base/text.h"

#include <algorithm>

namespace nnrt::ep {
namespace {

using onnx_file::AttributeProto;
using onnx_file::GraphProto;
using onnx_file::NodeProto;
using onnx_file::TensorProto;

constexpr size_t kLentBytes = 64;  // smaller data are copied into the message

// Numbers of AttributeProto.AttributeType.
enum AttributeType : int32_t { kFloat = 1, kInt, kString, kTensor, kGraph, kFloats, kInts, kStrings };

// A list of pointers that a pair of functions of the API gives.
template <typename Item, typename Owner>
Result<std::vector<const Item*>> items_of(const Owner* owner,
                                          OrtStatus*(ORT_API_CALL* count)(const Owner*, size_t*) noexcept,
                                          OrtStatus*(ORT_API_CALL* get)(const Owner*, const Item**,
                                                                        size_t) noexcept) {
  size_t size = 0;
  NNRT_TRY(taken(count(owner, &size)));
  std::vector<const Item*> items(size);
  NNRT_TRY(taken(get(owner, items.data(), size)));
  return items;
}

Result<std::string> name_of(const OrtValueInfo* value) {
  if (value == nullptr) return std::string();  // an omitted input
  const char* name = nullptr;
  NNRT_TRY(taken(ort().GetValueInfoName(value, &name)));
  return std::string(name);
}

Result<Dimensions> dimensions_of(const OrtTensorTypeAndShapeInfo* info) {
  size_t rank = 0;
  NNRT_TRY(taken(ort().GetDimensionsCount(info, &rank)));
  Dimensions shape(rank);
  NNRT_TRY(taken(ort().GetDimensions(info, shape.data(), rank)));
  return shape;
}

class Reader {
 public:
  Result<OrtGraphReading> read(const OrtGraph* graph) {
    NNRT_TRY(read_opsets(graph));
    NNRT_ASSIGN(reading_.graph.inputs, read_inputs(graph));
    reading_.is_body = is_loop_body();
    NNRT_ASSIGN(reading_.nodes, items_of<OrtNode>(graph, ort().Graph_GetNumNodes, ort().Graph_GetNodes));
    for (const OrtNode* const node : reading_.nodes) {
      NNRT_ASSIGN(reading_.graph.nodes.emplace_back(), read_node(node));
    }
    NNRT_ASSIGN(const auto outputs,
                items_of<OrtValueInfo>(graph, ort().Graph_GetNumOutputs, ort().Graph_GetOutputs));
    for (const OrtValueInfo* const output : outputs) {
      NNRT_ASSIGN(reading_.graph.outputs.emplace_back(), add_value(output));
    }
    return std::move(reading_);
  }

 private:
  // Whether the first inputs are the iteration and the condition.
  bool is_loop_body() const {
    const auto is_scalar = [&](size_t index, int32_t type) {
      const auto& tensor = reading_.graph.values.at(reading_.graph.inputs[index]).info.type().tensor_type();
      return tensor.elem_type() == type && tensor.shape().dim_size() == 0;
    };
    return reading_.graph.inputs.size() >= 2 && is_scalar(0, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64) &&
           is_scalar(1, ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL);
  }

  Status read_opsets(const OrtGraph* graph) {
    size_t count = 0;
    NNRT_TRY(taken(ort().Graph_GetNumOperatorSets(graph, &count)));
    std::vector<const char*> domains(count);
    std::vector<int64_t> versions(count);
    NNRT_TRY(taken(ort().Graph_GetOperatorSets(graph, domains.data(), versions.data(), count)));
    for (size_t i = 0; i < count; ++i) reading_.graph.opsets[domains[i]] = versions[i];
    return {};
  }

  // The values that must be fed, or may be.
  Result<std::vector<std::string>> read_inputs(const OrtGraph* graph) {
    NNRT_ASSIGN(const auto inputs,
                items_of<OrtValueInfo>(graph, ort().Graph_GetNumInputs, ort().Graph_GetInputs));
    std::vector<std::string> names;
    for (const OrtValueInfo* const input : inputs) {
      NNRT_ASSIGN(const std::string name, add_value(input));
      reading_.graph.values[name].may_have_rank = false;  // what the model's author declared
      if (!reading_.graph.values[name].is_constant) names.push_back(name);
    }
    return names;
  }

  Result<std::string> add_value(const OrtValueInfo* value) {
    NNRT_ASSIGN(std::string name, name_of(value));
    if (name.empty() || reading_.graph.values.contains(name)) return name;
    HostValue read;
    read.info.set_name(name);
    NNRT_TRY(read_type(value, read));
    bool is_outer = false, is_constant = false;
    NNRT_TRY(taken(ort().ValueInfo_IsFromOuterScope(value, &is_outer)));
    reading_.is_body = reading_.is_body || is_outer;
    NNRT_TRY(taken(ort().ValueInfo_IsConstantInitializer(value, &is_constant)));
    if (is_constant) {
      const OrtValue* data = nullptr;
      NNRT_TRY(taken(ort().ValueInfo_GetInitializerValue(value, &data)));
      if (data != nullptr) {
        NNRT_ASSIGN(read.constant, read_tensor(data));
        read.constant.set_name(name);
        read.is_constant = true;
      }
    }
    reading_.graph.values.emplace(name, std::move(read));
    return name;
  }

  static Status read_type(const OrtValueInfo* value, HostValue& read) {
    const OrtTypeInfo* type = nullptr;
    const OrtTensorTypeAndShapeInfo* tensor = nullptr;
    NNRT_TRY(taken(ort().GetValueInfoTypeInfo(value, &type)));
    if (type == nullptr) return {};
    NNRT_TRY(taken(ort().CastTypeInfoToTensorInfo(type, &tensor)));
    if (tensor == nullptr) return {};  // no tensor
    ONNXTensorElementDataType elements = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    NNRT_TRY(taken(ort().GetTensorElementType(tensor, &elements)));
    NNRT_ASSIGN(const Dimensions shape, dimensions_of(tensor));
    auto& written = *read.info.mutable_type()->mutable_tensor_type();
    written.set_elem_type(elements);
    auto& dimensions = *written.mutable_shape();
    for (const int64_t length : shape) {
      auto& dimension = *dimensions.add_dim();
      if (length >= 0) dimension.set_dim_value(length);
    }
    read.may_have_rank = shape.empty();
    return {};
  }

  Result<TensorProto> read_tensor(const OrtValue* value) {
    OrtTensorTypeAndShapeInfo* info = nullptr;
    NNRT_TRY(taken(ort().GetTensorTypeAndShape(value, &info)));
    const Released<OrtTensorTypeAndShapeInfo> owned(info, ort().ReleaseTensorTypeAndShapeInfo);
    ONNXTensorElementDataType elements = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    NNRT_TRY(taken(ort().GetTensorElementType(info, &elements)));
    TensorProto tensor;
    tensor.set_data_type(elements);
    NNRT_ASSIGN(*tensor.mutable_dims(), dimensions_of(info));
    if (elements == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) return tensor;  // the importer refuses the type
    const void* data = nullptr;
    size_t size = 0;
    NNRT_TRY(taken(ort().GetTensorData(value, &data)));
    NNRT_TRY(taken(ort().GetTensorSizeInBytes(value, &size)));
    if (size < kLentBytes) {
      tensor.set_raw_data(data, size);
    } else {
      tensor.set_payload(static_cast<uint32_t>(reading_.graph.data.size()));
      reading_.graph.data.emplace_back(static_cast<const std::byte*>(data), size);
    }
    return tensor;
  }

  Result<std::vector<std::string>> names_of(const std::vector<const OrtValueInfo*>& values) {
    std::vector<std::string> names;
    for (const OrtValueInfo* const value : values) {
      NNRT_ASSIGN(names.emplace_back(), add_value(value));
    }
    return names;
  }

  Result<HostNode> read_node(const OrtNode* node) {
    HostNode read;
    const char *name = nullptr, *type = nullptr, *domain = nullptr;
    NNRT_TRY(taken(ort().Node_GetName(node, &name)));
    NNRT_TRY(taken(ort().Node_GetOperatorType(node, &type)));
    NNRT_TRY(taken(ort().Node_GetDomain(node, &domain)));
    read.proto.set_name(name);
    read.proto.set_op_type(type);
    read.proto.set_domain(domain);
    NNRT_ASSIGN(const auto inputs,
                items_of<OrtValueInfo>(node, ort().Node_GetNumInputs, ort().Node_GetInputs));
    NNRT_ASSIGN(const auto outputs,
                items_of<OrtValueInfo>(node, ort().Node_GetNumOutputs, ort().Node_GetOutputs));
    NNRT_ASSIGN(const auto outer,
                items_of<OrtValueInfo>(node, ort().Node_GetNumImplicitInputs, ort().Node_GetImplicitInputs));
    NNRT_ASSIGN(*read.proto.mutable_input(), names_of(inputs));
    NNRT_ASSIGN(*read.proto.mutable_output(), names_of(outputs));
    NNRT_ASSIGN(read.outer_reads, names_of(outer));
    NNRT_TRY(read_attributes(node, read.proto));
    NNRT_TRY(read_bodies(node, read.proto));
    return read;
  }

  Status read_bodies(const OrtNode* node, NodeProto& written) {
    size_t count = 0;
    NNRT_TRY(taken(ort().Node_GetNumSubgraphs(node, &count)));
    std::vector<const OrtGraph*> bodies(count);
    std::vector<const char*> names(count);
    if (count > 0) NNRT_TRY(taken(ort().Node_GetSubgraphs(node, bodies.data(), count, names.data())));
    for (size_t i = 0; i < count; ++i) {
      AttributeProto& attribute = *written.add_attribute();
      attribute.set_name(names[i]);
      attribute.set_type(kGraph);
      NNRT_TRY(read_body(bodies[i], *attribute.mutable_g()));
    }
    return {};
  }

  // Names in a body may be those of other bodies, so its values are read apart.
  Status read_body(const OrtGraph* body, GraphProto& written) {
    Reader inner;
    inner.reading_.graph.data = std::move(reading_.graph.data);
    NNRT_ASSIGN(OrtGraphReading read, inner.read(body));
    reading_.graph.data = std::move(read.graph.data);
    NNRT_ASSIGN(const auto constants,
                items_of<OrtValueInfo>(body, ort().Graph_GetNumInitializers, ort().Graph_GetInitializers));
    for (const OrtValueInfo* const constant : constants) {
      NNRT_ASSIGN(const std::string name, name_of(constant));
      const auto found = read.graph.values.find(name);
      if (found != read.graph.values.end() && found->second.is_constant)
        *written.add_initializer() = found->second.constant;
    }
    for (const std::string& name : read.graph.inputs) *written.add_input() = read.graph.values.at(name).info;
    for (const std::string& name : read.graph.outputs)
      *written.add_output() = read.graph.values.at(name).info;
    for (HostNode& node : read.graph.nodes) *written.add_node() = std::move(node.proto);
    return {};
  }

  Status read_attributes(const OrtNode* node, NodeProto& written) {
    NNRT_ASSIGN(const auto attributes,
                items_of<OrtOpAttr>(node, ort().Node_GetNumAttributes, ort().Node_GetAttributes));
    for (const OrtOpAttr* const attribute : attributes) {
      const char* name = nullptr;
      OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
      NNRT_TRY(taken(ort().OpAttr_GetType(attribute, &type)));
      if (type == ORT_OP_ATTR_GRAPH) continue;  // read_bodies()
      NNRT_TRY(taken(ort().OpAttr_GetName(attribute, &name)));
      AttributeProto& made = *written.add_attribute();
      made.set_name(name);
      NNRT_TRY(read_attribute(attribute, type, made));
    }
    return {};
  }

  // The bytes of an attribute.
  static Result<std::string> bytes_of(const OrtOpAttr* attribute, OrtOpAttrType type) {
    size_t size = 0;
    static_cast<void>(
        taken(ort().ReadOpAttr(attribute, type, nullptr, 0, &size)));  // fails, and gives the size
    std::string bytes(size, '\0');
    if (size > 0) NNRT_TRY(taken(ort().ReadOpAttr(attribute, type, bytes.data(), size, &size)));
    return bytes;
  }

  template <typename T>
  static Result<std::vector<T>> numbers_of(const OrtOpAttr* attribute, OrtOpAttrType type) {
    NNRT_ASSIGN(const std::string bytes, bytes_of(attribute, type));
    std::vector<T> numbers(bytes.size() / sizeof(T));
    std::copy_n(bytes.data(), numbers.size() * sizeof(T), reinterpret_cast<char*>(numbers.data()));
    return numbers;
  }

  template <typename T>
  static Result<T> number_of(const OrtOpAttr* attribute, OrtOpAttrType type) {
    T number{};
    size_t size = 0;
    NNRT_TRY(taken(ort().ReadOpAttr(attribute, type, &number, sizeof number, &size)));
    return number;
  }

  Status read_attribute(const OrtOpAttr* attribute, OrtOpAttrType type, AttributeProto& made) {
    switch (type) {
      case ORT_OP_ATTR_INT: {
        NNRT_ASSIGN(const int64_t number, number_of<int64_t>(attribute, type));
        made.set_i(number);
        made.set_type(kInt);
        return {};
      }
      case ORT_OP_ATTR_FLOAT: {
        NNRT_ASSIGN(const float number, number_of<float>(attribute, type));
        made.set_f(number);
        made.set_type(kFloat);
        return {};
      }
      case ORT_OP_ATTR_INTS: {
        NNRT_ASSIGN(*made.mutable_ints(), numbers_of<int64_t>(attribute, type));
        made.set_type(kInts);
        return {};
      }
      case ORT_OP_ATTR_FLOATS: {
        NNRT_ASSIGN(*made.mutable_floats(), numbers_of<float>(attribute, type));
        made.set_type(kFloats);
        return {};
      }
      default: return read_other_attribute(attribute, type, made);
    }
  }

  Status read_other_attribute(const OrtOpAttr* attribute, OrtOpAttrType type, AttributeProto& made) {
    if (type == ORT_OP_ATTR_STRING || type == ORT_OP_ATTR_STRINGS) {
      NNRT_ASSIGN(const std::string bytes, bytes_of(attribute, type));
      std::vector<std::string> texts;  // each ends with a zero
      for (size_t at = 0; at < bytes.size();) {
        const size_t end = std::min(bytes.find('\0', at), bytes.size());
        texts.push_back(bytes.substr(at, end - at));
        at = end + 1;
      }
      made.set_type(type == ORT_OP_ATTR_STRING ? kString : kStrings);
      if (type == ORT_OP_ATTR_STRING)
        made.set_s(texts.empty() ? "" : texts.front());
      else
        *made.mutable_strings() = std::move(texts);
      return {};
    }
    if (type != ORT_OP_ATTR_TENSOR) return {};
    OrtValue* value = nullptr;
    NNRT_TRY(taken(ort().OpAttr_GetTensorAttributeAsOrtValue(attribute, &value)));
    if (value == nullptr) return {};
    const Released<OrtValue> owned(value, ort().ReleaseValue);
    NNRT_ASSIGN(*made.mutable_t(), read_copy(value));
    made.set_type(kTensor);
    return {};
  }

  // With the data in the message.
  Result<TensorProto> read_copy(const OrtValue* value) {
    NNRT_ASSIGN(TensorProto tensor, read_tensor(value));
    if (tensor.has_payload()) {
      const ByteView data = reading_.graph.data.back();
      reading_.graph.data.pop_back();
      tensor.clear_payload();
      tensor.set_raw_data(data.data(), data.size());
    }
    return tensor;
  }

  OrtGraphReading reading_;
};

}  // namespace

Result<OrtGraphReading> read_graph(const OrtGraph* graph) { return Reader().read(graph); }

Result<Boundary> boundary_of(const OrtNode* node) {
  Boundary boundary;
  NNRT_ASSIGN(const auto inputs, items_of<OrtValueInfo>(node, ort().Node_GetNumInputs, ort().Node_GetInputs));
  NNRT_ASSIGN(const auto outputs,
              items_of<OrtValueInfo>(node, ort().Node_GetNumOutputs, ort().Node_GetOutputs));
  for (const OrtValueInfo* const value : inputs) {
    NNRT_ASSIGN(boundary.inputs.emplace_back(), name_of(value));
  }
  for (const OrtValueInfo* const value : outputs) {
    NNRT_ASSIGN(boundary.outputs.emplace_back(), name_of(value));
  }
  return boundary;
}

Result<std::string> name_of(const OrtNode* node) {
  const char* name = nullptr;
  NNRT_TRY(taken(ort().Node_GetName(node, &name)));
  return std::string(name);
}

}  // namespace nnrt::ep
