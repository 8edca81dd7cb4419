// T.PersistentTileScheduler (language.md d.17): state in variables, coordinates as expressions of the linear index.
#include <fmt/format.h>

#include "core/staging/trace/expressions.h"
#include "core/staging/trace/function_tracer.h"
#include "core/staging/trace/module.h"
#include "core/staging/trace/regions.h"
#include "core/target/target.h"

namespace tw::staging {

using ir::Expr;
using PyOp = syntax::BinaryOp;

namespace {

struct Scheduler {
    Value primary, secondary;  // extents of the fast and the slow axis
    Value total;
    Value workers, swizzle;
    bool columnMajor = true;
    ir::Buffer linear, iteration;  // null where it keeps no state
};

class Arithmetic {
public:
    Arithmetic(Evaluator& ev, const SourceRange& range) : ev_(ev), range_(range) {}
    [[nodiscard]] Value add(const Value& a, const Value& b) const { return ev_.binary(PyOp::kAdd, a, b, range_); }
    [[nodiscard]] Value sub(const Value& a, const Value& b) const { return ev_.binary(PyOp::kSub, a, b, range_); }
    [[nodiscard]] Value mul(const Value& a, const Value& b) const { return ev_.binary(PyOp::kMul, a, b, range_); }
    [[nodiscard]] Value div(const Value& a, const Value& b) const { return ev_.binary(PyOp::kFloorDiv, a, b, range_); }
    [[nodiscard]] Value mod(const Value& a, const Value& b) const { return ev_.binary(PyOp::kMod, a, b, range_); }
    [[nodiscard]] Value pick(ir::BinaryOp op, const Value& a, const Value& b) const
    {
        const auto x = constantInt(a), y = constantInt(b);
        if (x && y)
            return (*x < *y) == (op == ir::BinaryOp::kMin) ? a : b;
        return binaryExpr(ev_, op, toExpr(ev_, a, range_), toExpr(ev_, b, range_), range_);
    }

private:
    Evaluator& ev_;
    SourceRange range_;
};

// (m, n) of the tile with this linear index.
Value coordinates(const Scheduler& s, const Arithmetic& a, const Value& tile)
{
    const Value groupSize = a.mul(s.primary, s.swizzle);
    const Value group = a.div(tile, groupSize);
    const Value base = a.mul(group, s.swizzle);
    const Value width = a.pick(ir::BinaryOp::kMax, Value(1), a.pick(ir::BinaryOp::kMin, s.swizzle, a.sub(s.secondary, base)));
    const Value rest = a.sub(tile, a.mul(group, groupSize));
    const Value fast = a.div(rest, width);
    const Value slow = a.add(base, a.mod(rest, width));
    return s.columnMajor ? makeTuple({fast, slow}) : makeTuple({slow, fast});
}

Tracer& requireTracer(Evaluator& ev, const SourceRange& range)
{
    auto* tracer = dynamic_cast<Tracer*>(ev.hooks());
    if (!tracer || !tracer->inLaunch())
        ev.fail(Code::kNotInKernel, range, "T.PersistentTileScheduler is legal inside a launch only");
    return *tracer;
}

ir::Buffer variable(Tracer& tracer, const std::string& name, const SourceRange& range)
{
    ir::BufferNode node;
    node.name = name;
    node.dtype = ir::kInt32;
    node.scope = ir::MemoryScope::kVar;
    node.shape = {ir::intImm(1)};
    const ir::Buffer buffer = tracer.allocate(std::move(node), range);
    tracer.settle(buffer);
    tracer.emitStore(buffer, zeros(1), Value(0), range);
    return buffer;
}

using SchedulerMethod = std::function<Value(Evaluator&, const BoundArguments&, const SourceRange&)>;
Value schedulerMethod(const std::string& name, const char* signature, SchedulerMethod run)
{
    return makeNative(name, [name, signature, run = std::move(run)](Evaluator& ev, const CallArguments& call) {
        return run(ev, ev.bind(signature, call, "PersistentTileScheduler." + name), call.call);
    });
}

void addMethods(InstanceValue& instance, const std::shared_ptr<const Scheduler>& s)
{
    instance.attributes["init"] = schedulerMethod("init", "worker_id", [s](Evaluator& ev, const BoundArguments& a, const SourceRange& r) {
        Tracer& t = requireTracer(ev, r);
        t.emitStore(s->iteration, zeros(1), Value(0), r);
        t.emitStore(s->linear, zeros(1), a["worker_id"], r);
        return Value();
    });
    instance.attributes["valid"] = schedulerMethod("valid", "", [s](Evaluator& ev, const BoundArguments&, const SourceRange& r) {
        return ev.compare(syntax::CompareOp::kLt, loadElement(ev, s->linear, zeros(1), r), s->total, r);
    });
    instance.attributes["next_tile"] = schedulerMethod("next_tile", "", [s](Evaluator& ev, const BoundArguments&, const SourceRange& r) {
        Tracer& t = requireTracer(ev, r);
        const Arithmetic arithmetic(ev, r);
        t.emitStore(s->iteration, zeros(1), arithmetic.add(loadElement(ev, s->iteration, zeros(1), r), Value(1)), r);
        t.emitStore(s->linear, zeros(1), arithmetic.add(loadElement(ev, s->linear, zeros(1), r), s->workers), r);
        return Value();
    });
}

Value construct(Evaluator& ev, const CallArguments& call)
{
    const auto a = ev.bind("num_m, num_n, num_workers=None, swizzle_size=1, column_major=True, cluster_size=1, stateful=True, name=None", call,
                           "T.PersistentTileScheduler");
    const SourceRange range = call.call;
    Tracer& tracer = requireTracer(ev, range);
    const Arithmetic arithmetic(ev, range);
    auto s = std::make_shared<Scheduler>();
    const std::int64_t cluster = a.has("cluster_size") ? requireInt(ev, a["cluster_size"], a.range("cluster_size"), "cluster_size") : 1;
    if (cluster < 1)
        ev.fail(Code::kValueRange, a.range("cluster_size"), fmt::format("cluster_size must be positive, not {}", cluster));
    const Value rows = cluster == 1 ? a["num_m"] : arithmetic.div(arithmetic.add(a["num_m"], Value(cluster - 1)), Value(cluster));
    s->columnMajor = !a.has("column_major") || requireBool(ev, a["column_major"], a.range("column_major"), "column_major");
    s->primary = s->columnMajor ? rows : a["num_n"];
    s->secondary = s->columnMajor ? a["num_n"] : rows;
    s->total = arithmetic.mul(rows, a["num_n"]);
    s->swizzle = a.has("swizzle_size") ? a["swizzle_size"] : Value(1);
    s->workers = a.has("num_workers") && !a["num_workers"].isNone() ? a["num_workers"] : Value(std::max<std::int64_t>(1, ev.target().multiprocessors / cluster));
    auto instance = std::make_shared<InstanceValue>();
    static const auto kType = [] {
        auto type = std::make_shared<ClassValue>();
        type->name = "PersistentTileScheduler";
        return type;
    }();
    instance->type = std::make_shared<ClassValue>(*kType);
    instance->attributes["coord"] = schedulerMethod("coord", "tile_id", [s](Evaluator& inner, const BoundArguments& given, const SourceRange& r) {
        return coordinates(*s, Arithmetic(inner, r), given["tile_id"]);
    });
    const bool stateful = !a.has("stateful") || requireBool(ev, a["stateful"], a.range("stateful"), "stateful");
    if (!stateful)
        return Value(std::move(instance));
    const std::string prefix = a["name"].str() ? *a["name"].str() + "_" : "sched_";
    s->linear = variable(tracer, prefix + "linear", range);
    s->iteration = variable(tracer, prefix + "iter", range);
    const Value linear = loadElement(ev, s->linear, zeros(1), range);
    const Value at = coordinates(*s, arithmetic, linear);
    instance->attributes["m_idx"] = itemsOf(at)[0];
    instance->attributes["n_idx"] = itemsOf(at)[1];
    instance->attributes["linear_idx"] = linear;
    instance->attributes["current_iter"] = loadElement(ev, s->iteration, zeros(1), range);
    addMethods(*instance, s);
    return Value(std::move(instance));
}

}  // namespace

Value tileSchedulerClass()
{
    auto type = std::make_shared<ClassValue>();
    type->name = "PersistentTileScheduler";
    type->construct = construct;
    return Value(std::move(type));
}

}  // namespace tw::staging
