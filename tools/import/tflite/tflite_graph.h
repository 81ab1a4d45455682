// A graph of a TensorFlow Lite file being read into the network.
#pragma once

#include "tools/import/tflite/tflite_tensors.h"

namespace nnrt::import::tflite {

// State shared by all graphs of a file.
struct File {
  // `lent`: as for TensorReader.
  File(const format::Model& verified, const LendingBuffer& bytes, std::span<const SharedBytes> lent = {})
      : File(verified, bytes, lent, total_size(bytes, lent)) {}

  const format::Model& model;
  Allowance allowance;
  NetworkBuilder builder;
  TensorReader reader;
  std::map<uint32_t, List<ReadTensor>> tensors;  // by graph, read once
  NodeBudget nodes;                              // limits subgraph expansion
  bool infers_shapes = false;  // the file lacks shapes, has those of other inputs, or contains loops
  size_t depth = 0;            // nesting depth of graphs being read

 private:
  static size_t total_size(const LendingBuffer& bytes, std::span<const SharedBytes> lent);
  File(const format::Model& verified, const LendingBuffer& bytes, std::span<const SharedBytes> lent,
       size_t total)
      : model(verified), allowance(total), builder(total), reader(verified, bytes, lent, allowance) {}
};

// The elements of a vector that may be missing.
std::span<const int32_t> numbers(const flatbuffers::Vector<int32_t>* vector);

// Checks the tensor and operator numbers of the main graph and all subgraphs it runs, and that all operators
// are supported: the error lists those that are not. Returns whether there are operators with subgraphs.
bool check_graphs(File& file);

// Errors are ConversionErrors.
class GraphReader : public Bodies {
 public:
  // `index`: a graph that check_graphs() has verified.
  GraphReader(File& file, uint32_t index);

  const format::Tensor& tensor_at(size_t number) const {
    return *(*graph_.tensors())[static_cast<flatbuffers::uoffset_t>(number)];
  }
  std::span<const int32_t> inputs() const { return numbers(graph_.inputs()); }
  std::span<const int32_t> outputs() const { return numbers(graph_.outputs()); }
  TensorSlot& slot(int32_t number) { return slots_[static_cast<size_t>(number)]; }

  void read_tensors();
  // Marks an input tensor as set.
  void take_input(int32_t number);
  size_t operator_count() const { return graph_.operators() ? graph_.operators()->size() : 0; }
  void read_operators();
  void read_operator(size_t position);
  // Makes the results of an operator that was not converted inputs, with the shapes of the file.
  void open_results(size_t position);
  // Fails if nothing writes it.
  void check_output(int32_t number) const;

  List<TensorSlot> run(int32_t graph, std::span<TensorSlot* const> inputs) override;

 private:
  std::span<const ReadTensor> tensors();
  void bind(std::span<TensorSlot* const> given);
  void infer_shapes(size_t first_operation, std::span<TensorSlot* const> outputs);
  List<TensorSlot*> slots(std::span<const int32_t> ids, bool are_read);

  File& file_;
  uint32_t index_;
  const format::SubGraph& graph_;
  List<TensorSlot> slots_;
  List<bool> is_known_;  // constant, or already written
  bool infers_shapes_ = false;
};

}  // namespace nnrt::import::tflite
