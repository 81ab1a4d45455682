#include "tools/import/onnx/file/onnx_payloads.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace nnrt::import::onnx {
namespace {

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// The messages between a ModelProto and its tensors.
enum class Message : uint8_t { model, function, graph, sparse_tensor, node, attribute, tensor };

struct Child {
  Message parent;
  uint32_t field;
  Message message;
};
constexpr std::array<Child, 11> kChildren{{{Message::model, 7, Message::graph},
                                           {Message::model, 25, Message::function},
                                           {Message::function, 7, Message::node},
                                           {Message::function, 11, Message::attribute},
                                           {Message::graph, 1, Message::node},
                                           {Message::graph, 5, Message::tensor},
                                           {Message::graph, 15, Message::sparse_tensor},
                                           {Message::sparse_tensor, 1, Message::tensor},
                                           {Message::node, 5, Message::attribute},
                                           {Message::attribute, 5, Message::tensor},
                                           {Message::attribute, 6, Message::graph}}};

constexpr uint32_t kPayloadField = 536870911;  // of TensorProto, in onnx.proto; not in files
constexpr int kMaxDepth = 100;                 // the parser refuses deeper nesting
constexpr unsigned kMaxKeyBytes = 5, kMaxVarintBytes = 10;

std::optional<Message> child(Message parent, uint32_t field) {
  const auto found = std::ranges::find_if(
      kChildren, [&](const Child& it) { return it.parent == parent && it.field == field; });
  return found == kChildren.end() ? std::nullopt : std::optional(found->message);
}

std::optional<Payload::Field> payload_field(uint32_t field) {
  switch (field) {
    case 4: return Payload::Field::float_data;
    case 9: return Payload::Field::raw_data;
    case 10: return Payload::Field::double_data;
    default: return {};
  }
}

void put_varint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

Error damaged() { return {Code::invalid_file, "The file is not an ONNX model, or it is damaged."}; }

// Reads a file front to back through a window. Skipped bytes are not read.
class Cursor {
 public:
  explicit Cursor(const ByteSource& file) : file_(file), window_(std::min<uint64_t>(file.size(), kWindow)) {}

  uint64_t position() const { return position_; }
  void move_to(uint64_t position) { position_ = position; }

  // Both fail at `end`, which is at most the file's.
  Result<uint64_t> varint(uint64_t end, unsigned max_bytes) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 7 * max_bytes; shift += 7) {
      if (position_ >= end) return damaged();
      NNRT_TRY(fill());
      const auto byte = static_cast<uint64_t>(window_[position_++ - begin_]);
      value |= shift < 64 ? (byte & 0x7f) << shift : 0;
      if (byte < 0x80) return value;
    }
    return damaged();
  }
  Status skip(uint64_t bytes, uint64_t end) {
    if (bytes > end - position_) return damaged();
    position_ += bytes;
    return {};
  }
  // Appends [from, to) of the file, and moves to `to`.
  Status copy(uint64_t from, uint64_t to, std::string& out) {
    const size_t size = out.size();
    out.resize(size + (to - from));
    std::span rest = std::as_writable_bytes(std::span(out)).subspan(size);
    for (position_ = from; position_ < to;) {
      NNRT_TRY(fill());
      const auto part = std::span(window_).subspan(position_ - begin_);
      const size_t count =
          std::min<uint64_t>(to - position_, std::min<uint64_t>(part.size(), end_ - position_));
      std::ranges::copy(part.first(count), rest.begin());
      rest = rest.subspan(count);
      position_ += count;
    }
    return {};
  }

 private:
  static constexpr uint64_t kWindow = uint64_t{1} << 16;

  // Makes the window contain the position, which is before the end of the file.
  Status fill() {
    if (position_ >= begin_ && position_ < end_) return {};
    const uint64_t count = std::min<uint64_t>(window_.size(), file_.size() - position_);
    NNRT_TRY(file_.read(position_, std::span(window_).first(count)));
    begin_ = position_;
    end_ = position_ + count;
    return {};
  }

  const ByteSource& file_;
  Bytes window_;
  uint64_t begin_ = 0, end_ = 0;  // of the window
  uint64_t position_ = 0;
};

