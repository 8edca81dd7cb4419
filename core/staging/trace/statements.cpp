// Assignments: lets, stores, variables and references (language.md b.2).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/copy_extents.h"
#include "core/staging/trace/function_tracer.h"

namespace tw::staging {

using ir::Expr;

namespace {

bool isScalar(const Value& value)
{
    return value.expr() || value.get<Integer>() || value.get<double>() || value.get<bool>() || value.get<VarValue>() ||
           value.object<const RefValue>() || value.object<const ir::Region>();
}

}  // namespace

// ---- stores ----

void Tracer::emitStore(const ir::Buffer& buffer, std::vector<Expr> indices, const Value& value, const SourceRange& range)
{
    if (!inLaunch())
        ev_.fail(Code::kNotInKernel, range, fmt::format("{} is stored to outside of a launch; open one with `with T.Kernel(…)`", buffer->name));
    Expr e = toType(ev_, buffer->dtype, value, range, fmt::format("a {} value for {}", buffer->dtype.name(), buffer->name));
    const std::uint32_t id = openOperation_ ? openOperation_ : ++operations_;
    emit(std::make_shared<ir::Store>(buffer, std::move(indices), std::move(e), ir::Provenance{range, id}), range);
}

// A slice too large for single stores is a tile: filled with a scalar, copied from another tile.
void Tracer::storeTile(const ir::Region& region, const Value& value, const SourceRange& range)
{
    const TileOperand target{region, TileOperand::Form::kRegion};
    if (value.buffer() || value.object<const ir::Region>()) {
        auto [from, to] = inferCopyRegions(ev_, *tileOperand(ev_, value, range), target, "this assignment", range);
        emitOp({ir::OpId::kCopy, {std::move(from), std::move(to)}, {}}, range);
        return;
    }
    const Expr e = toType(ev_, region.buffer->dtype, value, range, fmt::format("a value for {}", ir::print(region)));
    emitOp({ir::OpId::kFill, {region, e}, {}}, range);
}

// A region takes a scalar in every element, or a vector or region of as many elements.
void Tracer::store(const ir::Region& region, const Value& value, const SourceRange& range)
{
    checkAlive(ev_, region.buffer, range);
    const auto elements = elementsOf(region);
    if (elements.empty()) {
        storeTile(region, value, range);
        return;
    }
    Value source = value;
    if (const auto buffer = value.buffer())
        source = Value(std::make_shared<const ir::Region>(wholeRegion(buffer)));
    Expr e = toExpr(ev_, source, range, fmt::format("a value for {}", ir::print(region)));
    if (elements.size() == 1) {
        emitStore(region.buffer, elements.front(), e, range);
        return;
    }
    if (e->dtype.lanes != 1 && static_cast<std::size_t>(e->dtype.lanes) != elements.size())
        ev_.fail(Code::kShapeMismatch, range,
                 fmt::format("{} elements of {} cannot take a vector of {} lanes", elements.size(), ir::print(region), e->dtype.lanes));
    const Value bound = bind("v", e, range);
    for (std::size_t k = 0; k < elements.size(); ++k) {
        const Expr vector = bound.expr();
        Value lane = bound;
        if (vector && vector->dtype.lanes != 1)
            lane = Expr(std::make_shared<ir::Lane>(vector, static_cast<int>(k), provenance(ev_, range)));
        emitStore(region.buffer, elements[k], lane, range);
    }
}

void Tracer::assignSubscript(const Value& object, const Value& index, const Value& value, const SourceRange& range)
{
    ir::Buffer buffer = object.buffer();
    if (const auto* var = object.get<VarValue>())
        buffer = var->buffer;
    if (!buffer) {
        if (const auto* ref = object.object<const RefValue>())
            ev_.fail(Code::kTypeMismatch, range, fmt::format("{} stands for {}; assign to its name, without an index", repr(object), ir::print(ref->region)));
        ev_.fail(Code::kTypeMismatch, range, fmt::format("{} is no buffer and cannot be stored to", repr(object)));
    }
    settle(buffer);
    // Written like a fragment: the old form of a reducer. What passes made of one is written so, too.
    if (auto* node = editable(buffer); node && node->scope == ir::MemoryScope::kReducer && node->replication.empty() && function().stage == ir::Stage::kTile)
        node->replication = "none";
    const Value element = subscriptBuffer(ev_, buffer, index, range);
    if (const auto* load = ir::as<ir::Load>(element.expr()))
        emitStore(buffer, load->indices, value, range);
    else if (const auto* region = element.object<const ir::Region>())
        store(*region, value, range);
    else if (const auto* call = ir::as<ir::Call>(element.expr())) {  // A[T.Ramp(…)]: lane by lane
        const Value bound = bind("v", toExpr(ev_, value, range, "a value to store"), range);
        for (std::size_t k = 0; k < call->call.operands.size(); ++k) {
            const auto* at = ir::as<ir::Load>(std::get<Expr>(call->call.operands[k]));
            Value lane = bound;
            if (bound.expr() && bound.expr()->dtype.lanes != 1)
                lane = Expr(std::make_shared<ir::Lane>(bound.expr(), static_cast<int>(k), provenance(ev_, range)));
            emitStore(buffer, at->indices, lane, range);
        }
    }
}

// ---- names ----

Value Tracer::bind(const std::string& name, const Expr& value, const SourceRange& range)
{
    if (const auto* imm = ir::as<ir::IntImm>(value)) {
        if (imm->dtype == ir::kInt32)
            return Value(static_cast<Integer>(imm->value));
        if (imm->dtype.isBool())
            return Value(imm->value != 0);
    }
    if (ir::isConstant(value) || ir::as<ir::VarNode>(value) || value->dtype.isHandle() || value->dtype.isVoid())
        return value;
    auto var = std::make_shared<ir::VarNode>(value->dtype, name, ir::Provenance{range, operation()});
    emit(std::make_shared<ir::Bind>(var, value, ir::Provenance{range, openOperation_}), range);
    return Expr(var);
}

Value Tracer::bindFresh(const Expr& value, const SourceRange& range)
{
    auto var = std::make_shared<ir::VarNode>(value->dtype, "x", ir::Provenance{range, operation()});
    unnamedVars_[var.get()] = var;
    emit(std::make_shared<ir::Bind>(var, value, ir::Provenance{range, openOperation_}), range);
    return Expr(var);
}

std::optional<Value> Tracer::assignExpr(const syntax::Identifier& name, const Expr& value, const SourceRange& range)
{
    renameIndex(value, name.text);
    if (atHostLevel() && !ir::as<ir::Load>(value) && !ir::as<ir::Call>(value))
        return ir::asInt(value) ? bind(name.text, value, range) : Value(value);
    return bind(name.text, value, range);
}

std::optional<Value> Tracer::assignName(const syntax::Identifier& name, const Value* old, const Value& value,
                                        const SourceRange& range)
{
    const auto* var = value.get<VarValue>();
    if (var && unnamed_.count(var->buffer.get())) {  // x = T.alloc_var(…)
        rename(var->buffer, name.text);
        return value;
    }
    if (old && isScalar(value)) {
        if (const auto* target = old->get<VarValue>()) {
            emitStore(target->buffer, zeros(1), value, range);
            return std::nullopt;
        }
    }
    if (old && (isScalar(value) || value.buffer())) {
        if (const auto* target = old->object<const RefValue>()) {
            store(target->region, value, range);
            return std::nullopt;
        }
    }
    if (const auto buffer = value.buffer()) {
        rename(buffer, name.text);
        return value;
    }
    if (var || value.object<const RefValue>())
        return assignExpr(name, toExpr(ev_, value, range), range);
    if (const auto e = value.expr(); e && !isBarrierElement(e))  // a barrier's name stays one
        return assignExpr(name, e, range);
    return value;
}

std::optional<Value> Tracer::augAssign(syntax::BinaryOp op, const syntax::Identifier* name, const Value& object,
                                       const std::optional<Value>& index, const Value& value, const SourceRange& range)
{
    if (index) {
        const Value target = subscript(object, *index, range);
        // Indices with effects or loads are evaluated once.
        if (const auto* load = ir::as<ir::Load>(target.expr())) {
            const ir::Region region = bindIndices({load->buffer, load->indices, std::vector<Expr>(load->indices.size(), ir::intImm(1))}, range);
            const Expr old = loadElement(ev_, region.buffer, region.mins, range);
            if (auto* node = editable(region.buffer); node && node->scope == ir::MemoryScope::kReducer && node->replication.empty())
                node->replication = "none";
            emitStore(region.buffer, region.mins, ev_.binary(op, old, value, range), range);
            return std::nullopt;
        }
        assignSubscript(object, *index, ev_.binary(op, target, value, range), range);
        return std::nullopt;
    }
    if (const auto buffer = object.buffer())
        ev_.fail(Code::kTypeMismatch, range,
                 fmt::format("{} is a whole buffer and takes no augmented assignment; write {}[…] += … inside T.Parallel", buffer->name, buffer->name));
    const Value result = ev_.binary(op, object, value, range);
    if (name)
        return assignName(*name, &object, result, range);
    return result;
}

ir::Region Tracer::bindIndices(const ir::Region& region, const SourceRange& range)
{
    class HasLoad final : public ir::Visitor {
    public:
        bool found = false;
        using Visitor::visit;
        void visit(const Expr& e) override
        {
            found = found || e->kind == ir::ExprKind::kLoad || e->kind == ir::ExprKind::kCall;
            Visitor::visit(e);
        }
    };
    ir::Region result = region;
    for (auto& min : result.mins) {
        HasLoad finder;
        finder.visit(min);
        if (finder.found)
            min = toExpr(ev_, bind("at", min, range), range);
    }
    return result;
}

Value Tracer::bindParameter(const syntax::Identifier& name, const Value& argument, bool isRef, const SourceRange& range)
{
    if (isRef) {
        if (argument.object<const RefValue>())
            return argument;
        auto operand = argument.buffer() ? std::nullopt : tileOperand(ev_, argument, range);
        if (!operand)
            ev_.fail(Code::kTypeMismatch, range,
                     fmt::format("{} is a T.Ref parameter: it takes a variable (T.alloc_var), an element such as A[i] or a region, not {}",
                                 name.text, argument.buffer() ? "the whole buffer " + argument.buffer()->name : typeName(argument)));
        const bool isElement = operand->form == TileOperand::Form::kAnchor;
        return Value(std::make_shared<const RefValue>(RefValue{bindIndices(operand->region, range), isElement}));
    }
    if (const auto* var = argument.get<VarValue>())
        return loadVariable(ev_, *var, range);
    const auto e = argument.expr();
    if (!e || ir::as<ir::Load>(e) || atHostLevel())
        return argument;
    return bind(name.text, e, range);
}

void Tracer::expressionStatement(const Value& value, const SourceRange& range)
{
    const auto* call = ir::as<ir::Call>(value.expr());
    if (call && ir::info(call->call.op).effect != ir::Effect::kNone)
        emitOp(call->call, range);
}

void Tracer::assertion(const Value& condition, const std::string& message, const SourceRange& range)
{
    const Expr c = toCondition(ev_, condition, range);
    if (!inLaunch()) {
        emit(std::make_shared<ir::Assert>(c, message, ir::Provenance{range, 0}), range);
        return;
    }
    ir::OpCall call{ir::OpId::kDeviceAssert, {c}, {}};
    if (!message.empty())
        call.attrs["msg"] = message;
    emitOp(std::move(call), range);
}

}  // namespace tw::staging
