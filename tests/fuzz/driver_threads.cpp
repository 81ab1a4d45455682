// Linked into programs that use a Vulkan driver, for address sanitizer builds.

// For thread_local variables of driver threads, the sanitizers of clang 14 and g++ 12 inspect the result of
// each __tls_get_addr call: an address 16 bytes past a page start is taken for a glibc block from before
// 2.25, and they read a length from the preceding memory. The leak check then ends with "Tracer caught signal
// 11". Disabling the interceptor makes them scan only blocks the dynamic linker allocated.
extern "C" const char* __asan_default_options();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() { return "intercept_tls_get_addr=0"; }
