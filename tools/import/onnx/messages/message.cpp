#include "tools/import/onnx/messages/message.h"

#include "tools/import/onnx/messages/onnx_payloads.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
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

// Calls visit(number, member) for each field, in the order of the numbers.
template <typename M, typename Visit>
void visit_fields(M& message, const Visit& visit) {
  const auto visit_one = [&]<uint32_t number>(FieldNumber<number> tag) {
    if constexpr (requires { M::field(message, tag); }) visit(number, M::field(message, tag));
  };
  [&]<uint32_t... before>(std::integer_sequence<uint32_t, before...>) {
    (visit_one(FieldNumber<before + 1>()), ...);
  }
  (std::make_integer_sequence<uint32_t, kLastField>());
}

// A message's bytes, or a file that is read front to back through a window. Skipped bytes are not read.
class Input {
 public:
  explicit Input(std::string_view bytes) : size_(bytes.size()), window_(bytes) {}
  explicit Input(const ByteSource& file)
      : file_(&file), size_(file.size()), buffer_(std::min<uint64_t>(size_, kWindow)) {}

  uint64_t size() const { return size_; }
  uint64_t position() const { return position_; }
  void move_to(uint64_t position) { position_ = position; }
  // Of the file; other errors are damage.
  const Status& status() const { return status_; }

  // These fail at `end`, which is at most size().
  bool varint(uint64_t end, unsigned max_bytes, uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 7 * max_bytes; shift += 7) {
      if (position_ >= end || !fill()) return false;
      const auto byte = static_cast<unsigned char>(window_[position_++ - begin_]);
      if (shift < 64) value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  bool read(uint64_t end, void* to, uint64_t size) {
    if (size > end - position_) return false;
    for (auto* bytes = static_cast<char*>(to); size > 0;) {
      if (!fill()) return false;
      const std::string_view part = window_.substr(position_ - begin_, size);
      std::memcpy(bytes, part.data(), part.size());
      bytes += part.size();
      position_ += part.size();
      size -= part.size();
    }
    return true;
  }

 private:
  static constexpr uint64_t kWindow = uint64_t{1} << 16;

  // Makes the window contain the position, which is before the end.
  bool fill() {
    if (position_ >= begin_ && position_ - begin_ < window_.size()) return true;
    const auto part = std::span(buffer_).first(std::min<uint64_t>(buffer_.size(), size_ - position_));
    status_ = file_->read(position_, std::as_writable_bytes(part));
    begin_ = position_;
    window_ = status_.ok() ? std::string_view(part.data(), part.size()) : std::string_view();
    return status_.ok();
  }

  const ByteSource* file_ = nullptr;
  uint64_t size_;
  std::vector<char> buffer_;
  std::string_view window_;
  uint64_t begin_ = 0;  // of the window
  uint64_t position_ = 0;
  Status status_;
};

struct WireField {
  uint32_t number = 0, type = 0;
  uint64_t begin = 0, end = 0;  // of the contents, without the length

  uint64_t size() const { return end - begin; }
};

enum class ReadStatus : uint8_t { done, unknown, damaged };

ReadStatus done_if(bool is_read) { return is_read ? ReadStatus::done : ReadStatus::damaged; }

class Reader {
 public:
  explicit Reader(Input input) : input_(std::move(input)) {}
  // Leaves data of at least `min_bytes` in the file.
  Reader(const ByteSource& file, size_t min_bytes, std::vector<Payload>& payloads)
      : input_(file), min_bytes_(min_bytes), payloads_(&payloads) {}

  template <typename M>
  bool read(M& message) {
    return read_message(message, input_.size(), 0);
  }
  const Status& status() const { return input_.status(); }

