#include "core/base/text.h"
#include "mindspore/weights/codecs.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace nnrt::mindspore {
namespace {

Error truncated() { return {Code::invalid_file, "The compressed weights end early."}; }

Status check_bits(int bits) {
  if (bits >= 1 && bits <= 16) return {};
  return Error{Code::invalid_file,
               cat("Compressed weights have ", bits, " bits; only 1 to 16 are possible.")};
}

// Bits from the most significant bit of each byte on.
class BitStream {
 public:
  explicit BitStream(ByteView bytes) : bytes_(bytes) {}

  // False if fewer than `count` (at most 32) bits remain.
  bool read(int count, uint32_t& value) {
    value = 0;
    if (size_t(count) > bytes_.size() * 8 - at_) return false;
    for (const size_t end = at_ + size_t(count); at_ < end; ++at_)
      value = value << 1 | uint32_t(std::to_integer<int>(bytes_[at_ / 8]) >> (7 - at_ % 8) & 1);
    return true;
  }

 private:
  ByteView bytes_;
  size_t at_ = 0;
};

// The values that occur in a tensor, and the width of indices into them.
struct Dictionary {
  Codes values;
  int index_bits = 0;
};

Result<Dictionary> read_dictionary(BitStream& stream, int bits) {
  uint32_t count = 0, value = 0;
  if (!stream.read(bits, count)) return truncated();
  if (count == 0) count = 1u << bits;
  Dictionary dictionary;
  for (uint32_t i = 0; i < count; ++i) {
    if (!stream.read(bits, value)) return truncated();
    dictionary.values.push_back(static_cast<int16_t>(int32_t(value) - (1 << (bits - 1))));
  }
  dictionary.index_bits = std::bit_width(count - 1);
  return dictionary;
}

Status read_values(BitStream& stream, const Dictionary& dictionary, Codes& values) {
  for (int16_t& value : values) {
    uint32_t index = 0;
    if (!stream.read(dictionary.index_bits, index)) return truncated();
    if (index >= dictionary.values.size())
      return Error{Code::invalid_file, "An index of compressed weights is out of range."};
    value = dictionary.values[index];
  }
  return {};
}

}  // namespace

Result<Codes> unpack_bits(ByteView data, int bits, size_t count) {
  NNRT_TRY(check_bits(bits));
  if (count > data.size() * 8 / size_t(bits)) return truncated();
  Codes codes(count);
  size_t next = 0;
  uint32_t pending = 0;
  int available = 0;
  for (int16_t& code : codes) {
    for (; available < bits; available += 8) pending |= std::to_integer<uint32_t>(data[next++]) << available;
    const uint32_t stored = pending & ((1u << bits) - 1);
    code = static_cast<int16_t>(int32_t(stored) - (1 << (bits - 1)));
    pending >>= bits;
    available -= bits;
  }
  return codes;
}

Result<Codes> unpack_indexing(ByteView data, int bits, size_t count) {
  NNRT_TRY(check_bits(bits));
  BitStream stream(data);
  NNRT_ASSIGN(const Dictionary dictionary, read_dictionary(stream, bits));
  Codes codes(count);
  NNRT_TRY(read_values(stream, dictionary, codes));
  return codes;
}

Result<Codes> unpack_sparse(ByteView data, int bits, size_t count, std::span<const int32_t> zero_points,
                            const Channels& channels) {
  NNRT_TRY(check_bits(bits));
  BitStream stream(data);
  uint32_t gap_bits = 0, stored = 0, gap = 0;
  if (!stream.read(8, gap_bits) || !stream.read(32, stored)) return truncated();
  if (gap_bits > 32 || stored > count)
    return Error{Code::invalid_file, "The header of sparse weights is damaged."};
  NNRT_ASSIGN(const Dictionary dictionary, read_dictionary(stream, bits));
  Codes values(stored), codes(count);
  NNRT_TRY(read_values(stream, dictionary, values));
  const size_t repeated = std::min(zero_points.size(), channels.count);
  if (repeated > 0) {
    for (size_t i = 0; i < count; ++i)
      codes[i] = static_cast<int16_t>(zero_points[repeated == 1 ? 0 : channels.of(i) % repeated]);
  }
  size_t at = 0;
  for (const int16_t value : values) {
    if (!stream.read(int(gap_bits), gap)) return truncated();
    if (gap >= count - at) return Error{Code::invalid_file, "A gap in sparse weights exceeds the tensor."};
    at += gap;
    codes[at++] = value;
  }
  return codes;
}

}  // namespace nnrt::mindspore
