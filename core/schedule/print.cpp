#include <fmt/format.h>

#include "core/schedule/schedule.h"

namespace tw::schedule {

namespace {

const char* nameOf(PipelineKind kind)
{
    switch (kind) {
    case PipelineKind::kCpAsync: return "cp_async";
    case PipelineKind::kRegisters: return "registers";
    case PipelineKind::kBarriers: return "barriers";
    }
    return "";
}

const char* nameOf(EntryKind kind)
{
    switch (kind) {
    case EntryKind::kOp: return "op";
    case EntryKind::kScope: return "scope";
    case EntryKind::kAcquire: return "acquire";
    case EntryKind::kCommit: return "commit";
    case EntryKind::kWait: return "wait";
    case EntryKind::kRelease: return "release";
    }
    return "";
}

std::string printed(const Program& program, const Schedule& schedule)
{
    std::string text;
    for (const Entry& entry : program.entries)
        text += fmt::format("{}{}({}, stage={})", text.empty() ? "" : ", ", nameOf(entry.kind), entry.index, entry.stage);
    return fmt::format("        {}: [{}],\n", schedule.roles[static_cast<std::size_t>(program.role)].name, text);
}

}  // namespace

std::string print(const Schedule& schedule)
{
    std::string text = "tw.schedule(\n";
    for (const Role& role : schedule.roles)
        text += fmt::format("    role {}: warps {}:{}{}\n", role.name, role.firstWarp, role.firstWarp + role.warps,
                            role.registers ? fmt::format(", {} registers", role.registers) : "");
    for (const Pipeline& pipe : schedule.pipelines) {
        std::string names;
        for (const ir::Buffer& buffer : pipe.buffers)
            names += (names.empty() ? "" : ", ") + buffer->name;
        text += fmt::format("    pipeline {}: {}, depth {}, [{}]\n", pipe.name, nameOf(pipe.kind), pipe.depth, names);
    }
    for (std::size_t i = 0; i < schedule.scopes.size(); ++i) {
        text += fmt::format("    scope {}: {{\n", i);
        for (const Program& program : schedule.scopes[i].programs)
            text += printed(program, schedule);
        text += "    }\n";
    }
    return text + ")\n";
}

}  // namespace tw::schedule