 private:
  // Moves past the field. Groups, which ONNX has none of, are damage.
  bool next(uint64_t end, WireField& field) {
    constexpr unsigned kMaxKeyBytes = 5;  // and of lengths
    uint64_t number = 0;
    if (!input_.varint(end, kMaxKeyBytes, number) || number >> 3 == 0 || number >> 3 > kMaxNumber)
      return false;
    field.number = static_cast<uint32_t>(number >> 3);
    field.type = number & 7;
    uint64_t size = 0;
    if (field.type == kBytes && !input_.varint(end, kMaxKeyBytes, size)) return false;
    field.begin = input_.position();
    switch (field.type) {
      case kVarint:
        if (!input_.varint(end, kMaxVarintBytes, number)) return false;
        size = input_.position() - field.begin;
        break;
      case kFixed64: size = sizeof(uint64_t); break;
      case kFixed32: size = sizeof(uint32_t); break;
      case kBytes: break;
      default: return false;
    }
    if (size > end - field.begin) return false;
    field.end = field.begin + size;
    input_.move_to(field.end);
    return true;
  }

  template <typename M>
  bool read_message(M& message, uint64_t end, int depth) {
    if (depth > kMaxDepth) return false;
    while (input_.position() < end) {
      const uint64_t begin = input_.position();
      WireField field;
      if (!next(end, field)) return false;
      ReadStatus read = leave(message, field);
      if (read == ReadStatus::unknown) read = read_member(message, field, depth);
      if (read == ReadStatus::unknown) read = keep(message.unknown_fields, begin, field.end);
      if (read == ReadStatus::damaged) return false;
      input_.move_to(field.end);
    }
    return true;
  }

  template <typename M>
  ReadStatus read_member(M& message, const WireField& field, int depth) {
    ReadStatus read = ReadStatus::unknown;
    visit_fields(message, [&](uint32_t number, auto& member) {
      if (number != field.number) return;
      input_.move_to(field.begin);
      read = read_field(member, field, depth);
    });
    return read;
  }

  ReadStatus keep(std::string& unknown, uint64_t begin, uint64_t end) {
    input_.move_to(begin);
    const size_t size = unknown.size();
    unknown.resize(size + (end - begin));
    return done_if(input_.read(end, unknown.data() + size, end - begin));
  }

  template <typename M>
  ReadStatus leave(M&, const WireField&) {
    return ReadStatus::unknown;
  }

  // Data in several fields are joined, and become part of the message.
  ReadStatus leave(TensorProto& tensor, const WireField& field) {
    const auto number = std::ranges::find(kDataFields, field.number);
    if (number == kDataFields.end()) return ReadStatus::unknown;
    if (tensor.has_payload()) {
      const Payload& left = (*payloads_)[tensor.payload()];
      tensor.clear_payload();
      const WireField earlier{kDataFields[static_cast<size_t>(left.field)], kBytes, left.offset,
                              left.offset + left.size};
      return read_member(tensor, earlier, 0) == ReadStatus::done ? ReadStatus::unknown : ReadStatus::damaged;
    }
    const bool is_first =
        !tensor.has_raw_data() && tensor.float_data_size() == 0 && tensor.double_data_size() == 0;
    if (payloads_ == nullptr || field.type != kBytes || field.size() < min_bytes_ || !is_first)
      return ReadStatus::unknown;
    tensor.set_payload(static_cast<uint32_t>(payloads_->size()));
    payloads_->push_back(
        {field.begin, field.size(), static_cast<Payload::Field>(number - kDataFields.begin())});
    return ReadStatus::done;
  }

  template <typename T>
  bool take(uint64_t end, T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      return input_.read(end, &value, sizeof value);
    } else {
      uint64_t varint = 0;
      if (!input_.varint(end, kMaxVarintBytes, varint)) return false;
      value = static_cast<T>(varint);
      return true;
    }
  }

  template <typename T>
  requires std::is_arithmetic_v<T> ReadStatus read_field(std::optional<T>& to, const WireField& field, int) {
    return field.type == kWireType<T> ? done_if(take(field.end, to.emplace())) : ReadStatus::unknown;
  }

  ReadStatus read_field(std::optional<std::string>& to, const WireField& field, int) {
    return field.type == kBytes ? read_text(to.emplace(), field) : ReadStatus::unknown;
  }

  ReadStatus read_field(std::vector<std::string>& to, const WireField& field, int) {
    return field.type == kBytes ? read_text(to.emplace_back(), field) : ReadStatus::unknown;
  }

