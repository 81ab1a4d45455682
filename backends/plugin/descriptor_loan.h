// File descriptors as drivers get them: duplicates for the length of one call, as a driver in a process of
// its own gets them. A driver that closes one costs neither the runtime, nor the client, nor itself a file.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <vector>

namespace nnrt::plugin {

class DescriptorLoan {
 public:
  DescriptorLoan() = default;
  ~DescriptorLoan();  // the call is over: closes what the driver has not closed
  DescriptorLoan(const DescriptorLoan&) = delete;
  DescriptorLoan& operator=(const DescriptorLoan&) = delete;

  // A new duplicate of `fd`. If the process can have no further one, the last that this loan has of the same
  // fd; memory: there is none.
  Result<int> lend(int fd);

 private:
  struct Lent {
    int number, of;
  };
  std::vector<Lent> lent_;
};

}  // namespace nnrt::plugin
