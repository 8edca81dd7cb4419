// Atomics, all-reduces over thread axes, printing.
#include <fmt/format.h>

#include "codegen/gpu_c/printer.h"
#include "core/ir/build.h"
#include "core/ir/call.h"
#include "core/ir/visit.h"

namespace tw::gpu {

using ir::DType;
using ir::OpId;

Text KernelPrinter::atomic(const ir::OpCall& call, DType type, bool isValue, const ir::Provenance& where)
{
    const bool loads = call.op == OpId::kAtomicLoad;
    const ir::Region& place = *ir::regionOperand(call, loads ? "src" : "dst");
    const DType of = place.buffer->dtype.element();
    if (of.bits() < 8) {
        notSupported(where, "atomics on " + of.name());
        return {"0"};
    }
    const std::string to = address(place);
    // Orders stronger than relaxed: fences around the access.
    const std::string order = textAttr(call, "memory_order", loads || call.op == OpId::kAtomicStore ? "seq_cst" : "relaxed");
    const bool before = order == "release" || order == "acq_rel" || order == "seq_cst";
    const bool after = order == "acquire" || order == "acq_rel" || order == "seq_cst" || order == "consume";
    Text t;
    if (loads) {
        t = {fmt::format("tw_atomic_load({})", to)};
    } else if (call.op == OpId::kAtomicAddX2 || call.op == OpId::kAtomicAddX4) {
        const int lanes = call.op == OpId::kAtomicAddX2 ? 2 : 4;
        const std::string vec = fmt::format("vec<{}, {}>", typeName(of), lanes);
        const ir::Region* src = ir::regionOperand(call, "src");
        std::string given;
        if (src && src->buffer) {
            const bool whole = src->buffer->dtype.lanes == lanes;
            given = whole ? element(src->buffer, src->mins).s : fmt::format("tw_load<{}>({})", vec, address(*src));
            if (!whole && src->buffer->dtype.element() != of) {
                auto var = std::make_shared<ir::VarNode>(src->buffer->dtype.element(), "lane");
                vars_[var.get()] = {fmt::format("({})[i]", address(*src)), false};
                given = fmt::format("tw_vec_map<{}>([&](int i) {{ return {}; }})", lanes, cast(of, var).s);
            }
        }
        const bool reduces = !isValue && of == ir::kFloat32 && place.buffer->scope == ir::MemoryScope::kGlobal;
        t = {fmt::format("{}({}, {})", reduces ? "tw_red_add_vec" : "tw_atomic_add_vec", to, given)};
    } else {
        const ir::Expr v = ir::exprOperand(call, "value");
        if (!v) {
            notSupported(where, fmt::format("the tile form of T.{} in the thread stage", ir::info(call.op).name));
            return {"0"};
        }
        const char* name = call.op == OpId::kAtomicAdd ? "tw_atomic_add" : call.op == OpId::kAtomicMax ? "tw_atomic_max" : call.op == OpId::kAtomicMin ? "tw_atomic_min"
                           : call.op == OpId::kAtomicOr ? "tw_atomic_or" : "tw_atomic_store";
        t = {fmt::format("{}({}, {})", name, to, v->dtype == of ? value(v).s : cast(of, v).s)};
    }
    if (isValue && !type.isVoid() && type != of && type.lanes == 1)
        t = {fmt::format("{}({})", typeName(type), t.s)};
    if (!before && !after)
        return t;
    if (isValue && !type.isVoid())
        return {fmt::format("[&] {{ {}const auto r = {}; {}return r; }}()", before ? "__threadfence(); " : "", t.s, after ? "__threadfence(); " : "")};
    return {fmt::format("{}{}{}", before ? "__threadfence(); " : "", t.s, after ? "; __threadfence()" : "")};
}

void KernelPrinter::allReduce(const ir::OpCall& call, const ir::Provenance& where)
{
    const ir::Expr v = ir::exprOperand(call, "value");
    const ir::Region& dst = *ir::regionOperand(call, "dst");
    const DType type = dst.buffer->dtype;
    std::array<bool, 3> reduced{};
    for (std::size_t i = 2; i < call.operands.size(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (const auto* e = std::get_if<ir::Expr>(&call.operands[i]); e && launch_.threadVars[axis] && e->get() == launch_.threadVars[axis].get())
                reduced[axis] = true;
    std::int64_t stride = 1, count = 1, all = 1;
    int axes = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (reduced[axis] && launch_.threads[axis] > 1) {
            stride = axes == 0 ? all : stride;
            count *= launch_.threads[axis];
            ++axes;
        }
        all *= launch_.threads[axis];
    }
    if (axes > 1 && !(reduced[0] && reduced[1] && (!reduced[2] || launch_.threads[2] == 1 || reduced[2])))
        notSupported(where, "an all-reduce over thread axes that are not neighbours");
    const auto combiner = ir::parseCombiner(textAttr(call, "combiner", "sum")).value_or(ir::Combiner::kSum);
    const bool narrow = type.isFloating() && type.bits() < 32;
    const char* combine = combiner == ir::Combiner::kMax ? (narrow ? "tw_narrow_max(a, b)" : "tw_max(a, b)") : combiner == ir::Combiner::kMin ? (narrow ? "tw_narrow_min(a, b)" : "tw_min(a, b)")
                          : combiner == ir::Combiner::kProduct ? "a * b" : combiner == ir::Combiner::kBitAnd ? "a & b" : combiner == ir::Combiner::kBitOr ? "a | b" : "a + b";
    const std::string scratch = names_.make("allreduce");
    staticShared_ = (staticShared_ + 15) / 16 * 16 + type.storageBytes(all);
    out_.line(spelling_.sharedArray(typeName(type), scratch, all, 16));
    const std::string result = fmt::format("tw_allreduce({}, {}, {}, {}, {}, [](auto a, auto b) {{ return {}; }})", cast(type, v).s, scratch, threadNumber(), stride, count, combine);
    out_.line(elementStore(dst.buffer, dst.mins, result));
}

// The lines that the interpreter prints: "msg='…' BlockIdx=(…), ThreadIdx=(…): dtype=… value=…".
void KernelPrinter::print(const ir::OpCall& call)
{
    program_.prints = true;
    std::string message = textAttr(call, "msg", "");
    std::string head;
    for (const char c : message)
        head += c == '%' ? std::string("%%") : std::string(1, c);
    if (!head.empty())
        head = "msg='" + head + "' ";
    head += "BlockIdx=(%d, %d, %d), ThreadIdx=(%d, %d, %d)";
    const std::string where = "(int)blockIdx.x, (int)blockIdx.y, (int)blockIdx.z, (int)threadIdx.x, (int)threadIdx.y, (int)threadIdx.z";
    const auto item = [&](DType type, const std::string& text) -> std::pair<std::string, std::string> {
        if (type.isFloating())
            return {"%f", type.bits() == 64 ? text : fmt::format("double(float({}))", text)};
        if (type.scalar == ir::Scalar::kUInt64)
            return {"%llu", fmt::format("(unsigned long long)({})", text)};
        return {"%lld", fmt::format("(long long)({})", text)};
    };
    if (const ir::Region* region = ir::regionOperand(call, "buffer"); region && region->buffer) {
        const ir::Buffer& buffer = region->buffer;
        const DType type = buffer->dtype;
        ir::Expr count = ir::intImm(1);
        for (const ir::Expr& extent : buffer->shape)
            count = ir::mul(count, extent);
        const std::string i = names_.make("i");
        const bool once = buffer->scope == ir::MemoryScope::kShared;
        const auto [format, text] = item(type, type.bits() < 8 ? fmt::format("tw_load_{}4({}, {})", type.isSigned() ? "s" : "u", nameOf(buffer), i)
                                                                : buffer->scope == ir::MemoryScope::kVar ? nameOf(buffer) : fmt::format("{}[{}]", nameOf(buffer), i));
        if (once)
            out_.line(fmt::format("if ({} == 0)", threadNumber()));
        out_.line(fmt::format("for (int {0} = 0; {0} < {1}; ++{0})", i, index(count).s));
        out_.line(fmt::format("    printf({}, {}, {}, {});", quoted(fmt::format("{}: buffer={}, index=%d, dtype={} value={}\n", head, buffer->name, type.name(), format)), where, i, text));
        return;
    }
    const ir::Expr v = ir::exprOperand(call, "value");
    if (!v)
        return out_.line(fmt::format("printf({}, {});", quoted(head + "\n"), where));
    std::string formats, values;
    const int lanes = v->dtype.lanes;
    for (int lane = 0; lane < lanes; ++lane) {
        const Text t = value(v);
        const auto [format, text] = item(v->dtype.element(), lanes > 1 ? fmt::format("{}[{}]", parenthesized(t, 16), lane) : t.s);
        formats += (lane > 0 ? " " : "") + format;
        values += ", " + text;
    }
    out_.line(fmt::format("printf({}, {}{});", quoted(fmt::format("{}: dtype={} value={}\n", head, v->dtype.name(), formats)), where, values));
}

}  // namespace tw::gpu
