// The checks of the section "Memory" that need no compilation.
#include "tests/unit/nnapi/nnapi_test_handles.h"

#include <fcntl.h>

#include <array>

namespace nnapi_tests {
namespace {

constexpr int kBoth = PROT_READ | PROT_WRITE;

int create(size_t size, int protect, int fd, size_t offset) {
  ANeuralNetworksMemory* memory = nullptr;
  const int code = ANeuralNetworksMemory_createFromFd(size, protect, fd, offset, &memory);
  EXPECT_EQ(memory != nullptr, code == kOk);
  ANeuralNetworksMemory_free(memory);
  return code;
}

TEST(Memory, CreateFromFd) {
  const SharedFile file(20);
  EXPECT_EQ(ANeuralNetworksMemory_createFromFd(20, kBoth, file.fd, 0, nullptr), kNull);
  EXPECT_EQ(create(20, kBoth, file.fd, 0), kOk);
  EXPECT_EQ(create(3, kBoth, file.fd, 17), kOk) << "any offset";
  EXPECT_EQ(create(0, kBoth, file.fd, 0), kData);
  EXPECT_EQ(create(20, PROT_NONE, file.fd, 0), kData);
  EXPECT_EQ(create(20, kBoth, -1, 0), kUnmappable);
  EXPECT_EQ(create(21, kBoth, file.fd, 0), kUnmappable) << "the file is shorter";
  EXPECT_EQ(create(20, kBoth, file.fd, 1), kUnmappable);
  EXPECT_EQ(create(20, kBoth, file.fd, SIZE_MAX), kUnmappable);
}

TEST(Memory, RespectsDescriptorProtection) {
  char path[] = "/tmp/nnapi_memory_XXXXXX";
  const int made = mkstemp(path);
  ASSERT_EQ(ftruncate(made, 8), 0);
  close(made);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(create(8, kBoth, fd, 0), kUnmappable);
  EXPECT_EQ(create(8, PROT_READ, fd, 0), kOk);
  close(fd);
  unlink(path);
}

TEST(Memory, OutlivesTheClientsDescriptor) {
  const SharedFile from(8);
  const int fd = dup(from.fd);
  ANeuralNetworksMemory* memory = nullptr;
  ASSERT_EQ(ANeuralNetworksMemory_createFromFd(8, kBoth, fd, 0, &memory), kOk);
  close(fd);
  const Memory owned(memory);
  const SharedFile to(8);
  std::memset(from.data, 7, 8);
  EXPECT_EQ(ANeuralNetworksMemory_copy(owned.get(), to.get()), kOk);
  EXPECT_EQ(std::memcmp(to.data, from.data, 8), 0);
}

TEST(Memory, HasNoHardwareBuffers) {
  ANeuralNetworksMemory* memory = nullptr;
  const auto* const buffer = reinterpret_cast<const AHardwareBuffer*>(&memory);
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(nullptr, &memory), kNull);
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory), kUnmappable);
  EXPECT_EQ(memory, nullptr);
}

TEST(Memory, Copy) {
  const SharedFile a(8), b(8), large(20);
  const Memory readable = a.part(8, 0, PROT_READ), writable = a.part(8, 0, PROT_WRITE);
  EXPECT_EQ(ANeuralNetworksMemory_copy(nullptr, b.get()), kNull);
  EXPECT_EQ(ANeuralNetworksMemory_copy(a.get(), nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksMemory_copy(a.get(), large.get()), kData);
  EXPECT_EQ(ANeuralNetworksMemory_copy(large.get(), a.get()), kData);
  EXPECT_EQ(ANeuralNetworksMemory_copy(b.get(), readable.get()), kUnmappable);
  EXPECT_EQ(ANeuralNetworksMemory_copy(writable.get(), b.get()), kUnmappable);
  EXPECT_EQ(ANeuralNetworksMemory_copy(a.get(), a.get()), kOk);
  std::memset(a.data, 3, 8);
  EXPECT_EQ(ANeuralNetworksMemory_copy(a.get(), large.part(8, 5).get()), kOk);
  EXPECT_EQ(std::memcmp(large.data + 5, a.data, 8), 0);
  EXPECT_EQ(large.data[4], std::byte{0});
  EXPECT_EQ(large.data[13], std::byte{0});
}

TEST(Memory, CopyDetectsTruncatedFiles) {
  const SharedFile a(8), b(8);
  ASSERT_EQ(ftruncate(a.fd, 0), 0);
  EXPECT_NE(ANeuralNetworksMemory_copy(a.get(), b.get()), kOk);
  EXPECT_NE(ANeuralNetworksMemory_copy(b.get(), a.get()), kOk);
}

TEST(Memory, FreeTakesNull) {
  ANeuralNetworksMemory_free(nullptr);
  ANeuralNetworksMemoryDesc_free(nullptr);
}

}  // namespace
}  // namespace nnapi_tests
