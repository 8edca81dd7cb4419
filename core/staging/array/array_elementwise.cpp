// Broadcasting, elementwise operations, and values without operands.
#include <set>

#include <fmt/format.h>

#include "core/ir/number.h"
#include "core/staging/array/array_impl.h"

namespace tw::staging {

using ir::Expr;
using syntax::BinaryOp;
using syntax::CompareOp;

namespace {

ir::BinaryOp plainOp(BinaryOp op)
{
    switch (op) {
    case BinaryOp::kAdd: return ir::BinaryOp::kAdd;
    case BinaryOp::kSub: return ir::BinaryOp::kSub;
    case BinaryOp::kMul: return ir::BinaryOp::kMul;
    case BinaryOp::kShl: return ir::BinaryOp::kShl;
    case BinaryOp::kShr: return ir::BinaryOp::kShr;
    case BinaryOp::kBitAnd: return ir::BinaryOp::kBitAnd;
    case BinaryOp::kBitOr: return ir::BinaryOp::kBitOr;
    case BinaryOp::kBitXor: return ir::BinaryOp::kBitXor;
    default: return ir::BinaryOp::kDiv;
    }
}

bool isBitwise(BinaryOp op)
{
    return op == BinaryOp::kBitAnd || op == BinaryOp::kBitOr || op == BinaryOp::kBitXor || op == BinaryOp::kShl || op == BinaryOp::kShr;
}

// Building one operation of an element: what it takes of the time and memory that steps stand for.
constexpr std::int64_t kElementSteps = 16;

const char* opText(BinaryOp op)
{
    static constexpr const char* kTexts[] = {"+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"};
    return kTexts[static_cast<int>(op)];
}

Expr boolOp(BinaryOp op, const Expr& a, const Expr& b)
{
    if (op == BinaryOp::kBitXor)
        return ir::binary(ir::BinaryOp::kNe, a, b);
    return ir::binary(op == BinaryOp::kBitAnd ? ir::BinaryOp::kAnd : ir::BinaryOp::kOr, a, b);
}

// x ** n by squaring; n >= 0.
Expr repeated(const Expr& x, std::int64_t n)
{
    Expr result;
    for (Expr square = x; n > 0; n >>= 1) {
        if (n & 1)
            result = result ? ir::binary(ir::BinaryOp::kMul, result, square) : square;
        if (n > 1)
            square = ir::binary(ir::BinaryOp::kMul, square, square);
    }
    if (result)
        return result;
    return x->dtype.isFloating() ? ir::constant(x->dtype, 1.0) : ir::constant(x->dtype, std::int64_t{1});
}

Expr powerOf(const Expr& a, const Expr& b)
{
    if (const auto* value = ir::as<ir::FloatImm>(b); value && value->value == 2.0)
        return ir::binary(ir::BinaryOp::kMul, a, a);
    if (const auto* n = ir::asInt(b); n && *n >= 0 && *n <= 64)
        return repeated(a, *n);
    if (isNarrowFloat(a->dtype))
        return convert(mathCall(ir::OpId::kPow, ir::kFloat32, {convert(a, ir::kFloat32), convert(b, ir::kFloat32)}), a->dtype);
    return mathCall(ir::OpId::kPow, a->dtype, {a, b});
}

}  // namespace

// ---- shapes -----------------------------------------------------------------------------------------------------------

bool ArrayTracer::sameShape(const Exprs& a, const Exprs& b) const
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto* x = ir::asInt(a[i]);
        const auto* y = ir::asInt(b[i]);
        if (x && y && *x != *y)
            return false;
    }
    return true;
}

Exprs ArrayTracer::broadcast(const std::vector<Exprs>& shapes, const SourceRange& range)
{
    std::size_t rank = 0;
    for (const Exprs& shape : shapes)
        rank = std::max(rank, shape.size());
    Exprs out(rank);
    for (const Exprs& shape : shapes) {
        for (std::size_t i = 0; i < shape.size(); ++i) {
            Expr& have = out[rank - shape.size() + i];
            const Expr& add = shape[i];
            if (!have || ir::isOne(have)) {
                have = add;
                continue;
            }
            const auto* x = ir::asInt(have);
            const auto* y = ir::asInt(add);
            if (x && y && *x != *y && *y != 1)
                evaluator_.fail(Code::kShapeMismatch, range,
                                fmt::format("shapes {} and {} do not broadcast: {} against {} on axis {} from the end",
                                            arrayShapeText(shapes[0]), arrayShapeText(shape), *x, *y, shape.size() - i));
            if (!x && y && *y != 1)
                have = add;  // a constant says more than a symbol
        }
    }
    return out;
}

// The index of an operand of shape `shape` for an index into the broadcast shape.
Exprs ArrayTracer::project(const Exprs& index, const Exprs& shape, const Exprs& full) const
{
    Exprs out;
    const std::size_t lead = index.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i)
        out.push_back(ir::isOne(shape[i]) && !ir::isOne(full[lead + i]) ? ir::intImm(0) : index[lead + i]);
    return out;
}

