// Failures of the runtime as exceptions, translated to nnrt.Error for Python.
#pragma once

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <stdexcept>
#include <string>

namespace nnrt::python {

class Failure : public std::runtime_error {
 public:
  Failure(OH_NN_ReturnCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  OH_NN_ReturnCode code() const { return code_; }

 private:
  OH_NN_ReturnCode code_;
};

// The message of the last failed call of this thread.
std::string last_error();

// Throws with the runtime's message if a call failed. Call it on the thread of that call.
void check(OH_NN_ReturnCode code);

// The same for calls that return a handle, null on failure.
template <typename Handle>
Handle own(typename Handle::pointer made) {
  if (made == nullptr) throw Failure(OH_NN_FAILED, last_error());
  return Handle(made);
}

[[noreturn]] void refuse(const std::string& sentence);

}  // namespace nnrt::python
