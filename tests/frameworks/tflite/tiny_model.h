// Writes small TFLite files, with flatbuffers' headers alone: the importer's libraries do not load
// everywhere.
#pragma once

#include <tflite_generated.h>

#include <string>
#include <vector>

namespace nnrt::test {

namespace tiny_format = import::tflite::format;

class TinyModel {
 public:
  TinyModel();

  int32_t tensor(tiny_format::TensorType type, std::vector<int32_t> shape);
  int32_t floats(std::vector<int32_t> shape) {
    return tensor(tiny_format::TensorType::FLOAT32, std::move(shape));
  }
  int32_t constant(std::vector<int32_t> shape, const std::vector<float>& values);
  // Keeps its contents from run to run.
  int32_t variable(std::vector<int32_t> shape);
  int32_t input(int32_t tensor);
  void output(int32_t tensor) { graph().outputs.push_back(tensor); }
  int32_t last_output() { return graph().outputs.back(); }
  void add(tiny_format::BuiltinOperator code, std::vector<int32_t> inputs, std::vector<int32_t> outputs) {
    add(code, std::move(inputs), std::move(outputs), {});
  }
  void add(tiny_format::BuiltinOperator code, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
           tiny_format::BuiltinOptionsUnion options);
  // Further tensors and operators go to a new graph.
  int32_t begin_graph();
  void return_to(int32_t graph) { current_ = static_cast<size_t>(graph); }

  // Returns the path.
  std::string write(const std::string& path) const;

 private:
  tiny_format::SubGraphT& graph() { return *model_.subgraphs[current_]; }

  tiny_format::ModelT model_;
  size_t current_ = 0;
};

}  // namespace nnrt::test
