// T.Kernel and its relatives, the indices of a launch, T.ws, T.attr (language.md d.1, d.13).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

using ir::Expr;

namespace {

Tracer& tracerOf(Evaluator& ev, const SourceRange& range, const std::string& name)
{
    if (auto* tracer = dynamic_cast<Tracer*>(ev.hooks()))
        return *tracer;
    ev.fail(Code::kNotInKernel, range, fmt::format("{} is legal inside a kernel only (@T.prim_func, an eager @tilelang.jit function, @T.macro)", name));
}

void readThreads(const Native& n, LaunchSpec& launch)
{
    if (!n.has("threads"))
        return;
    const auto items = itemsOf(n["threads"]);
    if (items.empty() || items.size() > 3)
        n.ev.fail(Code::kThreadCount, n.range("threads"), fmt::format("threads takes one to three extents, not {}", items.size()));
    launch.threads = {1, 1, 1};
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].isNone())
            continue;
        launch.threads[i] = requireInt(n.ev, items[i], n.range("threads"), "threads");
        if (launch.threads[i] < 1)
            n.ev.fail(Code::kThreadCount, n.range("threads"), fmt::format("threads must be positive, not {}", launch.threads[i]));
    }
}

void readGrid(const Native& n, LaunchSpec& launch)
{
    std::vector<Value> blocks = n.args.rest();
    if (blocks.size() == 1)
        blocks = itemsOf(blocks.front());
    if (blocks.size() > 3)
        n.fail(Code::kCallArguments, fmt::format("{} takes at most three grid extents, not {}", n.name, blocks.size()));
    if (blocks.empty())
        blocks.emplace_back(1);  // one block
    for (const auto& block : blocks) {
        launch.grid.push_back(toIndex(n.ev, block, n.range(), fmt::format("a grid extent of {}", n.name)));
        if (const auto* extent = ir::asInt(launch.grid.back()); extent && *extent < 0)
            n.fail(Code::kValueRange, fmt::format("a grid extent is {}, but it cannot be negative", *extent));
    }
}

// What passes know of a launch, in the text form of their code: no author writes it. How its threads run is known before the thread stage.
void readAnnotations(const Native& n, LaunchSpec& launch)
{
    if (!n.has("annotations"))
        return;
    const auto* dict = n["annotations"].object<DictValue>();
    const bool isAny = n.tracer().function().stage == ir::Stage::kThread;
    if (!dict)
        n.ev.fail(Code::kTypeMismatch, n.range("annotations"), fmt::format("annotations of {} must be a dict", n.name));
    for (const auto& [key, value] : dict->items) {
        auto attr = toAttr(value);
        if (!attr || !key.str() || (!isAny && *key.str() != "execution"))
            n.ev.fail(Code::kOption, n.range("annotations"), fmt::format("{} has no such annotation; only code that passes made has any", n.name));
        launch.attrs[*key.str()] = *std::move(attr);
    }
}

std::shared_ptr<LaunchSpec> readLaunch(const Native& n)
{
    auto launch = std::make_shared<LaunchSpec>();
    launch->range = n.range();
    readGrid(n, *launch);
    readThreads(n, *launch);
    readAnnotations(n, *launch);
    if (n.has("prelude"))
        launch->attrs["prelude"] = n.text("prelude");
    return launch;
}

Value context(std::string name, std::function<Value(Evaluator&, const SourceRange&)> enter, std::function<void(Evaluator&)> leave, bool isDeviceScope = true)
{
    ContextValue value{std::move(name), std::move(enter), std::move(leave), isDeviceScope};
    return Value(std::make_shared<const ContextValue>(std::move(value)));
}

Value launchContext(const Native& n, std::shared_ptr<LaunchSpec> launch)
{
    const std::string name = n.name;
    const SourceRange range = n.range();
    return context(
        n.row.name,
        [launch, name, range](Evaluator& ev, const SourceRange&) { return tracerOf(ev, range, name).openLaunch(std::make_shared<LaunchSpec>(*launch), range); },
        [name, range](Evaluator& ev) { tracerOf(ev, range, name).closeLaunch(); });
}

Value clusterKernel(const Native& n)
{
    auto launch = readLaunch(n);
    if (n.has("cluster_dims"))
        for (const auto& item : itemsOf(n["cluster_dims"])) {
            launch->cluster.push_back(requireInt(n.ev, item, n.range("cluster_dims"), "cluster_dims"));
            if (launch->cluster.back() < 1)
                n.ev.fail(Code::kValueRange, n.range("cluster_dims"), fmt::format("cluster_dims must be positive, not {}", launch->cluster.back()));
        }
    std::int64_t blocks = 1;
    for (const auto c : launch->cluster)
        blocks *= c;
    if (blocks == 1)
        launch->cluster.clear();  // the same as a plain launch
    return launchContext(n, launch);
}

Value sourceKernel(const Native& n)
{
    auto launch = readLaunch(n);
    launch->attrs["source"] = n.text("source_code_or_path");
    launch->attrs["entry_name"] = n.text("entry_name", "main_kernel");
    n.tracer().launchSource(*launch);
    return Value();
}

