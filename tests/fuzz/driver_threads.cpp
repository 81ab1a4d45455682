// Linked into programs that use a Vulkan driver, for builds with the address sanitizer.

// A driver's threads have memory for their thread_local variables, which the sanitizers of clang 14 and g++
// 12 look for behind each call of __tls_get_addr: what lies 16 bytes behind the start of a page they take for
// a block of glibc before 2.25, and read a length from what is before it. The search for leaks then ends with
// "Tracer caught signal 11". Without this, blocks that the dynamic linker allocated are searched as such.
extern "C" const char* __asan_default_options();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() { return "intercept_tls_get_addr=0"; }
