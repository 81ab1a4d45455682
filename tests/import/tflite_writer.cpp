#include "tests/import/tflite_writer.h"

#include "core/base/bytes_of.h"
#include "tests/import/inference_session.h"
#include "tests/import/output_compare.h"
#include "tools/import/tflite/tflite_reader.h"
#include "tools/import/write_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nnrt::test {
namespace {

template <typename T>
void append(std::vector<uint8_t>& bytes, double value) {
  const T number = static_cast<T>(value);
  const auto* begin = reinterpret_cast<const uint8_t*>(&number);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

std::vector<uint8_t> packed(const Operand& operand) {
  std::vector<uint8_t> bytes;
  for (const double value : operand.values) {
    switch (operand.type) {
      case TensorType::FLOAT32: append<float>(bytes, value); break;
      case TensorType::INT32: append<int32_t>(bytes, value); break;
      case TensorType::INT64: append<int64_t>(bytes, value); break;
      case TensorType::INT16:
      case TensorType::FLOAT16: append<int16_t>(bytes, value); break;  // as bits
      case TensorType::INT8: append<int8_t>(bytes, value); break;
      default: append<uint8_t>(bytes, value); break;
    }
  }
  return bytes;
}

OH_NN_DataType dtype_of(TensorType type) {
  switch (type) {
    case TensorType::FLOAT32: return OH_NN_FLOAT32;
    case TensorType::INT32: return OH_NN_INT32;
    case TensorType::INT64: return OH_NN_INT64;
    case TensorType::INT8: return OH_NN_INT8;
    case TensorType::INT16: return OH_NN_INT16;
    case TensorType::UINT8: return OH_NN_UINT8;
    default: return OH_NN_BOOL;
  }
}

}  // namespace

TfliteWriter::TfliteWriter() {
  model_.version = 3;
  model_.buffers.push_back(std::make_unique<format::BufferT>());
  model_.subgraphs.push_back(std::make_unique<format::SubGraphT>());
}

int32_t TfliteWriter::begin_graph() {
  model_.subgraphs.push_back(std::make_unique<format::SubGraphT>());
  return_to(static_cast<int32_t>(model_.subgraphs.size()) - 1);
  return static_cast<int32_t>(current_);
}

int32_t TfliteWriter::tensor(const Operand& operand, const std::string& name) {
  auto tensor = std::make_unique<format::TensorT>();
  const auto number = static_cast<int32_t>(graph().tensors.size());
  tensor->name = name.empty() ? std::to_string(number) : name;
  tensor->type = operand.type;
  tensor->shape = operand.shape;
  tensor->shape_signature = operand.signature;
  if (!operand.scales.empty()) {
    tensor->quantization = std::make_unique<format::QuantizationParametersT>();
    tensor->quantization->scale = operand.scales;
    tensor->quantization->zero_point = operand.zero_points;
    tensor->quantization->quantized_dimension = operand.quantized_dimension;
  }
  if (operand.is_constant) {
    tensor->buffer = static_cast<uint32_t>(model_.buffers.size());
    model_.buffers.push_back(std::make_unique<format::BufferT>());
    model_.buffers.back()->data = packed(operand);
  }
  graph().tensors.push_back(std::move(tensor));
  return number;
}

int32_t TfliteWriter::input(const Operand& operand, const std::string& name) {
  graph().inputs.push_back(tensor(operand, name));
  return graph().inputs.back();
}

void TfliteWriter::add(BuiltinOperator code, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
                       const SetOptions& set) {
  auto op_code = std::make_unique<format::OperatorCodeT>();
  op_code->builtin_code = static_cast<int32_t>(code);
  auto op = std::make_unique<format::OperatorT>();
  op->opcode_index = static_cast<uint32_t>(model_.operator_numbers.size());
  op->inputs = std::move(inputs);
  op->outputs = std::move(outputs);
  if (set) set(*op);
  model_.operator_numbers.push_back(std::move(op_code));
  graph().operators.push_back(std::move(op));
}

void TfliteWriter::add_custom(const std::string& name, std::vector<int32_t> inputs,
                              std::vector<int32_t> outputs, std::vector<uint8_t> options) {
  add(BuiltinOperator::CUSTOM, std::move(inputs), std::move(outputs),
      [&](format::OperatorT& op) { op.custom_options = std::move(options); });
  model_.operator_numbers.back()->custom_code = name;
}

Bytes TfliteWriter::finish() {
  flatbuffers::FlatBufferBuilder builder;
  format::FinishModelBuffer(builder, format::CreateModel(builder, &model_));
  return bytes_of(std::span(builder.GetBufferPointer(), builder.GetSize()));
}

namespace {

using AddOperator = std::function<void(TfliteWriter&, std::vector<int32_t>, std::vector<int32_t>)>;
Bytes operator_file(const std::vector<Operand>& operands, const std::vector<Operand>& results,
                    const AddOperator& add) {
  TfliteWriter writer;
  std::vector<int32_t> inputs, outputs;
  for (const Operand& operand : operands)
    inputs.push_back(operand.is_constant ? writer.tensor(operand) : writer.input(operand));
  for (const Operand& result : results) {
    outputs.push_back(writer.tensor(result));
    writer.output(outputs.back());
  }
  add(writer, inputs, outputs);
  return writer.finish();
}

}  // namespace

Bytes one_operator(BuiltinOperator code, const SetOptions& set, const std::vector<Operand>& operands,
                   const std::vector<Operand>& results) {
  return operator_file(operands, results, [&](TfliteWriter& writer, auto inputs, auto outputs) {
    writer.add(code, inputs, outputs, set);
  });
}

Bytes custom_operator(const std::string& name, const std::vector<Operand>& operands,
                      const std::vector<Operand>& results, std::vector<uint8_t> options) {
  return operator_file(operands, results, [&](TfliteWriter& writer, auto inputs, auto outputs) {
    writer.add_custom(name, inputs, outputs, std::move(options));
  });
}

namespace {

// What can be written computes the same when it is read back.
void check_written(const import::Network& network, const std::vector<Value>& inputs,
                   const std::vector<Shape>& shapes, const std::vector<std::vector<double>>& want,
                   const std::vector<Operand>& results) {
  const auto file = import::write_network(network, "x.tflite");
  if (!file.ok()) return;
  const auto read = import::read_tflite(file.value(), {}).value();
  const auto values = run_on_cpu(read, inputs, shapes).value();
  for (size_t i = 0; i < want.size(); ++i) {
    const auto got = as_numbers(dtype_of(results[i].type), values[i].bytes);
    ASSERT_EQ(got.size(), want[i].size());
    for (size_t k = 0; k < got.size(); ++k) {
      const double tolerance = std::abs(want[i][k]) * 1e-5 + 1e-6;
      if (std::isfinite(want[i][k])) {
        EXPECT_NEAR(got[k], want[i][k], tolerance) << "written, result " << i << ", element " << k;
      }
    }
  }
}

}  // namespace

std::vector<std::vector<double>> run(const Bytes& file, const std::vector<Operand>& operands,
                                     const std::vector<Operand>& results, const import::Options& options) {
  const import::Network network = network_of(file, options);
  std::vector<Value> inputs;
  for (const Operand& operand : operands) {
    if (operand.is_constant) continue;
    const std::vector<uint8_t> bytes = packed(operand);
    inputs.push_back({operand.shape, bytes_of(bytes)});
  }
  std::vector<Shape> shapes;
  for (const Operand& result : results) shapes.push_back(result.shape);
  const auto values = run_on_cpu(network, inputs, shapes).value();
  std::vector<std::vector<double>> numbers;
  for (size_t i = 0; i < results.size(); ++i)
    numbers.push_back(as_numbers(dtype_of(results[i].type), values[i].bytes));
  check_written(network, inputs, shapes, numbers, results);
  return numbers;
}

void check_run(const Bytes& file, const std::vector<Operand>& operands, const std::vector<Operand>& results,
               const import::Options& options, double tolerance) {
  const auto got = run(file, operands, results, options);
  ASSERT_EQ(got.size(), results.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const std::vector<double>& want = results[i].values;
    ASSERT_EQ(got[i].size(), want.size());
    const double allowed = results[i].type == TensorType::FLOAT32 ? tolerance : 0;
    for (size_t k = 0; k < want.size(); ++k)
      EXPECT_NEAR(got[i][k], want[k], allowed) << "result " << i << ", element " << k;
  }
}

nnrt::import::Network network_of(const Bytes& file, const import::Options& options) {
  return import::read_tflite(file, options).value();
}

std::vector<Op> operations(const import::Network& network) {
  std::vector<Op> types;
  for (const import::Operation& operation : network.operations) types.push_back(operation.type);
  return types;
}

std::string refusal(const Bytes& file, const import::Options& options) {
  const auto network = import::read_tflite(file, options);
  return network.ok() ? "" : network.error().message;
}

void check_case(const OperatorCase& it) {
  check_run(one_operator(it.code, it.set, it.operands, it.results), it.operands, it.results, {}, 1e-5);
}

}  // namespace nnrt::test
