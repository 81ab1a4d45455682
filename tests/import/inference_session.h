// Runs an imported network through the C API.
#pragma once

#include "tools/import/network/network.h"
#include "tools/import/nn_handles.h"

#include <map>
#include <span>
#include <string>

namespace nnrt::test {

using import::Bytes;
using import::Shape;

struct Value {
  Shape shape;
  Bytes bytes;
};

class Session {
 public:
  // On the first device of the type.
  static Result<Session> open(const import::Network& network, OH_NN_DeviceType device_type);

  // `shapes` are the expected output shapes. `shared` are outputs written over an input, by output.
  Result<std::vector<Value>> run(std::span<const Value> inputs, std::span<const Shape> shapes,
                                 const std::map<size_t, size_t>& shared = {});
  // OH_NNRt_MayShareMemory
  bool may_share(size_t input, size_t output) const;

  const std::string& device_name() const { return device_name_; }
  // The number of operations per device.
  const std::map<std::string, int>& placement() const { return placement_; }

 private:
  Status build(const import::Network& network);
  Status read_placement(const std::string& path);

  size_t device_ = 0;
  std::string device_name_;
  std::map<std::string, int> placement_;
  import::CompilationHandle compilation_;
  import::ExecutorHandle executor_;
};

// One run on the CPU. `shapes` are the expected output shapes.
Result<std::vector<Value>> run_on_cpu(const import::Network& network, std::span<const Value> inputs,
                                      std::span<const Shape> shapes);

}  // namespace nnrt::test
