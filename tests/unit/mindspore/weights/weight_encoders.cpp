#include "tests/unit/mindspore/weights/weight_encoders.h"

#include <algorithm>
#include <bit>
#include <set>

namespace nnrt::mindspore::test {
namespace {

// Most significant bit of each byte first.
class BitWriter {
 public:
  void put(uint32_t value, int bits) {
    for (int i = bits - 1; i >= 0; --i) bit(value >> i & 1);
  }
  void bit(uint32_t value) {
    if (used_ % 8 == 0) bytes_.push_back(std::byte{0});
    if (value != 0) bytes_.back() |= std::byte{0x80} >> (used_ % 8);
    ++used_;
  }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
  size_t used_ = 0;
};

uint32_t biased(int value, int bits) { return uint32_t(value + (1 << (bits - 1))); }

// Writes the dictionary, then the function that writes indices into it.
void put_dictionary(BitWriter& writer, const Values& values, int bits, const std::set<int>& occurring) {
  writer.put(uint32_t(occurring.size()) & ((1u << bits) - 1), bits);
  for (const int value : occurring) writer.put(biased(value, bits), bits);
  const int width = int(std::bit_width(occurring.size() - 1));
  for (const int value : values)
    writer.put(uint32_t(std::distance(occurring.begin(), occurring.find(value))), width);
}

template <typename T>
void append(Bytes& bytes, const T& value) {
  const auto view = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), view.begin(), view.end());
}

void align(Bytes& bytes) { bytes.resize((bytes.size() + 7) / 8 * 8); }

// Bits from the top of 64-bit chunks down.
class ChunkWriter {
 public:
  void put(uint64_t value, int bits) {
    for (int i = bits - 1; i >= 0; --i) {
      if (used_ == 64) {
        finished_.push_back(chunk_);
        chunk_ = 0;
        used_ = 0;
      }
      chunk_ |= (value >> i & 1) << (63 - used_++);
    }
  }
  void write(Bytes& bytes) const {
    for (const uint64_t chunk : finished_) append(bytes, chunk);
    append(bytes, chunk_);
    append(bytes, uint8_t(used_));
  }
  uint32_t count() const { return uint32_t(finished_.size() + 1); }

 private:
  std::vector<uint64_t> finished_;
  uint64_t chunk_ = 0;
  int used_ = 0;
};

// Frequencies in proportion to the counts, at least 1 each, with the sum 2^log_size.
std::vector<uint32_t> frequencies_of(const std::vector<uint32_t>& indices, size_t symbols, int log_size) {
  std::vector<uint32_t> counts(symbols), frequencies(symbols);
  for (const uint32_t index : indices) ++counts[index];
  const uint32_t size = 1u << log_size;
  uint32_t sum = 0;
  for (size_t i = 0; i < symbols; ++i) {
    frequencies[i] =
        std::max<uint32_t>(1, uint32_t(uint64_t{counts[i]} * size / std::max<size_t>(1, indices.size())));
    sum += frequencies[i];
  }
  while (sum != size) {
    uint32_t& largest = *std::ranges::max_element(frequencies);
    largest += sum < size ? 1 : uint32_t(-1);
    sum += sum < size ? 1 : uint32_t(-1);
  }
  return frequencies;
}

}  // namespace

Bytes packed_bits(const Values& values, int bits) {
  const size_t word = bits > 8 ? 16 : 8;
  const size_t total = values.size() * size_t(bits);
  Bytes bytes((total + word - 1) / word * word / 8);
  size_t at = 0;
  for (const int value : values)
    for (int i = 0; i < bits; ++i, ++at)
      if (biased(value, bits) >> i & 1) bytes[at / 8] |= std::byte{1} << (at % 8);
  return bytes;
}

Bytes indexing(const Values& values, int bits) {
  BitWriter writer;
  put_dictionary(writer, values, bits, std::set<int>(values.begin(), values.end()));
  return writer.take();
}

Bytes sparse(const Values& values, int bits, const Values& background, int gap_bits) {
  Values stored;
  std::vector<uint32_t> gaps;
  uint32_t gap = 0;
  const uint32_t longest = gap_bits == 0 ? 0 : (1u << gap_bits) - 1;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == background[i] && gap < longest) {
      ++gap;
      continue;
    }
    stored.push_back(values[i]);
    gaps.push_back(gap);
    gap = 0;
  }
  BitWriter writer;
  writer.put(uint32_t(gap_bits), 8);
  writer.put(uint32_t(stored.size()), 32);
  put_dictionary(writer, stored, bits, std::set<int>(stored.begin(), stored.end()));
  for (const uint32_t it : gaps) writer.put(it, gap_bits);
  return writer.take();
}

Bytes finite_state_entropy(const std::vector<uint32_t>& indices, const std::vector<uint32_t>& codebook,
                           int log_size) {
  const uint32_t size = 1u << log_size;
  const std::vector<uint32_t> frequencies = frequencies_of(indices, codebook.size(), log_size);
  std::vector<uint32_t> symbol(size);
  uint32_t at = 0;
  for (uint32_t s = 0; s < frequencies.size(); ++s) {
    for (uint32_t i = 0; i < frequencies[s]; ++i) {
      symbol[at] = s;
      at = (at + size / 2 + size / 8 + 3) % size;
    }
  }
  // states[s][k]: the position of the k-th occurrence of symbol s in the table.
  std::vector<std::vector<uint32_t>> states(codebook.size());
  for (uint32_t i = 0; i < size; ++i) states[symbol[i]].push_back(i);

  ChunkWriter writer;
  uint32_t state = size;
  for (const uint32_t index : indices) {
    int bits = 0;
    while (state >> bits >= 2 * frequencies[index]) ++bits;
    writer.put(state & ((1u << bits) - 1), bits);
    state = size + states[index][(state >> bits) - frequencies[index]];
  }
  writer.put(state - size, log_size);

  Bytes bytes;
  append(bytes, uint16_t(codebook.size()));
  append(bytes, uint16_t(log_size));
  append(bytes, writer.count());
  for (const uint32_t frequency : frequencies) append(bytes, frequency);
  align(bytes);
  for (const uint32_t value : codebook) append(bytes, value);
  align(bytes);
  writer.write(bytes);
  return bytes;
}

}  // namespace nnrt::mindspore::test
