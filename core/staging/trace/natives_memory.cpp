// Addresses, wide loads and stores, extern code (language.md d.12).
#include <fmt/format.h>

#include "core/ir/print.h"
#include "core/staging/trace/native.h"

namespace tw::staging {

using ir::DType;
using ir::Expr;
using ir::OpId;
using Form = TileOperand::Form;

namespace {

Value accessPtr(const Native& n)
{
    auto operand = n.tile("base");
    ir::OpCall call{OpId::kAccessPtr, {}, {}};
    std::string access = "r";
    if (n.has("access_type")) {
        const Value& given = n["access_type"];
        if (const auto* text = given.str())
            access = *text;
        else if (const auto mask = constantInt(given); mask && *mask >= 1 && *mask <= 3)
            access = *mask == 1 ? "r" : *mask == 2 ? "w" : "rw";
        else
            access.clear();
        if (access != "r" && access != "w" && access != "rw")
            n.ev.fail(Code::kOption, n.range("access_type"), "the access of T.access_ptr is 'r', 'w' or 'rw'");
    }
    addAttr(call, "access", access);
    if (n.has("offset") && !ir::isZero(n.index("offset"))) {
        if (operand.region.mins.size() != 1)
            n.ev.fail(Code::kIndexCount, n.range("offset"), fmt::format("offset works on buffers of one axis only; index {} instead", operand.region.buffer->name));
        operand.region.mins[0] = ir::add(operand.region.mins[0], n.index("offset"));
        if (operand.form == Form::kBuffer)
            operand.region.extents[0] = ir::intImm(1);
    }
    call.operands.emplace_back(operand.region);
    return ir::call(ir::kHandle, std::move(call), n.where());
}

Value addressOf(const Native& n)
{
    auto operand = n.tile("base");
    return ir::call(ir::kHandle, {OpId::kAddressOf, {operand.region}, {}}, n.where());
}

// An operand of C code: buffers and regions decay to their address.
ir::Operand externArgument(const Native& n, const Value& value)
{
    const bool isAddress = value.buffer() || value.object<const ir::Region>();
    if (!isAddress)
        if (const auto* s = value.str())
            return Expr(std::make_shared<ir::StringImm>(*s, n.where()));
    if (!isAddress)
        return toExpr(n.ev, value, n.range(), fmt::format("an argument of {}", n.name));
    const auto operand = requireTile(n.ev, value, n.range(), "an argument");
    return ir::call(ir::kHandle, {OpId::kAccessPtr, {operand.region}, {{"access", ir::Attr(std::string("rw"))}}}, n.where());
}

// T.call_extern(dtype, "name", *args), or T.call_extern("name", *args, dtype=…).
Value callExtern(const Native& n)
{
    std::vector<Value> items = n.args.rest();
    DType type = ir::kVoid;
    if (n.has("dtype")) {
        type = requireDType(n.ev, n["dtype"], n.range("dtype"));
    } else if (!items.empty()) {
        type = requireDType(n.ev, items.front(), n.range());
        items.erase(items.begin());
    }
    if (items.empty() || !items.front().str())
        n.fail(Code::kCallArguments, fmt::format("{} needs the name of the C function: {}(dtype, \"name\", …)", n.name, n.name));
    ir::OpCall call{OpId::kCallExtern, {}, {}};
    addAttr(call, "name", *items.front().str());
    if (n.row.tag != 0)
        addAttr(call, "pure", true);
    for (std::size_t i = 1; i < items.size(); ++i)
        call.operands.push_back(externArgument(n, items[i]));
    (void)n.launch();
    return ir::call(type, std::move(call), n.where());
}

// ---- wide accesses: the row's tag is the width in bits ----

// The elements that fill `bits`, from an anchor on.
ir::Region wide(const Native& n, const char* argument)
{
    auto operand = n.tile(argument);
    const DType type = operand.region.buffer->dtype;
    const std::int64_t count = n.row.tag / (type.bits() * type.lanes);
    if (operand.form == Form::kAnchor || elementCount(operand.region.extents) != count) {
        if (operand.form != Form::kAnchor)
            n.ev.fail(Code::kShapeMismatch, n.range(argument),
                      fmt::format("{} moves {} bits, {} elements of {}, but {} has extents {}", n.name, n.row.tag, count, type.name(), ir::print(operand.region), shapeText(operand.region.extents)));
        operand.region.extents.assign(operand.region.mins.size(), ir::intImm(1));
        operand.region.extents.back() = ir::intImm(count);
    }
    return operand.region;
}

Value wideLoad(const Native& n)
{
    const bool isShared = std::string_view(n.row.name).substr(0, 3) == "lds";
    ir::OpCall call{isShared ? OpId::kLds : OpId::kLdg, {wide(n, "reg")}, {}};
    if (!isShared && n.has("pred"))
        call.operands.emplace_back(toCondition(n.ev, n["pred"], n.range("pred")));
    addAttr(call, "bits", static_cast<std::int64_t>(n.row.tag));
    (void)n.launch();
    return ir::call(ir::kUInt32.withLanes(n.row.tag / 32), std::move(call), n.where());
}

Value wideStore(const Native& n)
{
    const bool isShared = std::string_view(n.row.name).substr(0, 3) == "sts";
    const DType type = ir::kUInt32.withLanes(n.row.tag / 32);
    Expr value = n.expr("value");
    if (value->dtype != type) {
        if (value->dtype.bits() * value->dtype.lanes != n.row.tag)
            n.ev.fail(Code::kDtypeMismatch, n.range("value"), fmt::format("{} stores {} bits, but the value is {}", n.name, n.row.tag, value->dtype.name()));
        value = ir::call(type, {OpId::kReinterpret, {value}, {}}, n.where());
    }
    ir::OpCall call{isShared ? OpId::kSts : OpId::kStg, {wide(n, "reg"), value}, {}};
    if (!isShared && n.has("pred"))
        call.operands.emplace_back(toCondition(n.ev, n["pred"], n.range("pred")));
    addAttr(call, "bits", static_cast<std::int64_t>(n.row.tag));
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

Value readOnlyLoad(const Native& n)  // T.__ldg(A[i]) or T.__ldg(A, i)
{
    auto operand = n.tile("load_or_buf");
    if (n.has("index"))
        operand.region = regionOf(n.ev, operand.region.buffer, n["index"], n.range("index"));
    operand.region.extents.assign(operand.region.mins.size(), ir::intImm(1));
    return ir::call(operand.region.buffer->dtype, {OpId::kLdgReadOnly, {operand.region}, {}}, n.where());
}

// ---- cp.async ----

// The region behind an address: an element, buf.data, T.access_ptr(…), T.address_of(…).
ir::Region behindAddress(const Native& n, const char* argument, std::int64_t count)
{
    ir::Region region;
    const auto* call = ir::as<ir::Call>(n[argument].expr());
    if (call && (call->call.op == OpId::kAccessPtr || call->call.op == OpId::kAddressOf))
        region = std::get<ir::Region>(call->call.operands.front());
    else
        region = n.tile(argument).region;
    region.extents.assign(region.mins.size(), ir::intImm(1));
    region.extents.back() = ir::intImm(count);
    return region;
}

Value cpAsync(const Native& n)
{
    const std::int64_t count = n.integer("n_elems", 1);
    ir::Region dst = behindAddress(n, "dst_ptr", count), src = behindAddress(n, "src_ptr", count);
    const std::int64_t bytes = dst.buffer->dtype.storageBytes(count);
    if (bytes != 4 && bytes != 8 && bytes != 16)
        n.fail(Code::kValueRange, fmt::format("cp.async moves 4, 8 or 16 bytes, but {} elements of {} are {} bytes", count, dst.buffer->dtype.name(), bytes));
    ir::OpCall call{OpId::kCpAsync, {std::move(dst), std::move(src)}, {}};
    if (n.has("predicate"))
        call.operands.emplace_back(toCondition(n.ev, n["predicate"], n.range("predicate")));
    addAttr(call, "count", count);
    n.launch().emitOp(std::move(call), n.range());
    return Value();
}

// ---- coordinates ----

Value coordinates(const Native& n)  // row-major coordinates of a linear index
{
    Value rest = n["index"];
    const auto shape = itemsOf(n["shape"]);
    std::vector<Value> result(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        result[i] = i == 0 ? rest : n.ev.binary(syntax::BinaryOp::kMod, rest, shape[i], n.range());
        if (i != 0)
            rest = n.ev.binary(syntax::BinaryOp::kFloorDiv, rest, shape[i], n.range());
    }
    return makeList(std::move(result));
}

constexpr NativeRow kMemoryRows[] = {
    {"access_ptr", "base, access_type='r', *extents, offset=0, extent=None, ignore_last_ndim=0, content_lanes=1, ptr_type='handle'", accessPtr},
    {"address_of", "base", addressOf},
    {"call_extern", "*args, dtype=None", callExtern, 0},
    {"call_pure_extern", "*args, dtype=None", callExtern, 1},
    {"ldg32", "reg, pred=None", wideLoad, 32}, {"ldg64", "reg, pred=None", wideLoad, 64}, {"ldg128", "reg, pred=None", wideLoad, 128},
    {"ldg256", "reg, pred=None", wideLoad, 256}, {"lds32", "reg", wideLoad, 32}, {"lds64", "reg", wideLoad, 64}, {"lds128", "reg", wideLoad, 128},
    {"stg32", "reg, value, pred=None", wideStore, 32}, {"stg64", "reg, value, pred=None", wideStore, 64},
    {"stg128", "reg, value, pred=None", wideStore, 128}, {"stg256", "reg, value, pred=None", wideStore, 256},
    {"sts32", "reg, value", wideStore, 32}, {"sts64", "reg, value", wideStore, 64}, {"sts128", "reg, value", wideStore, 128},
    {"__ldg", "load_or_buf, index=None", readOnlyLoad},
    {"ptx_cp_async", "dst_ptr, src_ptr, n_elems, predicate=None", cpAsync},
    {"index_to_coordinates", "index, shape", coordinates},
};

}  // namespace

Rows memoryRows() { return kMemoryRows; }

}  // namespace tw::staging
