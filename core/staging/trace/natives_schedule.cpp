// Explicit warp-specialisation programs (language.md d.13): accepted and checked for their form. The program without them
// is correct already, so they only say how one target should spread it.
#include <fmt/format.h>

#include "core/staging/trace/module.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

namespace {

Value record(const Native& n)
{
    auto type = std::make_shared<ClassValue>();
    type->name = n.row.name;
    auto instance = std::make_shared<InstanceValue>();
    instance->type = std::move(type);
    for (const char* name : {"name", "warps_lo", "warps_hi", "max_nreg", "buffers", "depth", "num_warps", "roles", "pipelines", "scopes", "loop", "ops"})
        if (n.args.has(name))
            instance->attributes[name] = n[name];
    return Value(std::move(instance));
}

Value schedule(const Native& n)
{
    const std::int64_t warps = n.integer("num_warps", 4);
    if (warps < 4 || warps % 4 != 0)
        n.ev.fail(Code::kValueRange, n.range("num_warps"), fmt::format("num_warps must be a positive multiple of 4, not {}", warps));
    return record(n);
}

Value annotate(const Native& n)
{
    const auto* instance = n["schedule"].object<InstanceValue>();
    if (!instance || instance->type->name != "WSSchedule")
        n.ev.fail(Code::kTypeMismatch, n.range("schedule"), fmt::format("{} takes a T.WSSchedule, not {}", n.name, typeName(n["schedule"])));
    (void)n.launch();
    return Value();
}

constexpr NativeRow kScheduleRows[] = {
    {"WSRole", "name, warps_lo=0, warps_hi=0, max_nreg=0", record},
    {"WSPipeline", "name, buffers, depth=1", record},
    {"WSSchedule", "num_warps=4, roles=None, pipelines=None, scopes=None, **kwargs", schedule},
    {"annotate_ws_schedule", "schedule", annotate},
};

Value syncMethods()
{
    auto type = std::make_shared<ClassValue>();
    type->name = "WSSync";
    for (const char* name : {"producer_acquire", "producer_commit", "consumer_wait", "consumer_release"})
        type->attributes[name] = makeNative(name, [name](Evaluator& ev, const CallArguments& call) {
            const auto bound = ev.bind("pipe, stage=0", call, std::string("T.WSSync.") + name);
            return makeTuple({Value(name), bound["pipe"], bound["stage"]});
        });
    return Value(std::move(type));
}

Value scopeClass()
{
    auto type = std::make_shared<ClassValue>();
    type->name = "WSScope";
    type->attributes["ROOT"] = Value("__root__");
    type->construct = [](Evaluator& ev, const CallArguments& call) {
        const auto bound = ev.bind("loop, ops=None, **kwargs", call, "T.WSScope");
        auto instance = std::make_shared<InstanceValue>();
        instance->type = std::make_shared<ClassValue>();
        instance->type->name = "WSScope";
        instance->attributes["loop"] = bound["loop"];
        instance->attributes["ops"] = bound["ops"];
        return Value(std::move(instance));
    };
    return Value(std::move(type));
}

}  // namespace

Rows scheduleRows() { return kScheduleRows; }

std::optional<Value> scheduleName(const std::string& name)
{
    if (name == "WSID")
        return Value("ws_id");
    if (name == "WSSync")
        return syncMethods();
    if (name == "WSScope")
        return scopeClass();
    return std::nullopt;
}

}  // namespace tw::staging