// What `values`, broadcast to `shape`, read: in their own way where nothing is repeated.
std::vector<ArrayRead> ArrayTracer::readsOf(const std::vector<ArrayRef>& values, const Exprs& shape)
{
    std::vector<ArrayRead> reads;
    for (const ArrayRef& value : values) {
        bool same = value->shape.size() == shape.size();
        for (std::size_t i = 0; same && i < shape.size(); ++i)
            same = ir::isOne(value->shape[i]) == ir::isOne(shape[i]);
        for (ArrayRead read : value->reads) {
            if (!same)
                read.view.reset();
            reads.push_back(std::move(read));
        }
    }
    // `x + x * x` of itself over and over: the buffers say enough then.
    constexpr std::size_t kMostReads = 256;
    if (reads.size() <= kMostReads)
        return reads;
    std::vector<ArrayRead> buffers;
    std::set<const ir::BufferNode*> met;
    for (ArrayRead& read : reads)
        if (met.insert(read.buffer.get()).second)
            buffers.push_back({read.buffer, std::nullopt});
    return buffers;
}

ArrayRef ArrayTracer::elementwise(const std::vector<ArrayRef>& operands, ir::DType type, bool weak, const SourceRange& range,
                                  std::function<Expr(const std::vector<Expr>&)> op)
{
    std::vector<Exprs> shapes;
    for (const ArrayRef& operand : operands)
        shapes.push_back(operand->shape);
    auto out = std::make_shared<ArrayValue>();
    out->shape = broadcast(shapes, range);
    out->dtype = type;
    out->weak = weak;
    out->reads = readsOf(operands, out->shape);
    const Exprs full = out->shape;
    out->at = [this, operands, full, range, op = std::move(op)](const Exprs& index) {
        evaluator_.charge(kElementSteps, range);  // an operand that stands twice is built twice
        std::vector<Expr> elements;
        for (const ArrayRef& operand : operands)
            elements.push_back(operand->at(project(index, operand->shape, full)));
        return op(elements);
    };
    return out;
}

ArrayRef ArrayTracer::broadcastTo(const ArrayRef& value, const Exprs& shape, const SourceRange& range)
{
    ArrayRef source = value;
    if (value->shape.size() > shape.size()) {  // leading axes of extent 1 go: a (1, d) value stores into a (d,) row
        const std::size_t extra = value->shape.size() - shape.size();
        for (std::size_t i = 0; i < extra; ++i)
            if (const auto* n = ir::asInt(value->shape[i]); n && *n != 1)
                evaluator_.fail(Code::kShapeMismatch, range,
                                fmt::format("a value of shape {} does not fit into {}", arrayShapeText(value->shape), arrayShapeText(shape)));
        auto cut = std::make_shared<ArrayValue>(*value);
        cut->shape.erase(cut->shape.begin(), cut->shape.begin() + static_cast<std::ptrdiff_t>(extra));
        cut->view.reset();
        cut->storage = nullptr;
        for (ArrayRead& read : cut->reads)
            read.view.reset();
        cut->at = [value, extra](const Exprs& index) {
            Exprs all(extra, ir::intImm(0));
            all.insert(all.end(), index.begin(), index.end());
            return value->at(all);
        };
        source = cut;
    }
    const std::size_t lead = shape.size() - source->shape.size();
    for (std::size_t i = 0; i < source->shape.size(); ++i) {
        const auto* have = ir::asInt(source->shape[i]);
        const auto* want = ir::asInt(shape[lead + i]);
        if (have && want && *have != *want && *have != 1)
            evaluator_.fail(Code::kShapeMismatch, range,
                            fmt::format("a value of shape {} does not fit into {}", arrayShapeText(value->shape), arrayShapeText(shape)));
    }
    auto out = std::make_shared<ArrayValue>();
    out->shape = shape;
    out->dtype = source->dtype;
    out->weak = source->weak;
    out->reads = readsOf({source}, shape);
    out->left = source->left;
    out->right = source->right;
    out->at = [this, source, shape](const Exprs& index) { return source->at(project(index, source->shape, shape)); };
    return out;
}

// ---- values without operands ------------------------------------------------------------------------------------------

ArrayRef ArrayTracer::generated(Exprs shape, ir::DType type, std::function<Expr(const Exprs&)> at)
{
    auto out = std::make_shared<ArrayValue>();
    out->shape = std::move(shape);
    out->dtype = type;
    out->at = std::move(at);
    return out;
}

ArrayRef ArrayTracer::filled(Exprs shape, ir::DType type, const ArrayRef& value, const std::string& name, const SourceRange& range)
{
    (void)name;
    const ArrayRef fill = broadcastTo(cast(value, type), shape, range);
    auto out = std::make_shared<ArrayValue>(*fill);
    out->weak = false;
    return out;
}

