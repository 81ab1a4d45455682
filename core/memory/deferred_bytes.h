// Bytes that are read from a file, or transposed, when they are first needed, at addresses that are known
// before.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/shape.h"

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

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
// The same for several, which are transposed in parallel.
Status ensure_read(std::span<const SharedBytes> constants);

// A constant as the client stores it: dimension d of the constant is dimension order[d] of `data`, which is
// aligned for its elements and has `shape`.
struct StoredOrder {
  SharedBytes data;
  Shape shape;
  std::vector<size_t> order;
  size_t element_bytes = 0;
};
// Deferred bytes that ensure_read() transposes. Throws std::bad_alloc.
SharedBytes deferred_transpose(StoredOrder stored);
// What such bytes will be transposed from; null once that has been done, and for all others. Kernels that
// pack from it save the transpose.
std::shared_ptr<const StoredOrder> stored_order(const SharedBytes& bytes);

// Thrown by require_read().
class UnreadableBytes final : public std::exception {
 public:
  explicit UnreadableBytes(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

// ensure_read() for functions that cannot return an error.
void require_read(const SharedBytes& bytes);

}  // namespace nnrt
