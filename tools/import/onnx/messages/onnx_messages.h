// The messages of an ONNX file that the reader needs. Numbers and names are those of ONNX's onnx.proto.
#pragma once

#include "tools/import/onnx/messages/message.h"

namespace nnrt::onnx_file {

class GraphProto;

class Entry : public Message<Entry> {
  NNRT_ONNX_TEXT(1, key);
  NNRT_ONNX_TEXT(2, value);
};

class Dimension : public Message<Dimension> {
  NNRT_ONNX_NUMBER(1, int64_t, dim_value);
  NNRT_ONNX_TEXT(2, dim_param);
};

class TensorShape : public Message<TensorShape> {
  NNRT_ONNX_MESSAGES(1, Dimension, dim);
};

class TensorType : public Message<TensorType> {
  NNRT_ONNX_NUMBER(1, int32_t, elem_type);
  NNRT_ONNX_CHILD(2, TensorShape, shape);
};

class TypeProto : public Message<TypeProto> {
  NNRT_ONNX_CHILD(1, TensorType, tensor_type);
};

class ValueInfo : public Message<ValueInfo> {
  NNRT_ONNX_TEXT(1, name);
  NNRT_ONNX_CHILD(2, TypeProto, type);
};

class TensorProto : public Message<TensorProto> {
  NNRT_ONNX_LIST(1, int64_t, dims);
  NNRT_ONNX_NUMBER(2, int32_t, data_type);
  NNRT_ONNX_PACKED(4, float, float_data);
  NNRT_ONNX_PACKED(5, int32_t, int32_data);
  NNRT_ONNX_LIST(6, std::string, string_data);
  NNRT_ONNX_PACKED(7, int64_t, int64_data);
  NNRT_ONNX_TEXT(8, name);
  NNRT_ONNX_TEXT(9, raw_data);
  NNRT_ONNX_PACKED(10, double, double_data);
  NNRT_ONNX_PACKED(11, uint64_t, uint64_data);
  NNRT_ONNX_MESSAGES(13, Entry, external_data);
  NNRT_ONNX_NUMBER(14, int32_t, data_location);
  NNRT_ONNX_NUMBER(0, uint32_t, payload);  // index of data that the reader left in the file; not in files
};

class SparseTensor : public Message<SparseTensor> {
  NNRT_ONNX_CHILD(1, TensorProto, values);
  NNRT_ONNX_CHILD(2, TensorProto, indices);
  NNRT_ONNX_LIST(3, int64_t, dims);
};

class AttributeProto : public Message<AttributeProto> {
  NNRT_ONNX_TEXT(1, name);
  NNRT_ONNX_NUMBER(2, float, f);
  NNRT_ONNX_NUMBER(3, int64_t, i);
  NNRT_ONNX_TEXT(4, s);
  NNRT_ONNX_CHILD(5, TensorProto, t);
  NNRT_ONNX_CHILD(6, GraphProto, g);
  NNRT_ONNX_LIST(7, float, floats);
  NNRT_ONNX_LIST(8, int64_t, ints);
  NNRT_ONNX_LIST(9, std::string, strings);
  NNRT_ONNX_NUMBER(20, int32_t, type);
  NNRT_ONNX_TEXT(21, ref_attr_name);
  NNRT_ONNX_CHILD(22, SparseTensor, sparse_tensor);
};

class NodeProto : public Message<NodeProto> {
  NNRT_ONNX_LIST(1, std::string, input);
  NNRT_ONNX_LIST(2, std::string, output);
  NNRT_ONNX_TEXT(3, name);
  NNRT_ONNX_TEXT(4, op_type);
  NNRT_ONNX_MESSAGES(5, AttributeProto, attribute);
  NNRT_ONNX_TEXT(7, domain);
  NNRT_ONNX_TEXT(8, overload);
};

class GraphProto : public Message<GraphProto> {
  NNRT_ONNX_MESSAGES(1, NodeProto, node);
  NNRT_ONNX_TEXT(2, name);
  NNRT_ONNX_MESSAGES(5, TensorProto, initializer);
  NNRT_ONNX_MESSAGES(11, ValueInfo, input);
  NNRT_ONNX_MESSAGES(12, ValueInfo, output);
  NNRT_ONNX_MESSAGES(15, SparseTensor, sparse_initializer);
};

class OperatorSet : public Message<OperatorSet> {
  NNRT_ONNX_TEXT(1, domain);
  NNRT_ONNX_NUMBER(2, int64_t, version);
};

class FunctionProto : public Message<FunctionProto> {
  NNRT_ONNX_TEXT(1, name);
  NNRT_ONNX_LIST(4, std::string, input);
  NNRT_ONNX_LIST(5, std::string, output);
  NNRT_ONNX_LIST(6, std::string, attribute);
  NNRT_ONNX_MESSAGES(7, NodeProto, node);
  NNRT_ONNX_MESSAGES(9, OperatorSet, opset_import);
  NNRT_ONNX_TEXT(10, domain);
  NNRT_ONNX_MESSAGES(11, AttributeProto, attribute_proto);
  NNRT_ONNX_TEXT(13, overload);
};

class ModelProto : public Message<ModelProto> {
  NNRT_ONNX_NUMBER(1, int64_t, ir_version);
  NNRT_ONNX_CHILD(7, GraphProto, graph);
  NNRT_ONNX_MESSAGES(8, OperatorSet, opset_import);
  NNRT_ONNX_MESSAGES(25, FunctionProto, functions);
};

}  // namespace nnrt::onnx_file
