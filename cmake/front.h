// A function of a front: a jump to the private library's (cmake/front.cmake). Arguments and results pass
// through unseen.
#pragma once

#if defined(__x86_64__)
#define NNRT_JUMP(to) "endbr64\n jmp *" to "@GOTPCREL(%rip)\n"
#elif defined(__aarch64__)
#define NNRT_JUMP(to) "hint #34\n b " to "\n"  // hint #34 is bti c, for assemblers that do not know it
#else
#error "Say how to jump to a function of another library."
#endif

#define NNRT_FRONT(name)                                            \
  asm(".text\n.globl " #name "\n.type " #name ", %function\n" #name \
      ":\n " NNRT_JUMP("nnrt_front_" #name) ".size " #name ", . - " #name);
