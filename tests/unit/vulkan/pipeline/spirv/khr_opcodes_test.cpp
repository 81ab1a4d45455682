#include "backends/vulkan/pipeline/spirv/khr_opcodes.h"

#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/pipeline/spirv/fp16_storage.h"
#include "backends/vulkan/pipeline/spirv/spirv.h"

#include <gtest/gtest.h>
#include <spirv/unified1/spirv.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace nnrt::vulkan {
namespace {

using Words = std::vector<uint32_t>;

// Opcodes of SPV_KHR_cooperative_matrix.
enum : uint32_t { kType = 4456, kLoad, kStore, kMultiplyAdd, kLength, kCapability = 6022 };
enum : uint32_t { kFirst, kSecond, kSum };
enum : uint32_t { kRowMajor, kColumnMajor };
constexpr uint32_t kAllSigned = 0xf;

struct Counted {
  std::map<uint32_t, size_t> opcodes;
  std::set<uint32_t> capabilities;
  std::set<std::string> extensions;
  size_t instructions = 0;
};

Counted counted(const Words& words) {
  Counted all;
  EXPECT_TRUE(spirv::for_each_instruction(words, [&](const spirv::Instruction& i) {
    ++all.opcodes[i.opcode];
    ++all.instructions;
    if (i.opcode == SpvOpCapability) all.capabilities.insert(i[1]);
    if (i.opcode == SpvOpExtension) all.extensions.insert(reinterpret_cast<const char*>(&i.words[1]));
  }));
  return all;
}

// Every shader with cooperative matrices, as it is and with fp16 buffers.
std::map<std::string, Words> shaders_with_matrices() {
  std::map<std::string, Words> found;
  for (const EmbeddedShader& one : embedded_shaders()) {
    if (!has_nv_matrices(one.words)) continue;
    found.emplace(one.name, Words(one.words.begin(), one.words.end()));
    const uint32_t floats = bindings_of_floats(one.words);
    if (floats == 0) continue;
    found.emplace(std::string(one.name) + " of fp16", *with_fp16_storage(one.words, floats));
  }
  return found;
}

TEST(KhrMatrices, TakeThePlaceOfAllInstructionsForMatrices) {
  const auto shaders = shaders_with_matrices();
  // fp16 products, both kinds of convolutions and attention in both forms; INT8 products of two shapes.
  EXPECT_EQ(shaders.size(), 2u * (1 + 2 + 1) + 2);
  for (const auto& [name, words] : shaders) {
    SCOPED_TRACE(name);
    const auto rewritten = with_khr_matrices(words);
    ASSERT_TRUE(rewritten);
    EXPECT_FALSE(has_nv_matrices(*rewritten));
    const Counted before = counted(words), after = counted(*rewritten);
    EXPECT_EQ(after.instructions, before.instructions + 3);  // constants
    for (uint32_t i = 0; i <= kLength - kType; ++i) {
      const auto count = [&](const Counted& all, uint32_t opcode) {
        const auto at = all.opcodes.find(opcode + i);
        return at == all.opcodes.end() ? size_t{0} : at->second;
      };
      EXPECT_EQ(count(after, kType), count(before, SpvOpTypeCooperativeMatrixNV));
      EXPECT_EQ(count(after, SpvOpTypeCooperativeMatrixNV), 0u);
    }
    EXPECT_TRUE(after.capabilities.contains(kCapability));
    EXPECT_FALSE(after.capabilities.contains(SpvCapabilityCooperativeMatrixNV));
    EXPECT_TRUE(after.capabilities.contains(SpvCapabilityVulkanMemoryModel));
    EXPECT_TRUE(after.extensions.contains("SPV_KHR_cooperative_matrix"));
    EXPECT_FALSE(after.extensions.contains("SPV_NV_cooperative_matrix"));
  }
}

// Types and constants of a rewritten module.
struct Declared {
  std::map<uint32_t, uint32_t> constants;   // 32-bit values
  std::map<uint32_t, uint32_t> uses;        // by matrix type
  std::map<uint32_t, uint32_t> types;       // by matrix value
  std::map<uint32_t, uint32_t> integers;    // types and their signedness
  std::map<uint32_t, uint32_t> components;  // by matrix type
};

TEST(KhrMatrices, StateUseOfTypesAndLayoutOfAccesses) {
  for (const auto& [name, words] : shaders_with_matrices()) {
    SCOPED_TRACE(name);
    const bool is_of_int8 = name.starts_with("int8_matrix");
    const Words rewritten = with_khr_matrices(words).value();
    const uint32_t bound = rewritten[spirv::kBoundWord];
    EXPECT_EQ(bound, words[spirv::kBoundWord] + 3);
    Declared declared;
    std::map<uint32_t, std::set<uint32_t>> layouts;  // by use
    spirv::for_each_instruction(rewritten, [&](const spirv::Instruction& i) {
      if (i.opcode == SpvOpConstant && i.words.size() == 4) {
        EXPECT_TRUE(declared.constants.emplace(i[2], i[3]).second);
        EXPECT_LT(i[2], bound);
      }
      if (i.opcode == SpvOpTypeInt && i[3] == 1) declared.integers[i[1]] = i[2];
      if (declared.uses.contains(i[1])) declared.types[i[2]] = i[1];
      const auto use_of = [&](uint32_t value) { return declared.uses.at(declared.types.at(value)); };
      switch (i.opcode) {
        case kType:
          ASSERT_EQ(i.words.size(), 7u);
          declared.uses[i[1]] = declared.constants.at(i[6]);
          declared.components[i[1]] = i[2];
          return;
        case kLoad: layouts[use_of(i[2])].insert(declared.constants.at(i[4])); return;
        case kStore: layouts[use_of(i[2])].insert(declared.constants.at(i[3])); return;
        case kMultiplyAdd:
          EXPECT_EQ(use_of(i[3]), kFirst);
          EXPECT_EQ(use_of(i[4]), kSecond);
          EXPECT_EQ(use_of(i[5]), kSum);
          EXPECT_EQ(use_of(i[2]), kSum);
          // Only the multiplication carries the signedness of integers.
          EXPECT_EQ(i.words.size(), is_of_int8 ? 7u : 6u);
          EXPECT_EQ(i[6], is_of_int8 ? kAllSigned : 0u);
          return;
        default: return;
      }
    });
    EXPECT_EQ(declared.uses.size(), 3u);
    for (const auto& [type, use] : declared.uses) {
      const auto bits = declared.integers.find(declared.components.at(type));
      EXPECT_EQ(bits != declared.integers.end(), is_of_int8);
      if (bits != declared.integers.end()) {
        EXPECT_EQ(bits->second, use == kSum ? 32u : 8u);
      }
    }
    EXPECT_EQ(layouts[kFirst], std::set<uint32_t>{kRowMajor});
    EXPECT_TRUE(layouts[kSecond].contains(kColumnMajor));
    EXPECT_EQ(layouts[kSum], std::set<uint32_t>{kRowMajor});
  }
}

TEST(KhrMatrices, KeepStrideAndScope) {
  const Words words = shaders_with_matrices().at("matmul_cooperative_matrix");
  std::vector<Words> before, after;
  spirv::for_each_instruction(words, [&](const spirv::Instruction& i) {
    if (i.opcode == SpvOpCooperativeMatrixLoadNV) before.emplace_back(i.words.begin(), i.words.end());
  });
  spirv::for_each_instruction(with_khr_matrices(words).value(), [&](const spirv::Instruction& i) {
    if (i.opcode == kLoad) after.emplace_back(i.words.begin(), i.words.end());
  });
  ASSERT_EQ(after.size(), before.size());
  for (size_t i = 0; i < after.size(); ++i) {
    EXPECT_TRUE(std::equal(after[i].begin() + 1, after[i].begin() + 4, before[i].begin() + 1));
    EXPECT_EQ(after[i][5], before[i][4]);
    EXPECT_TRUE(std::equal(after[i].begin() + 6, after[i].end(), before[i].begin() + 6, before[i].end()));
  }
}

// A module that multiplies matrices of types 10 and 11, loaded with the layout in constant 5.
Words multiplying(uint32_t left, uint32_t right, uint32_t bool_opcode = SpvOpConstantFalse) {
  Words words{SpvMagicNumber, 0x10500, 0, 40, 0};
  const auto add = [&](uint32_t opcode, std::initializer_list<uint32_t> operands) {
    spirv::append(words, opcode, operands);
  };
  add(SpvOpCapability, {SpvCapabilityCooperativeMatrixNV});
  add(SpvOpTypeInt, {1, 32, 0});
  add(SpvOpTypeFloat, {2, 16});
  add(SpvOpConstant, {1, 3, 16});
  add(SpvOpTypeBool, {4});
  add(bool_opcode, {4, 5});
  for (const uint32_t type : {10, 11, 12}) add(SpvOpTypeCooperativeMatrixNV, {type, 2, 3, 3, 3});
  add(SpvOpCooperativeMatrixLoadNV, {left, 20, 30, 3, 5});
  add(SpvOpCooperativeMatrixLoadNV, {right, 21, 30, 3, 5});
  add(SpvOpUndef, {12, 22});
  add(SpvOpCooperativeMatrixMulAddNV, {12, 23, 20, 21, 22});
  return words;
}

TEST(KhrMatrices, RefuseTwoUsesAndNonConstantLayouts) {
  EXPECT_TRUE(with_khr_matrices(multiplying(10, 11)));
  EXPECT_FALSE(with_khr_matrices(multiplying(10, 10)));
  EXPECT_FALSE(with_khr_matrices(multiplying(10, 12)));
  EXPECT_FALSE(with_khr_matrices(multiplying(10, 11, SpvOpSpecConstantFalse)));
}

// Devices may have INT8 matrices without 8-bit storage, and INT8 kernels need no fp16 instructions.
TEST(KhrMatrices, NeedTheCapabilitiesOfTheirOperandsAlone) {
  for (const auto& [name, words] : shaders_with_matrices()) {
    SCOPED_TRACE(name);
    const bool is_of_int8 = name.starts_with("int8_matrix");
    const Counted all = counted(with_khr_matrices(words).value());
    EXPECT_EQ(all.capabilities.contains(SpvCapabilityInt8), is_of_int8);
    EXPECT_EQ(all.capabilities.contains(SpvCapabilityFloat16), !is_of_int8);
    EXPECT_FALSE(all.capabilities.contains(SpvCapabilityStorageBuffer8BitAccess));
  }
}

TEST(KhrMatrices, RejectOtherShaders) {
  const auto copy = std::ranges::find(embedded_shaders(), "copy", &EmbeddedShader::name);
  EXPECT_FALSE(has_nv_matrices(copy->words));
  EXPECT_FALSE(with_khr_matrices(copy->words));
  EXPECT_FALSE(with_khr_matrices(Words{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(with_khr_matrices({}));
}

}  // namespace
}  // namespace nnrt::vulkan
