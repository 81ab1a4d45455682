#include "core/base/text.h"
#include "mindspore/weights/codecs.h"

#include <bit>
#include <cstring>
#include <string_view>

namespace nnrt::mindspore {
namespace {

Error damaged(std::string_view what) {
  return {Code::invalid_file, cat(what, " of compressed weights ", "is damaged.")};
}

template <typename T>
bool read_at(ByteView data, size_t at, T& value) {
  if (at > data.size() || data.size() - at < sizeof(T)) return false;
  std::memcpy(&value, data.data() + at, sizeof(T));
  return true;
}

size_t aligned(size_t at) { return (at + 7) / 8 * 8; }

// Bits of 64-bit chunks in reverse order of writing.
class ChunkReader {
 public:
  // The valid bits of the last chunk are its top ones.
  ChunkReader(ByteView chunks, int last_bits) : chunks_(chunks), bits_(last_bits) { load(); }

  // At most 32 bits; false if there are fewer.
  bool read(int count, uint64_t& value) {
    value = 0;
    const int low = std::min(count, bits_);
    if (low > 0) value = take(low);
    if (low == count) return true;
    if (chunks_.size() < 16) return false;
    chunks_ = chunks_.first(chunks_.size() - 8);
    bits_ = 64;
    load();
    value |= take(count - low) << low;
    return true;
  }

 private:
  void load() { std::memcpy(&chunk_, chunks_.data() + chunks_.size() - 8, 8); }
  uint64_t take(int count) {
    const uint64_t value = (chunk_ >> (64 - bits_)) & ((uint64_t{1} << count) - 1);
    bits_ -= count;
    return value;
  }

  ByteView chunks_;
  uint64_t chunk_ = 0;
  int bits_;
};

struct FseState {
  uint32_t symbol = 0, base = 0;
  int bits = 0;
};

// The decoding table: states of each symbol are spread over the table in proportion to its frequency.
Result<std::vector<FseState>> fse_table(std::span<const uint32_t> frequencies, int log_size) {
  const uint32_t size = 1u << log_size;
  std::vector<FseState> table(size);
  std::vector<bool> filled(size);
  std::vector<uint32_t> next(frequencies.begin(), frequencies.end());
  uint64_t total = 0;
  for (const uint32_t frequency : frequencies) total += frequency;
  if (total != size) return damaged("The frequency table");
  uint32_t at = 0;
  for (uint32_t symbol = 0; symbol < frequencies.size(); ++symbol) {
    for (uint32_t i = 0; i < frequencies[symbol]; ++i) {
      if (filled[at]) return damaged("The frequency table");
      filled[at] = true;
      table[at].symbol = symbol;
      at = (at + size / 2 + size / 8 + 3) & (size - 1);
    }
  }
  for (FseState& state : table) {
    const uint32_t x = next[state.symbol]++;
    state.bits = log_size - (std::bit_width(x) - 1);
    state.base = (x << state.bits) - size;
  }
  return table;
}

}  // namespace

Result<std::vector<uint32_t>> unpack_fse(ByteView data, size_t count) {
  constexpr int kMaxLogSize = 20;
  uint16_t symbols = 0, log_size = 0;
  uint32_t chunks = 0;
  if (!read_at(data, 0, symbols) || !read_at(data, 2, log_size) || !read_at(data, 4, chunks) ||
      symbols == 0 || log_size > kMaxLogSize || chunks == 0)
    return damaged("The header");
  const size_t list = size_t{4} * symbols, book_at = aligned(8 + list), chunks_at = aligned(book_at + list);
  const size_t chunk_bytes = size_t{8} * chunks;
  uint8_t last_bits = 0;
  if (!read_at(data, chunks_at + chunk_bytes, last_bits) || last_bits > 64) return damaged("The size");
  std::vector<uint32_t> frequencies(symbols), codebook(symbols);
  std::memcpy(frequencies.data(), data.data() + 8, list);
  std::memcpy(codebook.data(), data.data() + book_at, list);
  NNRT_ASSIGN(const std::vector<FseState> table, fse_table(frequencies, log_size));
  ChunkReader reader(data.subspan(chunks_at, chunk_bytes), last_bits);
  uint64_t state = 0, low = 0;
  if (!reader.read(log_size, state)) return damaged("The end");
  std::vector<uint32_t> values(count);
  for (size_t i = count; i-- > 0;) {
    const FseState& now = table[state];
    values[i] = codebook[now.symbol];
    // The first element has no predecessor, whose state may be missing.
    if (!reader.read(now.bits, low)) {
      if (i > 0) return damaged("The end");
      low = 0;
    }
    state = now.base + low;
  }
  return values;
}

}  // namespace nnrt::mindspore
