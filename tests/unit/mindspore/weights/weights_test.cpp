#include "mindspore/weights/weights.h"

#include "mindspore/weights/codecs.h"
#include "tests/unit/mindspore/weights/weight_encoders.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

namespace nnrt::mindspore::test {
namespace {

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
