// From one stack to another: by hand on x86-64 (a signal mask is not worth two system calls a switch), by the C library elsewhere.
#include "codegen/llvm/scheduler.h"

#include <cstdint>

namespace tw::llvm_backend {
namespace {

#if defined(__x86_64__)
// Saves the callee's registers on the old stack, its pointer in *save, and goes on with the other stack.
__attribute__((naked, noinline)) void switchStack(void** /*save*/, void* /*load*/)
{
    asm volatile(
        "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
        "movq %rsp, (%rdi)\n movq %rsi, %rsp\n"
        "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret\n");
}
#endif

void runFiber(Fiber* fiberPointer)
{
    Fiber& fiber = *fiberPointer;
    Scheduler& scheduler = *fiber.scheduler;
    const std::int64_t block = scheduler.group->firstBlock + fiber.block;
    scheduler.group->function(&fiber, scheduler.group->frame, block, fiber.thread);
    ++scheduler.done;
    scheduler.suspend(Wait::kDone);
}

#if defined(__x86_64__)
// A fiber's first activation "returns" here with its Fiber in rbx (see prepare).
__attribute__((naked, noinline, used)) void enterFiber()
{
    asm volatile("movq %rbx, %rdi\n callq *%rbp\n");
}
#else
void enterFiber(unsigned high, unsigned low)
{
    runFiber(reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low));
}
#endif

}  // namespace

void prepare(Fiber& fiber)
{
#if defined(__x86_64__)
    auto* top = reinterpret_cast<std::uintptr_t*>(static_cast<std::uint8_t*>(fiber.stack) + kStackBytes);
    *--top = 0;
    *--top = 0;  // enterFiber finds the stack aligned for its call
    *--top = reinterpret_cast<std::uintptr_t>(&enterFiber);
    *--top = reinterpret_cast<std::uintptr_t>(&runFiber);  // rbp
    *--top = reinterpret_cast<std::uintptr_t>(&fiber);     // rbx
    for (int i = 0; i < 4; ++i)
        *--top = 0;
    fiber.saved = top;
#else
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack;
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(&fiber);
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(&enterFiber), 2, static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
#endif
}

void Scheduler::resume(Fiber& fiber)
{
    current = &fiber;
    fiber.wait = Wait::kNothing;
#if defined(__x86_64__)
    switchStack(&saved, fiber.saved);
#else
    swapcontext(&context, &fiber.context);
#endif
}

void Scheduler::suspend(Wait wait)
{
    Fiber& fiber = *current;
    fiber.wait = wait;
#if defined(__x86_64__)
    switchStack(&fiber.saved, saved);
#else
    swapcontext(&fiber.context, &context);
#endif
}

}  // namespace tw::llvm_backend
