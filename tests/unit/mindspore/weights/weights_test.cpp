#include "mindspore/weights/weights.h"

#include "core/base/bytes.h"
#include "mindspore/weights/codecs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <span>
#include <vector>

namespace nnrt::mindspore::test {
namespace {

using Values = std::vector<int>;

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

// Least significant bit first; codes are stored as value + 2^(bits - 1).
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

// `background` is the zero point of each element, which is not stored.
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

// Indices into `codebook`, whose elements have 4 bytes.
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

Values drawn(size_t count, int lowest, int highest, unsigned seed = 1) {
  std::mt19937 random(seed);
  Values values(count);
  for (int& value : values) value = lowest + int(random() % unsigned(highest - lowest + 1));
  return values;
}

Values numbers(const DecodedWeights& decoded) {
  Values values(decoded.bytes.size() / size_of(decoded.type));
  for (size_t i = 0; i < values.size(); ++i) {
    int16_t wide = 0;
    if (decoded.type == DType::i16) std::memcpy(&wide, decoded.bytes.data() + 2 * i, 2);
    values[i] = decoded.type == DType::i8 ? static_cast<int8_t>(decoded.bytes[i]) : wide;
  }
  return values;
}

StoredWeights stored(const Bytes& data, size_t count, int bits, Compression compression = Compression::none) {
  return {.data = data,
          .type = bits <= 8 ? DType::i8 : DType::i16,
          .count = count,
          .compression = compression,
          .bits = bits};
}

// Every prefix of the data, and every bit flipped: an error or some weights, never a read outside.
void expect_damage_is_harmless(const Bytes& data, StoredWeights it) {
  for (size_t size = 0; size < data.size(); ++size) {
    const Bytes shorter(data.begin(), data.begin() + std::ptrdiff_t(size));
    it.data = shorter;
    (void)decode(it);
  }
  Bytes damaged = data;
  for (size_t bit = 0; bit < data.size() * 8; ++bit) {
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    it.data = damaged;
    (void)decode(it);
    damaged[bit / 8] = data[bit / 8];
  }
}

TEST(Weights, UnpacksEveryNumberOfBits) {
  for (int bits = 1; bits <= 15; ++bits) {
    if (bits == 8) continue;
    const Values values = drawn(53, -(1 << (bits - 1)), (1 << (bits - 1)) - 1);
    const Bytes data = packed_bits(values, bits);
    const auto decoded = decode(stored(data, values.size(), bits)).value();
    EXPECT_EQ(numbers(decoded), values) << bits;
    EXPECT_FALSE(decode(stored(data, data.size() * 8 / size_t(bits) + 1, bits)).ok()) << bits;
    expect_damage_is_harmless(data, stored(data, values.size(), bits));
  }
}

TEST(Weights, DecodesIndexing) {
  for (const int bits : {4, 8, 10}) {
    for (const int highest : {-3, -2, 1, 4}) {  // 1, 2, 5 and 8 distinct values
      const Values values = drawn(41, -3, highest);
      const Bytes data = indexing(values, bits);
      const auto decoded = decode(stored(data, values.size(), bits, Compression::indexing)).value();
      EXPECT_EQ(numbers(decoded), values);
      expect_damage_is_harmless(data, stored(data, values.size(), bits, Compression::indexing));
    }
  }
  const Values all = drawn(300, -8, 7);  // a count of 2^bits values is stored as 0
  const Bytes data = indexing(all, 4);
  const auto decoded = decode(stored(data, all.size(), 4, Compression::indexing)).value();
  EXPECT_EQ(numbers(decoded), all);
}

TEST(Weights, DecodesSparseWithZeroPointsOfChannels) {
  const std::vector<int32_t> zero_points{3, -5};
  const Channels channels{.count = 2, .inner = 17};
  Values values = drawn(34, -20, 19), background(34);
  for (size_t i = 0; i < values.size(); ++i) {
    background[i] = zero_points[channels.of(i)];
    if (i % 3 != 0) values[i] = background[i];
  }
  for (const int gap_bits : {1, 3}) {
    for (const int bits : {8, 12}) {
      const Bytes data = sparse(values, bits, background, gap_bits);
      StoredWeights it = stored(data, values.size(), bits, Compression::sparse);
      it.zero_points = zero_points;
      it.channels = channels;
      const auto decoded = decode(it).value();
      EXPECT_EQ(numbers(decoded), values);
      expect_damage_is_harmless(data, it);
    }
  }
}

TEST(Weights, DecodesFiniteStateEntropy) {
  for (const int log_size : {4, 7, 12}) {
    std::vector<uint32_t> codebook, indices;
    for (const float value : {0.5f, -1.25f, 3.0f, 0.0f, 8.5f})
      codebook.push_back(std::bit_cast<uint32_t>(value));
    for (const int value : drawn(500, 0, 99)) indices.push_back(value < 80 ? 0 : uint32_t(value) % 5);
    const Bytes data = finite_state_entropy(indices, codebook, log_size);
    const auto values = unpack_fse(data, indices.size()).value();
    for (size_t i = 0; i < indices.size(); ++i) ASSERT_EQ(values[i], codebook[indices[i]]) << i;
  }
}

TEST(Weights, DecodesFiniteStateEntropyOfIntegers) {
  const std::vector<uint32_t> codebook{uint32_t(-7), 0, 9};
  const std::vector<uint32_t> indices{0, 1, 1, 2, 1, 1, 0, 1, 2, 1, 1, 1, 1};
  const Bytes data = finite_state_entropy(indices, codebook, 5);
  StoredWeights it = stored(data, indices.size(), 8, Compression::fse_int);
  const auto decoded = decode(it).value();
  EXPECT_EQ(numbers(decoded), (Values{-7, 0, 0, 9, 0, 0, -7, 0, 9, 0, 0, 0, 0}));
  expect_damage_is_harmless(data, it);
  it.compression = Compression::fse;
  it.data = data;
  EXPECT_EQ(decode(it).value().type, DType::f32);
}

TEST(Weights, DecodesCodebooks) {
  const Bytes data{std::byte{0x80}, std::byte{0x82}, std::byte{0x81}};
  const std::vector<float> codebook{1.5f, -2, 4};
  StoredWeights it = stored(data, 3, 8);
  it.codebook = codebook;
  const auto decoded = decode(it).value();
  std::vector<float> values(3);
  std::memcpy(values.data(), decoded.bytes.data(), 12);
  EXPECT_EQ(values, (std::vector<float>{1.5f, 4, -2}));
  it.codebook = std::span(codebook).first(2);
  EXPECT_FALSE(decode(it).ok());
}

}  // namespace
}  // namespace nnrt::mindspore::test
