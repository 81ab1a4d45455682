// A memory descriptor: the inputs and outputs that the memory is for, which must agree.
#pragma once

#include "nnapi/compilation/compilation.h"
#include "nnapi/memory/client_memory.h"

#include <memory>
#include <optional>
#include <vector>

namespace nnrt::nnapi {

class MemoryDesc {
 public:
  Outcome add_role(const std::shared_ptr<Compilation>& compilation, bool is_input, uint32_t index,
                   float frequency);
  Outcome set_dimensions(uint32_t rank, const uint32_t* dimensions);
  Outcome finish();

  Outcome make_memory(std::shared_ptr<ClientMemory>& made) const;

 private:
  Outcome require_open() const;
  Result<std::shared_ptr<SharedMemory>> allocate(size_t bytes) const;

  std::vector<Role> roles_;
  std::vector<std::shared_ptr<Compilation>> compilations_;  // one per role
  std::optional<Operand> operand_;                          // common to all roles
  Dimensions dimensions_;                                   // merged from roles and client
  bool finished_ = false;
};

}  // namespace nnrt::nnapi

struct ANeuralNetworksMemoryDesc {
  nnrt::nnapi::MemoryDesc desc;
};
