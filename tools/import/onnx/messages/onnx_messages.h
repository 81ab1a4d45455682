// The messages of an ONNX file that the reader needs. Numbers and names are those of ONNX's onnx.proto.
#pragma once

#include "tools/import/onnx/messages/message.h"

namespace nnrt::onnx_file {

class GraphProto;

class Entry : public Message<Entry> {
  NNRT_ONNX_TEXT(key);
  NNRT_ONNX_TEXT(value);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.key_, false);
    visit(2, self.value_, false);
  }
};

class Dimension : public Message<Dimension> {
  NNRT_ONNX_NUMBER(int64_t, dim_value);
  NNRT_ONNX_TEXT(dim_param);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.dim_value_, false);
    visit(2, self.dim_param_, false);
  }
};

class TensorShape : public Message<TensorShape> {
  NNRT_ONNX_MESSAGES(Dimension, dim);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.dim_, false);
  }
};

class TensorType : public Message<TensorType> {
  NNRT_ONNX_NUMBER(int32_t, elem_type);
  NNRT_ONNX_CHILD(TensorShape, shape);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.elem_type_, false);
    visit(2, self.shape_, false);
  }
};

class TypeProto : public Message<TypeProto> {
  NNRT_ONNX_CHILD(TensorType, tensor_type);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.tensor_type_, false);
  }
};

class ValueInfo : public Message<ValueInfo> {
  NNRT_ONNX_TEXT(name);
  NNRT_ONNX_CHILD(TypeProto, type);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.name_, false);
    visit(2, self.type_, false);
  }
};

class TensorProto : public Message<TensorProto> {
  NNRT_ONNX_LIST(int64_t, dims);
  NNRT_ONNX_NUMBER(int32_t, data_type);
  NNRT_ONNX_LIST(float, float_data);
  NNRT_ONNX_LIST(int32_t, int32_data);
  NNRT_ONNX_LIST(std::string, string_data);
  NNRT_ONNX_LIST(int64_t, int64_data);
  NNRT_ONNX_TEXT(name);
  NNRT_ONNX_TEXT(raw_data);
  NNRT_ONNX_LIST(double, double_data);
  NNRT_ONNX_LIST(uint64_t, uint64_data);
  NNRT_ONNX_MESSAGES(Entry, external_data);
  NNRT_ONNX_NUMBER(int32_t, data_location);
  NNRT_ONNX_NUMBER(uint32_t, payload);  // index of data that the reader left in the file; not in files

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.dims_, false);
    visit(2, self.data_type_, false);
    visit(4, self.float_data_, true);
    visit(5, self.int32_data_, true);
    visit(6, self.string_data_, false);
    visit(7, self.int64_data_, true);
    visit(8, self.name_, false);
    visit(9, self.raw_data_, false);
    visit(10, self.double_data_, true);
    visit(11, self.uint64_data_, true);
    visit(13, self.external_data_, false);
    visit(14, self.data_location_, false);
  }
};

class SparseTensor : public Message<SparseTensor> {
  NNRT_ONNX_CHILD(TensorProto, values);
  NNRT_ONNX_CHILD(TensorProto, indices);
  NNRT_ONNX_LIST(int64_t, dims);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.values_, false);
    visit(2, self.indices_, false);
    visit(3, self.dims_, false);
  }
};

class AttributeProto : public Message<AttributeProto> {
  NNRT_ONNX_TEXT(name);
  NNRT_ONNX_NUMBER(float, f);
  NNRT_ONNX_NUMBER(int64_t, i);
  NNRT_ONNX_TEXT(s);
  NNRT_ONNX_CHILD(TensorProto, t);
  NNRT_ONNX_CHILD(GraphProto, g);
  NNRT_ONNX_LIST(float, floats);
  NNRT_ONNX_LIST(int64_t, ints);
  NNRT_ONNX_LIST(std::string, strings);
  NNRT_ONNX_NUMBER(int32_t, type);
  NNRT_ONNX_TEXT(ref_attr_name);
  NNRT_ONNX_CHILD(SparseTensor, sparse_tensor);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.name_, false);
    visit(2, self.f_, false);
    visit(3, self.i_, false);
    visit(4, self.s_, false);
    visit(5, self.t_, false);
    visit(6, self.g_, false);
    visit(7, self.floats_, false);
    visit(8, self.ints_, false);
    visit(9, self.strings_, false);
    visit(20, self.type_, false);
    visit(21, self.ref_attr_name_, false);
    visit(22, self.sparse_tensor_, false);
  }
};

class NodeProto : public Message<NodeProto> {
  NNRT_ONNX_LIST(std::string, input);
  NNRT_ONNX_LIST(std::string, output);
  NNRT_ONNX_TEXT(name);
  NNRT_ONNX_TEXT(op_type);
  NNRT_ONNX_MESSAGES(AttributeProto, attribute);
  NNRT_ONNX_TEXT(domain);
  NNRT_ONNX_TEXT(overload);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.input_, false);
    visit(2, self.output_, false);
    visit(3, self.name_, false);
    visit(4, self.op_type_, false);
    visit(5, self.attribute_, false);
    visit(7, self.domain_, false);
    visit(8, self.overload_, false);
  }
};

class GraphProto : public Message<GraphProto> {
  NNRT_ONNX_MESSAGES(NodeProto, node);
  NNRT_ONNX_TEXT(name);
  NNRT_ONNX_MESSAGES(TensorProto, initializer);
  NNRT_ONNX_MESSAGES(ValueInfo, input);
  NNRT_ONNX_MESSAGES(ValueInfo, output);
  NNRT_ONNX_MESSAGES(SparseTensor, sparse_initializer);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.node_, false);
    visit(2, self.name_, false);
    visit(5, self.initializer_, false);
    visit(11, self.input_, false);
    visit(12, self.output_, false);
    visit(15, self.sparse_initializer_, false);
  }
};

class OperatorSet : public Message<OperatorSet> {
  NNRT_ONNX_TEXT(domain);
  NNRT_ONNX_NUMBER(int64_t, version);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.domain_, false);
    visit(2, self.version_, false);
  }
};

class FunctionProto : public Message<FunctionProto> {
  NNRT_ONNX_TEXT(name);
  NNRT_ONNX_LIST(std::string, input);
  NNRT_ONNX_LIST(std::string, output);
  NNRT_ONNX_LIST(std::string, attribute);
  NNRT_ONNX_MESSAGES(NodeProto, node);
  NNRT_ONNX_MESSAGES(OperatorSet, opset_import);
  NNRT_ONNX_TEXT(domain);
  NNRT_ONNX_MESSAGES(AttributeProto, attribute_proto);
  NNRT_ONNX_TEXT(overload);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.name_, false);
    visit(4, self.input_, false);
    visit(5, self.output_, false);
    visit(6, self.attribute_, false);
    visit(7, self.node_, false);
    visit(9, self.opset_import_, false);
    visit(10, self.domain_, false);
    visit(11, self.attribute_proto_, false);
    visit(13, self.overload_, false);
  }
};

class ModelProto : public Message<ModelProto> {
  NNRT_ONNX_NUMBER(int64_t, ir_version);
  NNRT_ONNX_CHILD(GraphProto, graph);
  NNRT_ONNX_MESSAGES(OperatorSet, opset_import);
  NNRT_ONNX_MESSAGES(FunctionProto, functions);

 public:
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit visit) {
    visit(1, self.ir_version_, false);
    visit(7, self.graph_, false);
    visit(8, self.opset_import_, false);
    visit(25, self.functions_, false);
  }
};

}  // namespace nnrt::onnx_file