ArrayRef ArrayTracer::cast(const ArrayRef& value, ir::DType type)
{
    if (value->dtype == type && !value->weak)
        return value;
    auto out = std::make_shared<ArrayValue>(*value);
    out->dtype = type;
    out->weak = false;
    out->storage = nullptr;
    out->view.reset();
    out->at = [value, type](const Exprs& index) { return convert(value->at(index), type); };
    return out;
}

// ---- operators --------------------------------------------------------------------------------------------------------

// An integer literal that the array's dtype cannot hold.
void ArrayTracer::checkLiteral(const ArrayRef& value, ir::DType type, const SourceRange& range)
{
    const auto* n = value->weak && value->shape.empty() && value->dtype.isInteger() && type.isInteger() ? ir::asInt(value->at({})) : nullptr;
    if (!n)
        return;
    const Integer low = ir::smallestInt(type), high = static_cast<Integer>(ir::largestInt(type));
    if (*n < low || *n > high)
        evaluator_.fail(Code::kValueRange, range,
                        fmt::format("{} does not fit {}, whose range is {} to {}", *n, type.name(), static_cast<std::int64_t>(low),
                                    static_cast<std::uint64_t>(high)));
}

ArrayRef ArrayTracer::arithmetic(BinaryOp op, const ArrayRef& a, const ArrayRef& b, const SourceRange& range)
{
    if (op == BinaryOp::kMatMul)
        return product(a, b, true, range);
    const bool weak = a->weak && b->weak;
    ir::DType type = op == BinaryOp::kShl || op == BinaryOp::kShr ? (a->weak && !b->weak ? b->dtype : a->dtype) : commonType(*a, *b);
    if (isBitwise(op) && type.isFloating())
        evaluator_.fail(Code::kDtypeUnsupported, range,
                        fmt::format("`{}` works on integers and bools, not on {}", opText(op), type.name()));
    if (op == BinaryOp::kDiv && !type.isFloating())
        type = weak ? ir::kFloat64 : ir::kFloat32;
    if (type.isBool() && !(isBitwise(op) && op != BinaryOp::kShl && op != BinaryOp::kShr))
        type = ir::kInt32;
    checkLiteral(a, type, range);
    if (op != BinaryOp::kPow && op != BinaryOp::kShl && op != BinaryOp::kShr)
        checkLiteral(b, type, range);
    ArrayRef exponent = b;
    if (op == BinaryOp::kPow && weak && !type.isFloating()) {
        const auto* n = b->shape.empty() ? ir::asInt(b->at({})) : nullptr;
        type = n && *n >= 0 ? type : ir::kFloat64;
    }
    const auto convertBoth = [type](const std::vector<Expr>& e) { return std::pair(convert(e[0], type), convert(e[1], type)); };
    auto out = elementwise({a, b}, type, weak, range, [=, this](const std::vector<Expr>& e) -> Expr {
        const auto [x, y] = convertBoth(e);
        switch (op) {
        case BinaryOp::kFloorDiv: return floorDivide(x, y);
        case BinaryOp::kMod: return floorRemainder(x, y);
        case BinaryOp::kPow:
            if (!type.isFloating() && !ir::asInt(y))
                evaluator_.fail(Code::kNotSupported, range, "not supported: an integer to the power of a run-time integer; cast one to float32");
            return powerOf(x, y);
        default: return type.isBool() ? boolOp(op, x, y) : ir::binary(plainOp(op), x, y);
        }
    });
    if (op != BinaryOp::kMul || weak)
        return out;
    auto withFactors = std::make_shared<ArrayValue>(*out);
    withFactors->left = a;
    withFactors->right = b;
    return withFactors;
}

ArrayRef ArrayTracer::comparison(CompareOp op, const ArrayRef& a, const ArrayRef& b, const SourceRange& range)
{
    ir::DType type = commonType(*a, *b);
    if (a->weak != b->weak && type == ir::kFloat32 && (a->weak ? b : a)->dtype.isInteger())
        type = ir::kFloat64;  // every integer compares exactly
    ir::BinaryOp plain{};
    switch (op) {
    case CompareOp::kEq: plain = ir::BinaryOp::kEq; break;
    case CompareOp::kNe: plain = ir::BinaryOp::kNe; break;
    case CompareOp::kLt: plain = ir::BinaryOp::kLt; break;
    case CompareOp::kLe: plain = ir::BinaryOp::kLe; break;
    case CompareOp::kGt: plain = ir::BinaryOp::kGt; break;
    case CompareOp::kGe: plain = ir::BinaryOp::kGe; break;
    default:
        evaluator_.fail(Code::kUnsupportedPython, range, "`is` and `in` do not work on arrays; use == and tl.any");
    }
    return elementwise({a, b}, ir::kBool, a->weak && b->weak, range, [=](const std::vector<Expr>& e) {
        return ir::binary(plain, convert(e[0], type), convert(e[1], type));
    });
}

}  // namespace tw::staging
