#include "thread_executor.h"

#include <cmath>
#include <stdexcept>

#include "core/ir/call.h"
#include "core/layout/mma.h"

namespace tw::passes {

using I = std::int64_t;
using ir::as;
using ir::BinaryOp;

namespace {

double floorDiv(double a, double b) { return std::floor(a / b); }

}  // namespace

void ThreadExecutor::setThreadVar(const ir::Var& var)
{
    auto& values = vars_[var.get()];
    for (I t = 0; t < threads_; ++t)
        values.push_back(static_cast<double>(t));
}

double ThreadExecutor::value(const ir::Expr& e, I thread)
{
    if (const auto* imm = as<ir::IntImm>(e))
        return static_cast<double>(imm->value);
    if (const auto* imm = as<ir::FloatImm>(e))
        return imm->value;
    if (e->kind == ir::ExprKind::kVar)
        return vars_.at(e.get()).at(static_cast<std::size_t>(thread));
    if (const auto* load = as<ir::Load>(e))
        return element(load->buffer, load->indices.at(0), thread);
    if (const auto* cast = as<ir::Cast>(e))
        return value(cast->value, thread);
    if (const auto* unary = as<ir::Unary>(e); unary && unary->op == ir::UnaryOp::kNot)
        return value(unary->a, thread) == 0 ? 1 : 0;
    const auto* b = as<ir::Binary>(e);
    if (!b)
        throw std::logic_error("an expression that the executor does not know");
    const double x = value(b->a, thread), y = value(b->b, thread);
    switch (b->op) {
    case BinaryOp::kAdd: return x + y;
    case BinaryOp::kSub: return x - y;
    case BinaryOp::kMul: return x * y;
    case BinaryOp::kFloorDiv: return floorDiv(x, y);
    case BinaryOp::kFloorMod: return x - floorDiv(x, y) * y;
    case BinaryOp::kMin: return std::min(x, y);
    case BinaryOp::kBitXor: return static_cast<double>(static_cast<I>(x) ^ static_cast<I>(y));
    case BinaryOp::kNe: return x != y ? 1 : 0;
    case BinaryOp::kOr: return x != 0 || y != 0 ? 1 : 0;
    default: throw std::logic_error("an operator that the executor does not know");
    }
}

double& ThreadExecutor::element(const ir::Buffer& buffer, const ir::Expr& index, I thread)
{
    const auto at = static_cast<std::size_t>(integer(index, thread));
    if (const auto found = shared_.find(buffer.get()); found != shared_.end())
        return found->second.at(at);
    return local_.at(buffer.get()).at(static_cast<std::size_t>(thread)).at(at);
}

void ThreadExecutor::run(const ir::Stmt& s)
{
    if (const auto* seq = as<ir::Seq>(s)) {
        for (const ir::Stmt& child : seq->stmts)
            run(child);
    } else if (const auto* body = as<ir::For>(s)) {
        loop(*body);
    } else if (const auto* bind = as<ir::Bind>(s)) {
        std::vector<double> values;
        for (I t = 0; t < threads_; ++t)
            values.push_back(value(bind->value, t));
        vars_[bind->var.get()] = std::move(values);
    } else if (const auto* allocate = as<ir::Allocate>(s)) {
        const auto extent = static_cast<std::size_t>(*ir::asInt(allocate->buffer->shape.at(0)));
        local_[allocate->buffer.get()].assign(static_cast<std::size_t>(threads_), std::vector<double>(extent, std::nan("")));
    } else if (const auto* store = as<ir::Store>(s)) {
        for (I t = 0; t < threads_; ++t)
            element(store->buffer, store->indices.at(0), t) = value(store->value, t);
    } else if (const auto* branch = as<ir::If>(s)) {
        if (value(branch->condition, 0) != 0)
            run(branch->then);
    } else if (const auto* op = as<ir::OpStmt>(s)) {
        ++counts_[op->call.op];
        if (op->call.op == ir::OpId::kLdMatrix)
            loadMatrices(op->call);
        else if (op->call.op == ir::OpId::kMma)
            multiply(op->call);
        else if (op->call.op == ir::OpId::kWgmma)
            multiplyGroups(op->call);
        else if (ir::info(op->call.op).effect != ir::Effect::kSync)
            throw std::logic_error("an operation that the executor does not know");
    } else {
        throw std::logic_error("a statement that the executor does not know");
    }
}

void ThreadExecutor::loop(const ir::For& s)
{
    const ir::Axis& axis = s.axes.at(0);
    for (I x = integer(axis.begin, 0); x < integer(axis.end, 0); ++x) {
        vars_[axis.var.get()].assign(static_cast<std::size_t>(threads_), static_cast<double>(x));
        run(s.body);
    }
}

// PTX ISA, ldmatrix: lane 8j + r names row r of matrix j; lane l gets word l % 4 of row l / 4 of every matrix, transposed the 16-bit
// elements (2 (l % 4), l / 4) and (2 (l % 4) + 1, l / 4).
void ThreadExecutor::loadMatrices(const ir::OpCall& call)
{
    const ir::Region &dst = *ir::regionOperand(call, "dst"), &src = *ir::regionOperand(call, "src");
    const I bits = src.buffer->dtype.bits(), perWord = 32 / bits, row = 128 / bits, num = ir::intAttr(call.attrs, "num", 1);
    const bool trans = ir::boolAttr(call.attrs, "trans", false);
    const auto& memory = shared_.at(src.buffer.get());
    for (I t = 0; t < threads_; ++t)
        for (I j = 0; j < num; ++j)
            for (I e = 0; e < perWord; ++e) {
                const I g = t % 32 / 4, q = t % 4;
                const I fromRow = trans ? q * perWord + e : g, fromColumn = trans ? g : q * perWord + e;
                const I start = integer(src.mins.at(0), t / 32 * 32 + 8 * j + fromRow);
                if (start % row != 0)
                    throw std::logic_error("a row of ldmatrix that is not aligned to 16 bytes");
                const I to = integer(dst.mins.at(0), t) + j * perWord + e;
                local_.at(dst.buffer.get()).at(static_cast<std::size_t>(t)).at(static_cast<std::size_t>(to)) =
                    memory.at(static_cast<std::size_t>(start + fromColumn));
            }
}

void ThreadExecutor::multiply(const ir::OpCall& call)
{
    const ir::Region &a = *ir::regionOperand(call, "A"), &b = *ir::regionOperand(call, "B"), &c = *ir::regionOperand(call, "C");
    const auto mma = layout::parseMma(std::get<std::string>(call.attrs.at("shape")), a.buffer->dtype.bits());
    const layout::Fragment as = layout::mmaA(*mma), bs = layout::mmaB(*mma), cs = layout::mmaC(*mma);
    // The warp's operand as a matrix.
    const auto gather = [&](const ir::Region& r, const layout::Fragment& f, I warp, auto&& use) {
        for (I lane = 0; lane < 32; ++lane) {
            const I thread = 32 * warp + lane, first = integer(r.mins.at(0), thread);
            for (I reg = 0; reg < f.registers(); ++reg) {
                const std::vector<I> place = f.at(lane, reg);
                use(place[0] * f.shape[1] + place[1],
                    local_.at(r.buffer.get()).at(static_cast<std::size_t>(thread)).at(static_cast<std::size_t>(first + reg)));
            }
        }
    };
    const auto size = [](I x, I y) { return static_cast<std::size_t>(x * y); };
    for (I warp = 0; warp < threads_ / 32; ++warp) {
        std::vector<double> left(size(mma->m, mma->k)), right(size(mma->n, mma->k)), sum(size(mma->m, mma->n), 0);
        gather(a, as, warp, [&](I n, double x) { left[static_cast<std::size_t>(n)] = x; });
        gather(b, bs, warp, [&](I n, double x) { right[static_cast<std::size_t>(n)] = x; });
        for (std::size_t n = 0; n < sum.size(); ++n)
            for (std::size_t k = 0; k < static_cast<std::size_t>(mma->k); ++k)
                sum[n] += left[n / static_cast<std::size_t>(mma->n) * static_cast<std::size_t>(mma->k) + k] *
                          right[n % static_cast<std::size_t>(mma->n) * static_cast<std::size_t>(mma->k) + k];
        gather(c, cs, warp, [&](I n, double& x) { x += sum[static_cast<std::size_t>(n)]; });
    }
}

// A matrix that a descriptor names, (rows, depth): PTX ISA, "Matrix Descriptor Format" and "Strides".
std::vector<double> ThreadExecutor::described(const ir::Region& r, const ir::Attrs& attrs, const std::string& side, I thread, I rows, I depth,
                                              bool kMajor)
{
    const I size = r.buffer->dtype.bits() / 8, swizzle = ir::intAttr(attrs, "swizzle_" + side, 0);
    const I leading = ir::intAttr(attrs, "leading_" + side, 0), stride = ir::intAttr(attrs, "stride_" + side, 0);
    const I start = integer(r.mins.at(0), thread) * size;
    const I width = swizzle == 0 ? 16 : swizzle, mask = width / 16 - 1;
    // Cores of 8 rows of `width` bytes; `major` counts bytes along them, `minor` rows.
    const I alongStep = kMajor || swizzle != 0 ? leading : stride, downStep = kMajor || swizzle != 0 ? stride : leading;
    std::vector<double> result;
    for (I i = 0; i < rows; ++i)
        for (I k = 0; k < depth; ++k) {
            const I along = (kMajor ? k : i) * size, down = kMajor ? i : k;
            const I linear = start + along / width * alongStep + along % width + down / 8 * downStep + down % 8 * width;
            const I address = linear ^ ((linear >> 7 & mask) << 4);
            result.push_back(shared_.at(r.buffer.get()).at(static_cast<std::size_t>(address / size)));
        }
    return result;
}

void ThreadExecutor::multiplyGroups(const ir::OpCall& call)
{
    const ir::Region &a = *ir::regionOperand(call, "A"), &b = *ir::regionOperand(call, "B"), &c = *ir::regionOperand(call, "C");
    const auto mma = layout::parseMma(std::get<std::string>(call.attrs.at("shape")), b.buffer->dtype.bits());
    const layout::Fragment as = layout::wgmmaA(mma->bits, 64, mma->k, {4, 1}), cs = layout::wgmmaC(64, mma->n, {4, 1});
    const auto at = [&](const ir::Region& r, const layout::Fragment& f, I group, std::vector<I> place) -> double& {
        const I thread = 128 * group + f.threadOf(place);
        const I reg = integer(r.mins.at(0), thread) + f.registerOf(place);
        return local_.at(r.buffer.get()).at(static_cast<std::size_t>(thread)).at(static_cast<std::size_t>(reg));
    };
    const ir::Expr keep = ir::exprOperand(call, "scale_d");
    for (I group = 0; group < threads_ / 128; ++group) {
        const bool fromShared = shared_.contains(a.buffer.get());
        std::vector<double> left;
        if (fromShared)
            left = described(a, call.attrs, "A", 128 * group, 64, mma->k, !ir::boolAttr(call.attrs, "transpose_A", false));
        else
            for (I i = 0; i < 64; ++i)
                for (I k = 0; k < mma->k; ++k)
                    left.push_back(at(a, as, group, {i, k}));
        const auto right = described(b, call.attrs, "B", 128 * group, mma->n, mma->k, ir::boolAttr(call.attrs, "transpose_B", false));
        for (I i = 0; i < 64; ++i)
            for (I j = 0; j < mma->n; ++j) {
                double& sum = at(c, cs, group, {i, j});
                if (keep && value(keep, 128 * group) == 0)
                    sum = 0;
                for (I k = 0; k < mma->k; ++k)
                    sum += left[static_cast<std::size_t>(i * mma->k + k)] * right[static_cast<std::size_t>(j * mma->k + k)];
            }
    }
}

}  // namespace tw::passes
