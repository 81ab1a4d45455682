// The commands of a GPU program as values: created by lowering, inspected by unit tests, executed by
// recording.
#pragma once

#include "core/graph/graph.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace nnrt::vulkan {

// A buffer of a program: a tensor of the graph, scratch memory of one node, or a packed constant.
struct Buffer {
  enum class Space : uint8_t { tensor, scratch, packed };
  Space space = Space::tensor;
  uint32_t id = 0;  // TensorId, or a number from CommandSink

  bool operator==(const Buffer&) const = default;
};

// Push constants: a struct of 32-bit members, at most 128 bytes, with the shader's layout (std430).
class Push {
 public:
  static constexpr size_t kMax = 128;

  Push() = default;
  template <typename T>
  explicit Push(const T& value) : size_(sizeof(T)) {
    static_assert(sizeof(T) <= kMax && std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0);
    std::memcpy(bytes_.data(), &value, sizeof(T));
  }

  const std::byte* data() const { return bytes_.data(); }
  size_t size() const { return size_; }

 private:
  std::array<std::byte, kMax> bytes_{};
  size_t size_ = 0;
};

using Size3 = std::array<uint32_t, 3>;

// A range of a buffer in bytes; `offset` is a multiple of DevicePlan::storage_alignment. 0 bytes: up to the
// end of the buffer.
struct Slice {
  uint64_t offset = 0, bytes = 0;

  bool operator==(const Slice&) const = default;
};

// One vkCmdDispatch. The shader's readonly and writeonly qualifiers say which buffers it reads and writes;
// `write_only` adds what depends on constants.
struct Dispatch {
  std::string_view shader;          // "unary_f32"
  std::vector<uint32_t> constants;  // specialization constants from id 3; 0..2 are the local size
  Push push;
  std::vector<Buffer> buffers;  // by binding of set 0
  Size3 threads{1, 1, 1};       // invocations, rounded up to whole workgroups
  Size3 local{64, 1, 1};
  std::vector<Slice> slices = {};  // by binding, for buffers that are bound in part
  uint32_t write_only = 0;         // bit mask of bindings that it does not read
  uint32_t fp16_bindings = 0;      // bit mask of bindings whose floats are stored as fp16; see fp16_storage.h
  // Bit mask of bindings whose floats are rounded to fp16; see rounded_floats.h.
  uint32_t rounded_bindings = 0;
  // Upper bound of an invocation's loop iterations, for loops that depend on shapes (loop_limit.h).
  uint64_t iterations = 0;
};

// vkCmdCopyBuffer, with any byte offsets and sizes.
struct Copy {
  struct Piece {
    size_t from = 0, to = 0, bytes = 0;
  };
  Buffer from, to;
  std::vector<Piece> pieces;
};

// vkCmdFillBuffer over an entire buffer, rounded up to words.
struct Fill {
  Buffer to;
  uint32_t word = 0;
};

using Command = std::variant<Dispatch, Copy, Fill>;

}  // namespace nnrt::vulkan
