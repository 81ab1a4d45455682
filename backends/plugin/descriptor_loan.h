// Lends file descriptors to drivers: duplicates for the duration of one call, as a driver in another process
// would get them. If a driver closes them, nobody loses a file.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <vector>

namespace nnrt::plugin {

class DescriptorLoan {
 public:
  DescriptorLoan() = default;
  ~DescriptorLoan();  // end of the call: closes what the driver left open
  DescriptorLoan(const DescriptorLoan&) = delete;
  DescriptorLoan& operator=(const DescriptorLoan&) = delete;

  // Duplicates `fd`. If the process has no free descriptor, returns this loan's last duplicate of the same
  // fd, or Code::memory if there is none.
  Result<int> lend(int fd);

 private:
  struct Loan {
    int number, of;
  };
  std::vector<Loan> loans_;
};

}  // namespace nnrt::plugin