// ---- indices ----

std::size_t axisArgument(const Native& n, std::size_t count)
{
    const std::int64_t dim = n.integer("dim", 0);
    if (dim < 0 || dim >= static_cast<std::int64_t>(count))
        n.ev.fail(Code::kIndexRange, n.range("dim"), fmt::format("{}({}) is out of range: this launch has {} such {}", n.name, dim, count, count == 1 ? "axis" : "axes"));
    return static_cast<std::size_t>(dim);
}

Value threadBinding(const Native& n) { return Expr(n.launch().launch()->threadVars[axisArgument(n, 3)]); }

Value blockBinding(const Native& n)
{
    const auto& vars = n.launch().launch()->blockVars;
    return Expr(vars[axisArgument(n, vars.size())]);
}

template <class List>
Value allOf(const List& vars)
{
    std::vector<Value> items;
    for (const auto& v : vars)
        items.emplace_back(Expr(v));
    return makeList(std::move(items));
}

// An axis of the launch by its CUDA name; `extent` must be the launch's own. The index counts as a loop of one iteration, so
// `for tx in T.thread_binding(…)` works too.
Value axisByName(const Native& n, const std::string& axis, const Expr& extent)
{
    const auto& launch = *n.launch().launch();
    static const std::vector<std::string> kAxes = {"threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x", "blockIdx.y", "blockIdx.z"};
    const auto it = std::find(kAxes.begin(), kAxes.end(), axis);
    if (it == kAxes.end())
        n.fail(Code::kValueRange, fmt::format("'{}' is no launch axis; there are threadIdx.x, .y, .z and blockIdx.x, .y, .z", axis));
    const auto index = static_cast<std::size_t>(it - kAxes.begin());
    if (index < 3) {
        const auto* count = ir::asInt(extent);
        if (!count || *count != launch.threads[index])
            n.fail(Code::kThreadCount, fmt::format("{} has {} threads in this launch, but {} says {}", axis, launch.threads[index], n.name, ir::print(extent)));
        return Expr(launch.threadVars[index]);
    }
    if (index - 3 >= launch.blockVars.size())
        n.fail(Code::kIndexRange, fmt::format("the launch has {} grid axes and no {}", launch.blockVars.size(), axis));
    return Expr(launch.blockVars[index - 3]);
}

// T.thread_binding(n, thread=…) or (0, n, thread=…).
Value threadAxis(const Native& n)
{
    const Expr begin = n.has("stop") ? n.index("start") : ir::intImm(0);
    const Expr end = n.has("stop") ? n.index("stop") : n.index("start");
    return axisByName(n, n.text("thread", "threadIdx.x"), difference(end, begin));
}

Value launchThread(const Native& n) { return axisByName(n, n.text("thread"), n.index("extent")); }

// ---- scopes inside a launch ----

Expr linearThread(const LaunchSpec& launch)
{
    Expr id = launch.threadVars[0];
    std::int64_t stride = launch.threads[0];
    for (std::size_t i = 1; i < 3; ++i) {
        if (launch.threads[i] > 1)
            id = ir::add(id, ir::mul(launch.threadVars[i], ir::intImm(stride)));
        stride *= launch.threads[i];
    }
    return id;
}

// The threads of the groups, neighbouring groups as one range.
Expr groupCondition(const LaunchSpec& launch, std::vector<std::int64_t> groups)
{
    std::sort(groups.begin(), groups.end());
    const std::int64_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
    const Expr id = linearThread(launch);
    Expr any;
    for (std::size_t i = 0; i < groups.size();) {
        std::size_t j = i + 1;
        while (j < groups.size() && groups[j] <= groups[j - 1] + 1)
            ++j;
        const std::int64_t low = groups[i] * 128, high = (groups[j - 1] + 1) * 128;
        Expr one;
        if (low > 0)
            one = ir::binary(ir::BinaryOp::kGe, id, ir::intImm(low));
        if (high < threads)
            one = ir::logicalAnd(one, ir::binary(ir::BinaryOp::kLt, id, ir::intImm(high)));
        if (!one)
            one = ir::boolImm(true);
        any = any ? ir::binary(ir::BinaryOp::kOr, any, one) : one;
        i = j;
    }
    return any;
}

Value warpSpecialize(const Native& n)
{
    Tracer& t = n.launch();
    std::vector<std::int64_t> groups;
    const auto& launch = *t.launch();
    const std::int64_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
    const std::int64_t count = (threads + 127) / 128;
    if (threads % 128 != 0)
        n.fail(Code::kThreadCount, fmt::format("{} runs its body on warp groups of 128 threads, but {} threads are no multiple of 128", n.name, threads));
    for (const auto& item : n.args.rest())
        for (const auto& one : itemsOf(item)) {
            groups.push_back(requireInt(n.ev, one, n.range(), fmt::format("a warp group of {}", n.name)));
            if (groups.back() < 0 || groups.back() >= count)
                n.fail(Code::kThreadCount, fmt::format("warp group {} does not exist: the launch has {} group{} of 128 threads", groups.back(), count, count == 1 ? "" : "s"));
        }
    if (groups.empty())
        n.fail(Code::kCallArguments, fmt::format("{} needs the warp groups that run its body", n.name));
    const Expr condition = groupCondition(launch, groups);
    const SourceRange range = n.range();
    const std::string name = n.name;
    return context(
        "ws",
        [condition, range, name](Evaluator& ev, const SourceRange&) { tracerOf(ev, range, name).openBranch(condition, range); return Value(); },
        [range, name](Evaluator& ev) { tracerOf(ev, range, name).closeBranch(); });
}

