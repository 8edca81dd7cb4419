// Emission, frames, launches and parameters.
#include "core/staging/trace/function_tracer.h"

#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/staging/trace/regions.h"

namespace tw::staging {

using ir::Expr;

Tracer::Tracer(Evaluator& ev, Form form, std::shared_ptr<Environment> scope, std::string name, const SourceRange& range)
    : HostHooks(ev), form_(form), scope_(std::move(scope))
{
    function_.name = std::move(name);
    function_.range = range;
    push(range);
}

// ---- frames ----

void Tracer::push(const SourceRange& range, bool isLoop)
{
    Frame frame;
    frame.range = range;
    frame.isLoop = isLoop;
    frames_.push_back(std::move(frame));
}

std::vector<ir::Stmt> Tracer::pop()
{
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    for (const auto& buffer : frame.buffers)
        ended_[buffer.get()] = frame.range;
    return std::move(frame.statements);
}

ir::Stmt Tracer::runFrame(const BodyCallback& body, const SourceRange& range, bool isLoop)
{
    push(range, isLoop);
    body();
    return ir::sequence(pop());
}

void Tracer::emit(ir::Stmt statement, const SourceRange& range)
{
    Frame& frame = frames_.back();
    if (!frame.closed) {
        frame.statements.push_back(std::move(statement));
        return;
    }
    if (!frame.warned)
        ev_.diagnostics().warning(Code::kStructure, range, "this statement is never reached: the block ends before it");
    frame.warned = true;
}

void Tracer::addSource(ir::OpCall call, const SourceRange& range)
{
    if (inLaunch())
        emitOp(std::move(call), range);
    else
        sources_.emplace_back(std::move(call), range);
}

void Tracer::emitOp(ir::OpCall call, const SourceRange& range)
{
    const bool isHint = ir::info(call.op).cls == ir::OpClass::kAnnotation;
    const std::uint32_t id = isHint ? 0 : openOperation_ ? openOperation_ : ++operations_;
    emit(std::make_shared<ir::OpStmt>(std::move(call), ir::Provenance{range, id}), range);
}

ir::Buffer Tracer::allocate(ir::BufferNode node, const SourceRange& range)
{
    auto owned = std::make_shared<ir::BufferNode>(std::move(node));
    owned->where = {range, 0};
    ir::Buffer buffer = owned;
    owned_[buffer.get()] = std::move(owned);
    unnamed_.insert(buffer.get());
    frames_.back().buffers.push_back(buffer);
    emit(std::make_shared<ir::Allocate>(buffer, ir::Provenance{range, 0}), range);
    return buffer;
}

ir::Buffer Tracer::makeOutput(ir::BufferNode node, const SourceRange& range)
{
    auto owned = std::make_shared<ir::BufferNode>(std::move(node));
    owned->where = {range, 0};
    ir::Buffer buffer = owned;
    owned_[buffer.get()] = std::move(owned);
    unnamed_.insert(buffer.get());
    outputs_.push_back(buffer);
    return buffer;
}

ir::BufferNode* Tracer::editable(const ir::Buffer& buffer)
{
    const auto it = owned_.find(buffer.get());
    return it == owned_.end() ? nullptr : it->second.get();
}

const SourceRange* Tracer::endOf(const ir::Buffer& buffer) const
{
    const auto it = ended_.find(buffer.get());
    return it == ended_.end() ? nullptr : &it->second;
}

void Tracer::rename(const ir::Buffer& buffer, const std::string& name)
{
    if (unnamed_.erase(buffer.get()) == 0)
        return;
    if (auto* node = editable(buffer))
        node->name = namePrefix.empty() ? name : namePrefix + name;
}

void Tracer::renameIndex(const Expr& var, const std::string& name)
{
    const auto it = unnamedVars_.find(var.get());
    if (it == unnamedVars_.end())
        return;
    it->second->name = name;
    unnamedVars_.erase(it);
}

// ---- launches ----

Value Tracer::openLaunch(std::shared_ptr<LaunchSpec> launch, const SourceRange& range)
{
    ConstSurvey* ending = survey ? survey : !missingConsts.empty() ? stopAtLaunchIfMissing : nullptr;
    if (ending) {
        ending->reachedLaunch = true;
        throw StagingStop{};  // the extents are known now, the rest is for the second run
    }
    if (launch_)
        ev_.fail(Code::kStructure, range, "a launch inside a launch; close the first `with T.Kernel` before the next one");
    launch_ = std::move(launch);
    launch_->range = range;
    static constexpr const char* kBlock[] = {"bx", "by", "bz"};
    static constexpr const char* kThread[] = {"tx", "ty", "tz"};
    const auto makeIndex = [&](const char* name) {
        auto var = std::make_shared<ir::VarNode>(ir::kInt32, name, ir::Provenance{range, 0});
        unnamedVars_[var.get()] = var;
        return ir::Var(var);
    };
    std::vector<Value> indices;
    for (std::size_t i = 0; i < launch_->grid.size(); ++i) {
        launch_->blockVars.push_back(makeIndex(kBlock[i]));
        indices.emplace_back(Expr(launch_->blockVars.back()));
    }
    for (std::size_t i = 0; i < 3; ++i)
        launch_->threadVars[i] = makeIndex(kThread[i]);
    push(range);
    for (const auto& [call, where] : sources_)
        emitOp(call, where);
    return indices.size() == 1 ? indices.front() : makeTuple(std::move(indices));
}

void Tracer::closeLaunch()
{
    auto launch = std::exchange(launch_, nullptr);
    auto node = std::make_shared<ir::Launch>(launch->grid, launch->blockVars, launch->threads, launch->threadVars,
                                             ir::sequence(pop()), ir::Provenance{launch->range, 0});
    node->cluster = launch->cluster;
    node->attrs = launch->attrs;
    emit(std::move(node), launch->range);
}

void Tracer::launchSource(LaunchSpec launch)
{
    auto shared = std::make_shared<LaunchSpec>(std::move(launch));
    const auto range = shared->range;
    (void)openLaunch(std::move(shared), range);
    closeLaunch();
}

void Tracer::openBranch(Expr condition, const SourceRange& range)
{
    push(range);
    frames_.back().condition = std::move(condition);
}

void Tracer::closeBranch()
{
    const Expr condition = frames_.back().condition;
    const SourceRange range = frames_.back().range;
    ir::Stmt body = ir::sequence(pop());
    emit(std::make_shared<ir::If>(condition, std::move(body), ir::Stmt{}, ir::Provenance{range, 0}), range);
}

// ---- parameters ----

void Tracer::addSymbols(const std::vector<Expr>& extents)
{
    class Finder final : public ir::Visitor {
    public:
        std::vector<ir::Expr> found;
        using Visitor::visit;
        void visit(const Expr& e) override
        {
            if (ir::as<ir::VarNode>(e))
                found.push_back(e);
            Visitor::visit(e);
        }
    } finder;
    for (const auto& e : extents)
        finder.visit(e);
    for (const auto& e : finder.found) {
        const auto isSame = [&](const ir::Var& v) { return v.get() == e.get(); };
        const auto isScalar = [&](const ir::Param& p) {
            const auto* var = std::get_if<ir::Var>(&p.value);
            return var && var->get() == e.get();
        };
        if (std::none_of(function_.symbols.begin(), function_.symbols.end(), isSame) &&
            std::none_of(function_.params.begin(), function_.params.end(), isScalar))
            function_.symbols.push_back(std::static_pointer_cast<const ir::VarNode>(e));
    }
}

bool Tracer::isParameter(const std::string& name) const { return declared_.count(name) > 0; }

Value Tracer::addParameter(const std::string& name, const Value& annotation, const SourceRange& range)
{
    declared_.insert(name);
    if (const auto made = annotation.buffer()) {
        if (made->scope != ir::MemoryScope::kGlobal)
            ev_.fail(Code::kParameter, range,
                     fmt::format("parameter {} must be a global tensor (T.Tensor), not a {} buffer", name, ir::scopeName(made->scope)));
        auto node = std::make_shared<ir::BufferNode>(*made);
        node->name = name;
        node->where = {range, 0};
        addSymbols(node->shape);
        addSymbols(node->strides);
        if (survey) {
            auto& shapes = survey->shapes[name];
            shapes = node->shape;
            shapes.insert(shapes.end(), node->strides.begin(), node->strides.end());
        }
        ir::Buffer buffer = node;
        function_.params.push_back({buffer});
        return buffer;
    }
    const auto* native = annotation.object<const NativeFunction>();
    const bool isPointer = native && native->name == "ptr";
    const auto type = isPointer ? std::optional(ir::kHandle) : asDType(annotation);
    if (!type)
        ev_.fail(Code::kParameter, range,
                 fmt::format("the annotation of parameter {} is {}; a kernel's parameter is a T.Tensor(shape, dtype), a scalar "
                             "dtype such as T.float32, or T.ptr",
                             name, annotation.isNone() ? "missing" : typeName(annotation)));
    auto var = std::make_shared<ir::VarNode>(*type, name, ir::Provenance{range, 0});
    function_.params.push_back({ir::Var(var)});
    return Expr(var);
}

bool Tracer::declareParameter(const syntax::Identifier& name, const Value& annotation, const SourceRange& range)
{
    if (expected_.erase(name.text) == 0)
        return false;
    scope_->names[name.text] = addParameter(name.text, annotation, range);
    return true;
}

// ---- the function ----

namespace {

constexpr std::string_view kNamelessOutput = "out";  // of T.empty as makeOutput names it

// Arguments are found by name, and a macro that makes an output may be called twice.
void distinguish(std::string& name, const std::vector<ir::Param>& others)
{
    const std::string wanted = name;
    const auto isTaken = [&] { return std::any_of(others.begin(), others.end(), [&](const ir::Param& p) { return p.name() == name; }); };
    for (int k = 1; isTaken(); ++k)
        name = fmt::format("{}_{}", wanted, k);
}

}  // namespace

void Tracer::returnOutputs(const std::optional<Value>& result, const SourceRange& range)
{
    const std::size_t inputs = function_.params.size();
    const auto isNameless = [](const ir::Buffer& b) { return b->name == kNamelessOutput; };
    const bool several = std::count_if(outputs_.begin(), outputs_.end(), isNameless) > 1;
    int nameless = 0;
    for (const auto& buffer : outputs_) {
        if (several && isNameless(buffer))
            editable(buffer)->name += std::to_string(nameless++);
        distinguish(editable(buffer)->name, function_.params);
        addSymbols(buffer->shape);
        function_.params.push_back({buffer});
    }
    std::vector<Value> values = result && !result->isNone() ? itemsOf(*result) : std::vector<Value>{};
    for (const auto& value : values) {
        const auto it = std::find(outputs_.begin(), outputs_.end(), value.buffer());
        if (it == outputs_.end() || !value.buffer()) {
            const auto buffer = value.buffer();
            ev_.fail(Code::kReturnValue, range,
                     fmt::format("a kernel returns tensors made by T.empty only, not {}; leave the return out to write in place",
                                 buffer ? (isParameter(buffer->name) ? "the parameter " : "") + buffer->name : repr(value)));
        }
        const int index = static_cast<int>(inputs) + static_cast<int>(it - outputs_.begin());
        if (std::find(function_.returned.begin(), function_.returned.end(), index) != function_.returned.end())
            ev_.fail(Code::kReturnValue, range, fmt::format("{} is returned twice", value.buffer()->name));
        function_.returned.push_back(index);
    }
    if (function_.returned.size() == outputs_.size())
        return;
    for (std::size_t i = 0; i < outputs_.size(); ++i)
        if (std::find(function_.returned.begin(), function_.returned.end(), static_cast<int>(inputs + i)) == function_.returned.end())
            ev_.fail(Code::kReturnValue, outputs_[i]->where.range,
                     fmt::format("{} is made by T.empty but not returned; every T.empty tensor must be returned", outputs_[i]->name));
}

// Every variable of the body must be bound: by a statement, a parameter, or the shape of a parameter.
void Tracer::checkSymbols()
{
    static constexpr std::string_view kStart = "variable ", kEnd = " is used outside of its scope";
    for (const auto& message : ir::verify(function_)) {
        if (message.size() <= kStart.size() + kEnd.size() || message.rfind(kStart, 0) != 0 || message.substr(message.size() - kEnd.size()) != kEnd)
            continue;
        const std::string name = message.substr(kStart.size(), message.size() - kStart.size() - kEnd.size());
        ev_.fail(Code::kParameter, function_.range,
                 fmt::format("the symbolic extent {} is used, but no parameter has it in its shape or strides, so nothing gives its value", name));
    }
}

std::shared_ptr<const ir::Function> Tracer::finish(const std::optional<Value>& result, const SourceRange& resultRange)
{
    const auto place = [&](const ir::Param& p) { return std::find(order_.begin(), order_.end(), p.name()) - order_.begin(); };
    std::stable_sort(function_.params.begin(), function_.params.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    returnOutputs(result, resultRange);
    function_.body = ir::sequence(pop());
    checkSymbols();
    return std::make_shared<const ir::Function>(std::move(function_));
}

}  // namespace tw::staging
