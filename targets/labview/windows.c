/* windows.c - what a DLL needs that takes nothing from the system: an entry point and the probe of large frames.
 *
 * The compiler calls the probe where a frame is larger than a page: Windows enlarges a stack only when its pages are
 * touched one after the other. The size comes in (e)ax; every register is as it was afterwards.
 */
#if defined(__i386__)
#define ENTRY_CONVENTION __attribute__((stdcall))
#else
#define ENTRY_CONVENTION
#endif

int ENTRY_CONVENTION DllMainCRTStartup(void *module, unsigned long reason, void *reserved);

/* Called when a process or thread comes or goes: nothing is to be done. */
int ENTRY_CONVENTION DllMainCRTStartup(void *const module, const unsigned long reason, void *const reserved)
{
    (void)module;
    (void)reason;
    (void)reserved;
    return 1;
}

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl ___chkstk_ms\n"
        "___chkstk_ms:\n"
        "    pushq %rax\n"
        "    pushq %rdx\n"
        "    leaq 24(%rsp), %rdx\n" /* the stack pointer before the call */
        "1:  cmpq $4096, %rax\n"
        "    jbe 2f\n"
        "    subq $4096, %rdx\n"
        "    testq %rdx, (%rdx)\n"
        "    subq $4096, %rax\n"
        "    jmp 1b\n"
        "2:  subq %rax, %rdx\n"
        "    testq %rdx, (%rdx)\n"
        "    popq %rdx\n"
        "    popq %rax\n"
        "    ret\n");
#elif defined(__i386__)
__asm__(".text\n"
        ".globl ___chkstk_ms\n"
        "___chkstk_ms:\n"
        "    pushl %eax\n"
        "    pushl %edx\n"
        "    leal 12(%esp), %edx\n"
        "1:  cmpl $4096, %eax\n"
        "    jbe 2f\n"
        "    subl $4096, %edx\n"
        "    testl %edx, (%edx)\n"
        "    subl $4096, %eax\n"
        "    jmp 1b\n"
        "2:  subl %eax, %edx\n"
        "    testl %edx, (%edx)\n"
        "    popl %edx\n"
        "    popl %eax\n"
        "    ret\n");
#endif