// How lambda x, y: … combines.
std::string combinerOf(const Native& n)
{
    const auto x = std::make_shared<ir::VarNode>(ir::kFloat32, "x");
    const auto y = std::make_shared<ir::VarNode>(ir::kFloat32, "y");
    const Value result = n.ev.call(n["combiner"], {Value(Expr(x)), Value(Expr(y))}, n.range());
    const auto* binary = ir::as<ir::Binary>(result.expr());
    const bool onBoth = binary && ((binary->a.get() == x.get() && binary->b.get() == y.get()) ||
                                   (binary->a.get() == y.get() && binary->b.get() == x.get()));
    if (onBoth) {
        switch (binary->op) {
        case ir::BinaryOp::kAdd: return "sum";
        case ir::BinaryOp::kMax: return "max";
        case ir::BinaryOp::kMin: return "min";
        case ir::BinaryOp::kMul: return "product";
        default: break;
        }
    }
    n.fail(Code::kNotSupported, "not supported: a reducer other than x + y, x * y, T.max(x, y) and T.min(x, y)");
}

Value attribute(const Native& n)
{
    const auto* reducer = n["node"].str();
    const bool isReducer = reducer && n.text("attr_key", "") == "reduce_scope";
    const std::string combiner = isReducer ? *reducer : std::string();
    const SourceRange range = n.range();
    return context(
        "attr",
        [combiner, range](Evaluator& ev, const SourceRange&) {
            if (!combiner.empty())
                tracerOf(ev, range, "T.attr").combiner = combiner;
            return Value();
        },
        [range](Evaluator& ev) { tracerOf(ev, range, "T.attr").combiner.clear(); }, false);
}

Value emptyContext(const Native& n)
{
    return context(n.row.name, [](Evaluator&, const SourceRange&) { return Value(); }, [](Evaluator&) {}, false);
}

constexpr NativeRow kLaunchRows[] = {
    {"Kernel", "*blocks, threads=None, prelude=None, is_cpu=False, annotations=None", [](const Native& n) { return launchContext(n, readLaunch(n)); }},
    {"ClusterKernel", "*blocks, cluster_dims=None, threads=None, prelude=None, annotations=None", clusterKernel},
    {"CUDASourceCodeKernel", "*blocks, threads=None, source_code_or_path=None, entry_name='main_kernel', cluster_dims=None, prelude=None, annotations=None", sourceKernel},
    {"get_thread_binding", "dim=0", threadBinding},
    {"get_thread_bindings", "", [](const Native& n) { return allOf(n.launch().launch()->threadVars); }},
    {"get_block_binding", "dim=0", blockBinding},
    {"get_block_bindings", "", [](const Native& n) { return allOf(n.launch().launch()->blockVars); }},
    {"get_thread_extent", "dim=0", [](const Native& n) { return Value(n.launch().launch()->threads[axisArgument(n, 3)]); }},
    {"get_thread_extents", "", [](const Native& n) {
         const auto& threads = n.launch().launch()->threads;
         return makeList({Value(threads[0]), Value(threads[1]), Value(threads[2])});
     }},
    {"get_block_extent", "dim=0", [](const Native& n) {
         const auto& grid = n.launch().launch()->grid;
         const auto& extent = grid[axisArgument(n, grid.size())];
         return ir::asInt(extent) ? Value(*ir::asInt(extent)) : Value(extent);
     }},
    {"get_block_extents", "", [](const Native& n) {
         std::vector<Value> items;
         for (const auto& e : n.launch().launch()->grid)
             items.push_back(ir::asInt(e) ? Value(*ir::asInt(e)) : Value(e));
         return makeList(std::move(items));
     }},
    {"thread_binding", "start, stop=None, thread=None, annotations=None", threadAxis},
    {"launch_thread", "thread, extent", launchThread},
    {"ws", "*warp_groups", warpSpecialize},
    {"WarpSpecialize", "*warp_groups", warpSpecialize},
    {"warp_specialize", "*warp_groups", warpSpecialize},
    {"ws_op", "id", emptyContext},
    {"sblock", "name=''", emptyContext},
    {"comm_reducer", "combiner, identity", [](const Native& n) { return Value(combinerOf(n)); }},
    {"attr", "node, attr_key, value", attribute},
};

}  // namespace

Rows launchRows() { return kLaunchRows; }

Expr linearThreadIndex(const LaunchSpec& launch) { return linearThread(launch); }

}  // namespace tw::staging
