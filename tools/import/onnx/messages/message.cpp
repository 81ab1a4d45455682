#include "tools/import/onnx/messages/message.h"

#include "tools/import/onnx/messages/onnx_messages.h"

#include <cstring>
#include <type_traits>

namespace nnrt::onnx_file {
namespace {

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr int kMaxDepth = 100;
constexpr uint64_t kMaxNumber = (uint64_t{1} << 29) - 1;

template <typename T>
constexpr WireType kWireType = std::is_same_v<T, float>    ? kFixed32
                               : std::is_same_v<T, double> ? kFixed64
                                                           : kVarint;

// Takes values from the front of `bytes`; each function returns false if they are too short.
bool take_varint(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 70 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (shift < 64) value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool take_bytes(std::string_view& bytes, uint64_t size, std::string_view& taken) {
  if (size > bytes.size()) return false;
  taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

template <typename T>
bool take(std::string_view& bytes, T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    std::string_view raw;
    if (!take_bytes(bytes, sizeof value, raw)) return false;
    std::memcpy(&value, raw.data(), sizeof value);
    return true;
  } else {
    uint64_t varint = 0;
    if (!take_varint(bytes, varint)) return false;
    value = static_cast<T>(varint);
    return true;
  }
}

struct WireField {
  uint32_t type = 0;
  std::string_view contents;  // without the length
};

// Moves `bytes` past the contents. Groups, which ONNX has none of, are damage.
bool take_contents(std::string_view& bytes, WireField& field) {
  uint64_t number = 0;
  const std::string_view begin = bytes;
  switch (field.type) {
    case kVarint:
      if (!take_varint(bytes, number)) return false;
      field.contents = begin.substr(0, begin.size() - bytes.size());
      return true;
    case kFixed64: return take_bytes(bytes, sizeof(uint64_t), field.contents);
    case kFixed32: return take_bytes(bytes, sizeof(uint32_t), field.contents);
    case kBytes: return take_varint(bytes, number) && take_bytes(bytes, number, field.contents);
    default: return false;
  }
}

enum class Read : uint8_t { done, unknown, damaged };

template <typename M>
bool read_message(M& message, std::string_view bytes, int depth);

template <typename T>
requires std::is_arithmetic_v<T> Read read_field(std::optional<T>& to, WireField field, int) {
  if (field.type != kWireType<T>) return Read::unknown;
  return take(field.contents, to.emplace()) ? Read::done : Read::damaged;
}

Read read_field(std::optional<std::string>& to, WireField field, int) {
  if (field.type != kBytes) return Read::unknown;
  to = field.contents;
  return Read::done;
}

Read read_field(std::vector<std::string>& to, WireField field, int) {
  if (field.type != kBytes) return Read::unknown;
  to.emplace_back(field.contents);
  return Read::done;
}

// Numbers are packed or single, whichever the message declares.
template <typename T>
Read read_field(std::vector<T>& to, WireField field, int) {
  if (field.type != kBytes && field.type != kWireType<T>) return Read::unknown;
  if (field.type == kBytes && kWireType<T> != kVarint) {
    if (field.contents.size() % sizeof(T) != 0) return Read::damaged;
    const size_t size = to.size();
    to.resize(size + field.contents.size() / sizeof(T));
    if (!field.contents.empty()) std::memcpy(to.data() + size, field.contents.data(), field.contents.size());
    return Read::done;
  }
  while (!field.contents.empty()) {
    if (!take(field.contents, to.emplace_back())) return Read::damaged;
  }
  return Read::done;
}

template <typename T>
Read read_field(Child<T>& to, WireField field, int depth) {
  if (field.type != kBytes) return Read::unknown;
  return read_message(to.made(), field.contents, depth + 1) ? Read::done : Read::damaged;
}

template <typename T>
Read read_field(Messages<T>& to, WireField field, int depth) {
  if (field.type != kBytes) return Read::unknown;
  return read_message(to.add(), field.contents, depth + 1) ? Read::done : Read::damaged;
}

template <typename M>
bool read_message(M& message, std::string_view bytes, int depth) {
  if (depth > kMaxDepth) return false;
  while (!bytes.empty()) {
    const std::string_view begin = bytes;
    uint64_t key = 0;
    if (!take_varint(bytes, key) || key >> 3 == 0 || key >> 3 > kMaxNumber) return false;
    WireField field{static_cast<uint32_t>(key & 7), {}};
    if (!take_contents(bytes, field)) return false;
    Read read = Read::unknown;
    M::fields(message, [&](uint32_t number, auto& member, bool) {
      if (number == key >> 3) read = read_field(member, field, depth);
    });
    if (read == Read::damaged) return false;
    if (read == Read::unknown) message.unknown_fields.append(begin.substr(0, begin.size() - bytes.size()));
  }
  return true;
}

struct Counter {
  size_t size = 0;
  void put(char) { ++size; }
  void put(const void*, size_t count) { size += count; }
};

struct Text {
  std::string text;
  void put(char byte) { text.push_back(byte); }
  void put(const void* bytes, size_t count) { text.append(static_cast<const char*>(bytes), count); }
};

template <typename Sink>
void put_varint(Sink& sink, uint64_t value) {
  for (; value >= 0x80; value >>= 7) sink.put(static_cast<char>(value | 0x80));
  sink.put(static_cast<char>(value));
}

template <typename Sink>
void put_key(Sink& sink, uint32_t number, WireType type) {
  put_varint(sink, uint64_t{number} << 3 | type);
}

template <typename Sink, typename T>
void put_number(Sink& sink, T value) {
  if constexpr (std::is_floating_point_v<T>)
    sink.put(&value, sizeof value);
  else if constexpr (std::is_signed_v<T>)
    put_varint(sink, static_cast<uint64_t>(int64_t{value}));
  else
    put_varint(sink, value);
}

template <typename Sink, typename M>
void write_message(Sink& sink, const M& message);

template <typename M>
size_t size_of(const M& message) {
  Counter counter;
  write_message(counter, message);
  return counter.size;
}

template <typename Sink>
void write_text(Sink& sink, uint32_t number, const std::string& text) {
  put_key(sink, number, kBytes);
  put_varint(sink, text.size());
  sink.put(text.data(), text.size());
}

template <typename Sink, typename M>
void write_child(Sink& sink, uint32_t number, const M& message) {
  put_key(sink, number, kBytes);
  const size_t size = size_of(message);
  put_varint(sink, size);
  if constexpr (std::is_same_v<Sink, Counter>)
    sink.size += size;  // counting again would double the time with every level
  else
    write_message(sink, message);
}

template <typename Sink, typename T>
void write_field(Sink& sink, uint32_t number, const std::optional<T>& value, bool) {
  if (!value) return;
  if constexpr (std::is_same_v<T, std::string>) {
    write_text(sink, number, *value);
  } else {
    put_key(sink, number, kWireType<T>);
    put_number(sink, *value);
  }
}

template <typename Sink, typename T>
void write_packed(Sink& sink, uint32_t number, const std::vector<T>& values) {
  Counter counter;
  for (const T value : values) put_number(counter, value);
  put_key(sink, number, kBytes);
  put_varint(sink, counter.size);
  for (const T value : values) put_number(sink, value);
}

template <typename Sink, typename T>
void write_field(Sink& sink, uint32_t number, const std::vector<T>& values, bool packed) {
  if constexpr (std::is_same_v<T, std::string>) {
    for (const std::string& text : values) write_text(sink, number, text);
  } else if (packed) {
    if (!values.empty()) write_packed(sink, number, values);
  } else {
    for (const T value : values) {
      put_key(sink, number, kWireType<T>);
      put_number(sink, value);
    }
  }
}

template <typename Sink, typename T>
void write_field(Sink& sink, uint32_t number, const Child<T>& child, bool) {
  if (child) write_child(sink, number, child.get());
}

template <typename Sink, typename T>
void write_field(Sink& sink, uint32_t number, const Messages<T>& messages, bool) {
  for (const T& message : messages) write_child(sink, number, message);
}

template <typename Sink, typename M>
void write_message(Sink& sink, const M& message) {
  M::fields(message, [&](uint32_t number, const auto& member, bool packed) {
    write_field(sink, number, member, packed);
  });
  sink.put(message.unknown_fields.data(), message.unknown_fields.size());
}

}  // namespace

template <typename M>
bool Message<M>::parse(std::string_view bytes) {
  M& message = static_cast<M&>(*this);
  message = M();
  return read_message(message, bytes, 0);
}

template <typename M>
std::string Message<M>::serialize() const {
  Text text;
  text.text.reserve(byte_size());
  write_message(text, static_cast<const M&>(*this));
  return std::move(text.text);
}

template <typename M>
size_t Message<M>::byte_size() const {
  return size_of(static_cast<const M&>(*this));
}

template class Message<ModelProto>;
template class Message<FunctionProto>;
template class Message<GraphProto>;
template class Message<NodeProto>;
template class Message<AttributeProto>;
template class Message<TensorProto>;

}  // namespace nnrt::onnx_file
