// One run at a time of a compiled group.
#pragma once

#include "tools/plugins/base/program.h"
#include "tools/plugins/onnxruntime/run/compiled_group.h"

namespace nnrt::ep {

class CompiledGroup::Runner {
 public:
  static Result<std::unique_ptr<Runner>> create(const plugins::CompiledNetwork& model);
  explicit Runner(plugins::Program program);

  Status run(std::span<const HostTensor> inputs, const Output& output);
  // In the last run.
  size_t copied_bytes() const { return copied_bytes_; }

 private:
  // The framework's memory that a tensor of the program is bound to.
  struct TensorBinding {
    const void* memory = nullptr;  // null: none, the run copies
    size_t bytes = 0;
    uint64_t buffer = 0;  // id of the shared buffer, because addresses are reused
    import::Shape shape;

    bool overlaps(const TensorBinding& other) const;
  };

  Status bind_input(size_t i, const HostTensor& host);
  Status copy_input(size_t i, const HostTensor& host, const import::Shape& shape);
  // Returns the framework's memory. Null: the shape is only known after the run.
  Result<void*> bind_output(size_t i, const Output& output);
  // Returns whether the memory is in a shared buffer. Calls `bind` with its tensor unless that is bound.
  template <typename Bind>
  Result<bool> share(TensorBinding& bound, const import::Tensor& declared, const import::Shape& shape,
                     const void* memory, const Bind& bind) const;
  // Handles an output whose memory overlaps inputs: in place where the model allows it, else the inputs are
  // copied first.
  Status separate(size_t output, std::span<const HostTensor> inputs);
  void copy(void* to, const void* from, size_t bytes);
  Status read_output(size_t i, void* memory, const Output& output);

  plugins::Program program_;
  std::vector<TensorBinding> inputs_, outputs_;
  size_t copied_bytes_ = 0;
};

}  // namespace nnrt::ep
