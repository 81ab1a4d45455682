// The commands of a GPU program as values: lowering makes them, unit tests look at them, recording carries
// them out.
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

// A buffer of a program: a tensor of the graph, memory for one node alone, or a constant that lowering
// packed.
struct Buffer {
  enum class Space : uint8_t { tensor, scratch, packed };
  Space space = Space::tensor;
  uint32_t id = 0;  // TensorId, or a number given by LoweringContext

  bool operator==(const Buffer&) const = default;
};

// Push constants: a struct of 32-bit members, at most 128 bytes, laid out as in the shader (std430).
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

// A part of a buffer, in bytes, from a multiple of DevicePlan::storage_alignment on; 0 bytes: all of it.
struct Slice {
  uint64_t offset = 0, bytes = 0;

  bool operator==(const Slice&) const = default;
};

// One vkCmdDispatch. The shader itself says which buffers it reads and writes (readonly, writeonly), but for
// those that it only writes for some constants.
struct Dispatch {
  std::string_view shader;          // "unary_f32"
  std::vector<uint32_t> constants;  // specialization constants, from id 3 on; 0..2 are the local size
  Push push;
  std::vector<Buffer> buffers;  // in the order of the shader's bindings, set 0
  Size3 threads{1, 1, 1};       // invocations wanted; rounded up to whole groups
  Size3 local{64, 1, 1};
  std::vector<Slice> slices = {};  // for the buffers that are not bound whole, by binding
  uint32_t write_only = 0;         // bindings, as bits, that it does not read
  uint32_t fp16_bindings = 0;      // bindings, as bits, whose floats are stored in fp16; see fp16_storage.h
  uint32_t rounded_bindings = 0;   // those whose floats are rounded to fp16; see rounded_floats.h
  // Upper bound of the iterations of an invocation's loops that grow with the shapes (loop_limit.h).
  uint64_t iterations = 0;
};

// vkCmdCopyBuffer: any offset and size, in bytes.
struct Copy {
  struct Piece {
    size_t from = 0, to = 0, bytes = 0;
  };
  Buffer from, to;
  std::vector<Piece> pieces;
};

// vkCmdFillBuffer over a whole buffer (rounded up to words).
struct Fill {
  Buffer to;
  uint32_t word = 0;
};

using Command = std::variant<Dispatch, Copy, Fill>;

}  // namespace nnrt::vulkan
