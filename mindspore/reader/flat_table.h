// Reads FlatBuffers by field id, without generated code. Damage is recorded rather than returned: a damaged
// field reads as absent, and FlatBuffer::status() tells.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "mindspore/reader/mapped_memory.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nnrt::mindspore {

static_assert(std::endian::native == std::endian::little, "FlatBuffers are little-endian.");

// The memory that tables are in: a file, or a client's memory of unknown size.
class FlatBuffer {
 public:
  explicit FlatBuffer(ByteView file);
  // Of a client: nothing outside of `extent`, or of what is mapped, is read.
  explicit FlatBuffer(const MappedMemory& memory, AddressRange extent = {0, ~uintptr_t{0}})
      : memory_(&memory), begin_(extent.begin), end_(extent.end) {}
  FlatBuffer(const FlatBuffer&) = delete;
  FlatBuffer& operator=(const FlatBuffer&) = delete;

  bool contains(uintptr_t address, size_t bytes) const;
  bool has_known_size() const { return memory_ == nullptr; }
  // Accounts for elements copied from a file: vectors may overlap, so their sum can exceed the file's size.
  bool spend(size_t bytes) const;
  void set_damaged() const { damaged_ = true; }
  Status status() const;

 private:
  const MappedMemory* memory_ = nullptr;  // null: a file
  uintptr_t begin_ = 0, end_ = 0;
  mutable size_t left_ = ~size_t{0};
  mutable bool damaged_ = false;
};

class FlatTables;

class FlatTable {
 public:
  // An absent table: all fields are absent.
  FlatTable() = default;
  // The root of a file.
  static FlatTable root(const FlatBuffer& buffer, ByteView file);
  // A client's table.
  static FlatTable at(const FlatBuffer& buffer, const void* table);

  explicit operator bool() const { return buffer_ != nullptr; }
  bool has(size_t id) const { return field(id, 1) != 0; }
  // Ids from there on are absent.
  size_t id_count() const { return buffer_ == nullptr ? 0 : vtable_bytes_ / sizeof(uint16_t) - 2; }

  template <typename T>
  T number(size_t id, T fallback = {}) const {
    const uintptr_t place = field(id, sizeof(T));
    if (place == 0) return fallback;
    if constexpr (std::is_same_v<T, bool>) {
      return load<uint8_t>(place) != 0;
    } else {
      return load<T>(place);
    }
  }
  // Converted to T. Empty if absent.
  template <typename Stored, typename T = Stored>
  std::vector<T> numbers(size_t id) const {
    const Elements elements = vector(id, sizeof(Stored));
    if (elements.count == 0 || !is_plausible(elements.count) || !buffer_->spend(elements.count * sizeof(T)))
      return {};
    std::vector<T> values(elements.count);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(load<Stored>(elements.first + i * sizeof(Stored)));
    return values;
  }
  std::string_view text(size_t id) const;
  // Not copied.
  ByteView bytes(size_t id) const;
  FlatTable table(size_t id) const;
  FlatTables tables(size_t id) const;

 private:
  friend class FlatTables;
  struct Elements {
    uintptr_t first = 0;
    size_t count = 0;
  };

  template <typename T>
  static T load(uintptr_t address) {
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(T));
    return value;
  }
  static FlatTable checked(const FlatBuffer& buffer, uintptr_t table);
  static uintptr_t target(const FlatBuffer& buffer, uintptr_t place);
  // The address of a field of that size; 0 if absent.
  uintptr_t field(size_t id, size_t bytes) const;
  Elements vector(size_t id, size_t element_bytes) const;
  // Limits lists in memory of unknown size, apart from bytes.
  bool is_plausible(size_t count) const;

  const FlatBuffer* buffer_ = nullptr;
  uintptr_t table_ = 0, vtable_ = 0;
  size_t vtable_bytes_ = 0, table_bytes_ = 0;
};

class FlatTables {
 public:
  FlatTables() = default;
  FlatTables(const FlatBuffer& buffer, uintptr_t first, size_t count)
      : buffer_(&buffer), first_(first), count_(count) {}

  size_t size() const { return count_; }
  FlatTable operator[](size_t i) const;

 private:
  const FlatBuffer* buffer_ = nullptr;
  uintptr_t first_ = 0;
  size_t count_ = 0;
};

}  // namespace nnrt::mindspore
