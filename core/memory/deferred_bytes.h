// Bytes that are read from a file when they are first needed, at addresses that are known before.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <exception>
#include <functional>
#include <span>
#include <utility>

namespace nnrt {

// Fills memory with verified contents. May be called by any thread, and again after an error.
using FillBytes = std::function<Status(std::span<std::byte>)>;

// Reserves addresses for the bytes, of which `used` are visible. Their size can be used at once; to access
// the contents before ensure_read() is a bug, and crashes the process. Throws std::bad_alloc.
SharedBytes deferred_bytes(size_t bytes, size_t used, FillBytes fill);

// Whether these are deferred bytes, or a part of some, that are not read yet.
bool is_deferred(const SharedBytes& bytes);

// Reads deferred bytes; no effect on others.
Status ensure_read(const SharedBytes& bytes);

// Thrown where no error can be returned.
class UnreadableBytes final : public std::exception {
 public:
  explicit UnreadableBytes(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

}  // namespace nnrt
