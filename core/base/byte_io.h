// Serialization in the machine's byte order, as used by caches and between processes.
#pragma once

#include "core/base/divide_up.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace nnrt {

// Types that can be copied bytewise. Structs must have no padding, whose contents are unspecified.
template <typename T>
concept Plain = std::is_trivially_copyable_v<T> &&
    (std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);

// The members of a struct, in the order in which they are written: std::tuple(&T::a, &T::b).
template <typename T>
inline constexpr auto kMembers = std::tuple();
// The last valid value of an enumeration.
template <typename T>
inline constexpr auto kLast = nullptr;
// For other types: static void put(ByteWriter&, const T&); static T get(ByteReader&).
template <typename T>
struct Stored;

template <typename T>
concept Struct = !std::is_same_v<decltype(kMembers<T>), const std::tuple<>>;

class ByteWriter {
 public:
  // Writes plain types as their bytes; strings and containers start with a 64-bit count.
  template <typename T>
  void put(const T& value) {
    if constexpr (requires { &Stored<T>::put; }) {
      Stored<T>::put(*this, value);
    } else if constexpr (Struct<T>) {
      std::apply([&](auto... member) { (put(value.*member), ...); }, kMembers<T>);
    } else if constexpr (Plain<T>) {
      bytes(std::as_bytes(std::span(&value, 1)));
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      std::apply([&](const auto&... element) { (put(element), ...); }, value);
    } else if constexpr (requires { list(std::span(value)); }) {
      list(std::span(value));
    } else {
      put(uint64_t{value.size()});
      for (const auto& element : value) put(element);
    }
  }
  // The count (64 bits), followed by the elements.
  template <Plain T>
  void list(std::span<const T> values) {
    put(uint64_t(values.size()));
    bytes(std::as_bytes(values));
  }
  void text(std::string_view text) { list(std::span(text.data(), text.size())); }
  void bytes(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  // Pads with zeros to a multiple of `alignment`.
  void align(size_t alignment) { bytes_.resize(round_up(bytes_.size(), alignment)); }
  // Pads with zeros to this size.
  void pad_to(size_t size) { bytes_.resize(size > bytes_.size() ? size : bytes_.size()); }
  void reserve(size_t bytes) { bytes_.reserve(bytes); }

  size_t size() const { return bytes_.size(); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Reads untrusted bytes. The first read beyond the end, or of an invalid value, sets a permanent error; later
// reads return zeros and empty lists. Callers need not check before status(), but must bound loops by
// count().
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // What put() wrote.
  template <typename T>
  T get() {
    if constexpr (requires { &Stored<T>::get; }) {
      return Stored<T>::get(*this);
    } else if constexpr (std::is_same_v<T, bool>) {
      return flag();
    } else if constexpr (std::is_enum_v<T>) {
      return choice(kLast<T>);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return std::string(text());
    } else if constexpr (requires { typename T::mapped_type; }) {
      const auto all = get_all<std::vector<std::pair<typename T::key_type, typename T::mapped_type>>>();
      return T(all.begin(), all.end());
    } else if constexpr (requires(T values) { values.push_back({}); }) {
      return get_all<T>();
    } else {
      T value{};
      if constexpr (Struct<T>) {
        std::apply([&](auto... member) { fill(value.*member...); }, kMembers<T>);
      } else if constexpr (Plain<T>) {
        if (const auto from = bytes(sizeof(T)); !from.empty()) std::memcpy(&value, from.data(), sizeof(T));
      } else {
        std::apply([&](auto&... element) { fill(element...); }, value);
      }
      return value;
    }
  }
  bool flag() { return number<uint8_t>(1) == 1; }
  // Error if above `max`.
  template <typename T>
  T number(T max) {
    const T value = get<T>();
    if (value <= max) return value;
    fail("A number is out of range.");
    return T{};
  }
  template <typename T>
  requires std::is_enum_v<T> T choice(T max) {
    return T(number<std::underlying_type_t<T>>(std::underlying_type_t<T>(max)));
  }
  // Reads an element count, limited to what the remaining bytes can hold at `bytes_each` each.
  size_t count(size_t bytes_each) {
    const auto count = get<uint64_t>();
    if (count <= (bytes_.size() - at_) / (bytes_each > 0 ? bytes_each : 1)) return size_t(count);
    fail("A count exceeds the remaining data.");
    return 0;
  }
  template <Plain T>
  std::vector<T> list() {
    std::vector<T> values(count(sizeof(T)));
    if (const auto from = bytes(values.size() * sizeof(T)); !from.empty()) {
      std::memcpy(values.data(), from.data(), from.size());
    }
    return values;
  }
  std::string_view text() {
    const auto from = bytes(count(1));
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }
  // The next bytes; empty if there are not enough.
  std::span<const std::byte> bytes(uint64_t count) {
    if (bad() || count > bytes_.size() - at_) {
      fail("Unexpected end of data.");
      return {};
    }
    at_ += size_t(count);
    return bytes_.subspan(at_ - size_t(count), size_t(count));
  }
  // Skips the padding of ByteWriter::align(), which must be zeros.
  void align(size_t alignment) {
    for (const std::byte padding : bytes((alignment - at_ % alignment) % alignment)) {
      if (padding != std::byte{0}) return fail("The padding between sections is not zero.");
    }
  }

  void fail(std::string_view reason) {
    if (reason_.empty()) reason_ = reason;
  }
  bool bad() const { return !reason_.empty(); }
  size_t position() const { return at_; }
  bool at_end() const { return at_ == bytes_.size(); }
  // Code::invalid_file on error.
  Status status() const {
    if (!bad()) return {};
    return Error{Code::invalid_file, reason_ + " (At byte " + std::to_string(at_) + ".)"};
  }

 private:
  template <typename... T>
  void fill(T&... values) {
    ((values = get<T>()), ...);
  }
  template <typename T>
  T get_all() {
    using One = typename T::value_type;
    if constexpr (Plain<One> && (!std::is_enum_v<One> || std::is_same_v<One, std::byte>)) {
      return list<One>();
    } else {
      T values;
      for (size_t left = count(least_bytes<One>()); left > 0 && !bad(); --left) values.push_back(get<One>());
      return values;
    }
  }
  template <typename T>
  static size_t least_bytes() {
    static const size_t bytes = [] {
      ByteWriter writer;
      writer.put(T{});
      return writer.size();
    }();
    return bytes;
  }

  const std::span<const std::byte> bytes_;
  size_t at_ = 0;
  std::string reason_;
};

}  // namespace nnrt
