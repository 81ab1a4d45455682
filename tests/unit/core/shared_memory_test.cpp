#include "core/shared_memory.h"

#include "core/text.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace nnrt {
namespace {

TEST(SharedMemory, IsZeroedAndRoundedUpToPages) {
  const auto memory = SharedMemory::create(5).value();
  EXPECT_EQ(memory->bytes(), 5u);
  EXPECT_EQ(memory->mapped_bytes() % 4096, 0u);
  EXPECT_TRUE(memory->owns_tail());
  for (size_t i = 0; i < memory->mapped_bytes(); ++i) ASSERT_EQ(memory->data()[i], std::byte{0});
}

TEST(SharedMemory, OfOneFileMappedTwiceShowsTheSameBytes) {
  const auto first = SharedMemory::create(4096).value();
  const auto second = SharedMemory::adopt(first->fd(), 4096).value();
  first->data()[17] = std::byte{42};
  EXPECT_EQ(second->data()[17], std::byte{42});
  EXPECT_FALSE(second->owns_tail());
}

TEST(SharedMemory, KeepsItsOwnDescriptor) {
  int fd = memfd_create("test", 0);
  ASSERT_EQ(ftruncate(fd, 100), 0);
  const auto memory = SharedMemory::adopt(fd, 100).value();
  close(fd);
  memory->data()[99] = std::byte{1};
  EXPECT_NE(memory->fd(), fd);
}

TEST(SharedMemory, RefusesAFileThatIsShorterThanSaid) {
  int fd = memfd_create("test", 0);
  ASSERT_EQ(ftruncate(fd, 100), 0);
  EXPECT_EQ(SharedMemory::adopt(fd, 101).error().code, Code::invalid_parameter);
  close(fd);
}

TEST(SharedMemory, RefusesWhatIsNoFile) {
  EXPECT_FALSE(SharedMemory::adopt(-1, 8).ok());
  EXPECT_FALSE(SharedMemory::create(0).ok());
}

TEST(SharedMemory, FindsOverlapAlsoThroughAnotherMapping) {
  const auto a = SharedMemory::create(4096).value();
  const auto b = SharedMemory::adopt(a->fd(), 4096).value();
  const auto other = SharedMemory::create(4096).value();
  EXPECT_TRUE(SharedMemory::overlap(*a, 0, 11, *b, 10, 5));
  EXPECT_FALSE(SharedMemory::overlap(*a, 0, 10, *b, 10, 5));
  EXPECT_FALSE(SharedMemory::overlap(*a, 0, 11, *other, 10, 5));
}

TEST(SharedMemory, OfACharacterDeviceOverlapsOnlyItself) {
  const int fd =
      open("/dev/zero", O_RDWR | O_CLOEXEC);  // each mapping is a memory of its own, as with ashmem
  const auto a = SharedMemory::adopt(fd, 4096).value();
  const auto b = SharedMemory::adopt(fd, 4096).value();
  close(fd);
  EXPECT_TRUE(SharedMemory::overlap(*a, 0, 8, *a, 4, 8));
  EXPECT_FALSE(SharedMemory::overlap(*a, 0, 8, *b, 4, 8));
}

TEST(SharedMemory, MakesAnAttachmentOnceForEachOwner) {
  const auto memory = SharedMemory::create(8).value();
  int made = 0;
  const auto make = [&] { return std::make_shared<int>(++made); };
  const int owners[2] = {};
  const auto first = memory->attachment(&owners[0], make);
  EXPECT_EQ(memory->attachment(&owners[0], make), first);
  EXPECT_NE(memory->attachment(&owners[1], make), first);
  EXPECT_EQ(made, 2);
}

}  // namespace
}  // namespace nnrt