struct Field {
  uint64_t begin = 0;  // of its key
  uint32_t number = 0;
  uint32_t type = 0;
  uint64_t value = 0;  // position of the contents
  uint64_t size = 0;   // of the contents
  uint64_t end() const { return value + size; }
};

class Splitter {
 public:
  Splitter(const ByteSource& file, size_t min_bytes) : cursor_(file), min_bytes_(min_bytes) {}

  // Appends the fields in [position, end) to `out`.
  Status walk(Message message, uint64_t end, int depth, std::string& out);
  std::vector<Payload>& payloads() { return payloads_; }

 private:
  Result<Field> next(uint64_t end);
  Status walk_tensor(uint64_t end, std::string& out);

  Cursor cursor_;
  size_t min_bytes_;
  std::vector<Payload> payloads_;
};

// Moves past the field.
Result<Field> Splitter::next(uint64_t end) {
  Field field;
  field.begin = cursor_.position();
  NNRT_ASSIGN(const uint64_t key, cursor_.varint(end, kMaxKeyBytes));
  field.number = static_cast<uint32_t>(key >> 3);
  field.type = key & 7;
  if (field.number == 0 || key >> 3 > kPayloadField) return damaged();
  switch (field.type) {
    case kVarint:
      field.value = cursor_.position();
      NNRT_TRY(cursor_.varint(end, kMaxVarintBytes));
      break;
    case kFixed64:
      field.value = cursor_.position();
      NNRT_TRY(cursor_.skip(8, end));
      break;
    case kFixed32:
      field.value = cursor_.position();
      NNRT_TRY(cursor_.skip(4, end));
      break;
    case kBytes: {
      NNRT_ASSIGN(const uint64_t size, cursor_.varint(end, kMaxKeyBytes));
      field.value = cursor_.position();
      NNRT_TRY(cursor_.skip(size, end));
      break;
    }
    default: return damaged();  // groups: no version of ONNX has any
  }
  field.size = cursor_.position() - field.value;
  return field;
}

Status Splitter::walk(Message message, uint64_t end, int depth, std::string& out) {
  if (message == Message::tensor) return walk_tensor(end, out);
  if (depth > kMaxDepth) return damaged();
  while (cursor_.position() < end) {
    NNRT_ASSIGN(const Field field, next(end));
    const auto inner = field.type == kBytes ? child(message, field.number) : std::nullopt;
    if (!inner) {
      NNRT_TRY(cursor_.copy(field.begin, field.end(), out));
      continue;
    }
    std::string contents;
    cursor_.move_to(field.value);
    NNRT_TRY(walk(*inner, field.end(), depth + 1, contents));
    put_varint(out, uint64_t{field.number} << 3 | kBytes);
    put_varint(out, contents.size());
    out += contents;
  }
  return {};
}

// Leaves data in the message if they are split into several fields, which the parser joins.
Status Splitter::walk_tensor(uint64_t end, std::string& out) {
  const uint64_t begin = cursor_.position();
  size_t data_fields = 0;
  while (cursor_.position() < end) {
    NNRT_ASSIGN(const Field field, next(end));
    if (payload_field(field.number)) ++data_fields;
  }
  cursor_.move_to(begin);
  while (cursor_.position() < end) {
    NNRT_ASSIGN(const Field field, next(end));
    if (field.number == kPayloadField && (field.type == kVarint || field.type == kBytes)) continue;
    const auto kind = field.type == kBytes ? payload_field(field.number) : std::nullopt;
    if (!kind || data_fields > 1 || field.size < min_bytes_) {
      NNRT_TRY(cursor_.copy(field.begin, field.end(), out));
      continue;
    }
    put_varint(out, uint64_t{kPayloadField} << 3 | kVarint);
    put_varint(out, payloads_.size());
    payloads_.push_back({field.value, field.size, *kind});
  }
  return {};
}

}  // namespace

Result<SplitFile> split_payloads(const ByteSource& file, size_t min_bytes) {
  SplitFile split;
  Splitter splitter(file, min_bytes);
  NNRT_TRY(splitter.walk(Message::model, file.size(), 0, split.message));
  split.payloads = std::move(splitter.payloads());
  return split;
}

}  // namespace nnrt::import::onnx
