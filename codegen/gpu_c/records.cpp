// Stage records (core/passes/record_stages.h): the calls that make them, and the tables of the launches.
#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "codegen/gpu_c/stage_records.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"

namespace tw::gpu {

namespace {

using Numbers = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

template <class T>
T attrOf(const ir::Attrs& attrs, const char* name)
{
    const auto found = attrs.find(name);
    const T* value = found == attrs.end() ? nullptr : std::get_if<T>(&found->second);
    return value ? *value : T{};
}

StageRecords tableOf(const ir::Attrs& attrs)
{
    StageRecords table;
    table.capacity = attrOf<std::int64_t>(attrs, "record_capacity");
    table.blocks = attrOf<Numbers>(attrs, "record_blocks");
    table.spread = static_cast<int>(attrOf<std::int64_t>(attrs, "record_spread"));
    const auto names = attrOf<Texts>(attrs, "record_roles"), kinds = attrOf<Texts>(attrs, "record_kinds");
    const auto leaders = attrOf<Numbers>(attrs, "record_leaders"), depths = attrOf<Numbers>(attrs, "record_depths");
    for (std::size_t i = 0; i < names.size(); ++i)
        table.roles.push_back({names[i], leaders.at(i)});
    for (std::size_t i = 0; i < kinds.size(); ++i)
        table.events.push_back({kinds[i], 0, {}, static_cast<int>(depths.at(i))});
    return table;
}

// Finds the tables, and in the code of each launch what its events stand for.
class Tables final : public ir::Visitor {
public:
    explicit Tables(const GpuProgram& program) : program_(program) {}
    std::vector<StageRecords> found;
    using ir::Visitor::visit;

    void visit(const ir::Stmt& s) override
    {
        const auto* op = ir::as<ir::OpStmt>(s);
        if (op && op->call.op == ir::OpId::kStageRecord && records_)
            note(constantOf(ir::exprOperand(op->call, "event"), 0), s->where);
        const auto* launch = ir::as<ir::Launch>(s);
        if (!launch)
            return ir::Visitor::visit(s);
        records_ = launch->attrs.contains("record_capacity");
        if (records_) {
            found.push_back(tableOf(launch->attrs));
            found.back().launch = next_;
            found.back().workspace = program_.launches.at(static_cast<std::size_t>(next_)).arguments.back().index;
        }
        ir::Visitor::visit(s);
        records_ = false;
        ++next_;
    }

private:
    void note(std::int64_t event, const ir::Provenance& where)
    {
        if (event <= 0 || event > static_cast<std::int64_t>(found.back().events.size()))
            return;
        RecordedEvent& meant = found.back().events[static_cast<std::size_t>(event) - 1];
        if (!meant.source.isKnown()) {
            meant.op = where.op;
            meant.source = where.range;
        }
    }

    const GpuProgram& program_;
    bool records_ = false;
    int next_ = 0;
};

// "a == 3 ? 0 : a == 7 ? 1 : -1"
std::string positionIn(const std::string& a, const Numbers& values)
{
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
        text += fmt::format("{} == {} ? {} : ", a, values[i], i);
    text += "-1";
    return text;
}

}  // namespace

std::vector<StageRecords> stageRecords(const ir::Function& function, const GpuProgram& program)
{
    Tables tables(program);
    static_cast<ir::Visitor&>(tables).visit(function.body);
    return std::move(tables.found);
}

void KernelPrinter::nameRecorder()
{
    if (!launch_.attrs.contains("record_capacity"))
        return;
    recordsName_ = names_.make("stage_records");
    recorderName_ = names_.make("recorder");
    slotName_ = names_.make("record_slot");
}

// Blocks that were not chosen run the code as it is without records: where a multiprocessor waits for every cycle of a role, even a
// record that is not made would cost some. The arms are chosen by whole blocks, so barriers in them meet.
void KernelPrinter::bothBodies()
{
    out_.plain(fmt::format("if ({} >= 0) {{", slotName_));
    block(launch_.body);
    out_.plain("} else {");
    omitsRecords_ = true;
    block(launch_.body);
    omitsRecords_ = false;
    out_.plain("}");
}

Text KernelPrinter::record(const ir::OpCall& call) const
{
    if (omitsRecords_)
        return {};
    const std::int64_t event = constantOf(ir::exprOperand(call, "event"), 0), capacity = ir::intAttr(launch_.attrs, "record_capacity", 0);
    return {event == 0 ? fmt::format("tw_record_finish({}, {}, {})", recorderName_, recordsName_, capacity)
                       : fmt::format("tw_record({}, {}, {}, {})", recorderName_, recordsName_, capacity, event)};
}

void KernelPrinter::startRecords(Writer& to)
{
    const StageRecords table = tableOf(launch_.attrs);
    Numbers warps;
    for (const RecordedRole& role : table.roles)
        warps.push_back(role.leader / 32);
    const std::string slot = table.blocks.empty() ? fmt::format("tw_record_spread({})", table.spread) : positionIn("tw_record_block()", table.blocks);
    to.plain(fmt::format("const int {} = {};", slotName_, slot));
    to.plain(fmt::format("unsigned {} = tw_record_start({}, {}, {}, {}, {});", recorderName_, recordsName_, slotName_, table.roles.size(),
                         positionIn(fmt::format("{} / 32", threadNumber()), warps), table.capacity));
}

// Behind all other parameters: `stageRecords` finds it there.
std::string KernelPrinter::recordParameter(KernelLaunch& out)
{
    const StageRecords table = tableOf(launch_.attrs);
    const std::int64_t blocks = table.blocks.empty() ? table.spread : static_cast<std::int64_t>(table.blocks.size());
    const std::int64_t words = blocks * static_cast<std::int64_t>(table.roles.size()) * (kRecordHeaderWords + kRecordWords * table.capacity);
    out.arguments.push_back({ArgumentKind::kWorkspace, static_cast<int>(program_.workspaces.size()), recordsName_, ir::kHandle});
    program_.workspaces.push_back({recordsName_, ir::kUInt32, {ir::intImm(words)}, false});
    return "unsigned* __restrict__ " + recordsName_;
}

}  // namespace tw::gpu