  ReadStatus read_text(std::string& to, const WireField& field) {
    to.resize(field.size());
    return done_if(input_.read(field.end, to.data(), field.size()));
  }

  // Numbers are packed or single, whichever the message declares.
  template <typename T>
  ReadStatus read_field(std::vector<T>& to, const WireField& field, int) {
    if (field.type != kBytes && field.type != kWireType<T>) return ReadStatus::unknown;
    if (field.type == kBytes && kWireType<T> != kVarint) {
      if (field.size() % sizeof(T) != 0) return ReadStatus::damaged;
      const size_t size = to.size();
      to.resize(size + field.size() / sizeof(T));
      return done_if(input_.read(field.end, to.data() + size, field.size()));
    }
    while (input_.position() < field.end)
      if (!take(field.end, to.emplace_back())) return ReadStatus::damaged;
    return ReadStatus::done;
  }

  template <typename T>
  ReadStatus read_field(Child<T>& to, const WireField& field, int depth) {
    return field.type == kBytes ? done_if(read_message(to.made(), field.end, depth + 1))
                                : ReadStatus::unknown;
  }

  template <typename T>
  ReadStatus read_field(Messages<T>& to, const WireField& field, int depth) {
    return field.type == kBytes ? done_if(read_message(to.add(), field.end, depth + 1)) : ReadStatus::unknown;
  }

  static constexpr unsigned kMaxVarintBytes = 10;
  static constexpr std::array<uint32_t, 3> kDataFields{9, 4, 10};  // by Payload::Field

  Input input_;
  size_t min_bytes_ = 0;
  std::vector<Payload>* payloads_ = nullptr;
};

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
void write_field(Sink& sink, uint32_t number, const std::optional<T>& value) {
  if (!value) return;
  if constexpr (std::is_same_v<T, std::string>) {
    write_text(sink, number, *value);
  } else {
    put_key(sink, number, kWireType<T>);
    put_number(sink, *value);
  }
}

template <typename Sink, typename T>
void write_field(Sink& sink, uint32_t number, const Packed<T>& values) {
  if (values.empty()) return;
  Counter counter;
  for (const T value : values) put_number(counter, value);
  put_key(sink, number, kBytes);
  put_varint(sink, counter.size);
  for (const T value : values) put_number(sink, value);
}

template <typename Sink, typename T>
void write_field(Sink& sink, uint32_t number, const std::vector<T>& values) {
  if constexpr (std::is_same_v<T, std::string>) {
    for (const std::string& text : values) write_text(sink, number, text);
  } else {
    for (const T value : values) {
      put_key(sink, number, kWireType<T>);
      put_number(sink, value);
    }
  }
}

template <typename Sink, typename T>
void write_field(Sink& sink, uint32_t number, const Child<T>& child) {
  if (child) write_child(sink, number, child.get());
}

template <typename Sink, typename T>
void write_field(Sink& sink, uint32_t number, const Messages<T>& messages) {
  for (const T& message : messages) write_child(sink, number, message);
}

template <typename Sink, typename M>
void write_message(Sink& sink, const M& message) {
  visit_fields(message, [&](uint32_t number, const auto& member) { write_field(sink, number, member); });
  sink.put(message.unknown_fields.data(), message.unknown_fields.size());
}

}  // namespace

template <typename M>
bool Message<M>::parse(std::string_view bytes) {
  M& message = static_cast<M&>(*this);
  message = M();
  return Reader(Input(bytes)).read(message);
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

Result<ModelFile> read_model(const ByteSource& file, size_t min_bytes) {
  ModelFile made;
  Reader reader(file, min_bytes, made.payloads);
  if (reader.read(made.model)) return made;
  if (!reader.status().ok()) return reader.status().error();
  return Error{Code::invalid_file, "The file is not an ONNX model, or it is damaged."};
}

template class Message<ModelProto>;
template class Message<FunctionProto>;
template class Message<GraphProto>;
template class Message<NodeProto>;
template class Message<AttributeProto>;
template class Message<TensorProto>;

}  // namespace nnrt::onnx_file
