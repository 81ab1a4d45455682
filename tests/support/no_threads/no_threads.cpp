// A preload library: thread creation fails while the file named by NNRT_TEST_NO_THREADS exists.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                             const pthread_attr_t* attributes,
                                                             void* (*work)(void*), void* argument) noexcept {
  const char* const file = std::getenv("NNRT_TEST_NO_THREADS");
  if (file != nullptr && access(file, F_OK) == 0) return EAGAIN;
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, work, argument);
}
