// Failures of the runtime as exceptions, which become nnrt.Error at the border to Python.
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

// The sentences of this thread's last call that failed.
std::string last_error();

// Throws with the runtime's sentence where a call failed. To be called in the thread of the call.
void check(OH_NN_ReturnCode code);

// The same for calls that make something, which are null where they fail.
template <typename Handle>
Handle own(typename Handle::pointer made) {
  if (made == nullptr) throw Failure(OH_NN_FAILED, last_error());
  return Handle(made);
}

[[noreturn]] void refuse(const std::string& sentence);

}  // namespace nnrt::python
