// The table of T.* functions: one row a name, with its signature as Python would write it and what it does.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/staging/trace/function_tracer.h"
#include "core/staging/trace/regions.h"

namespace tw::staging {

struct NativeRow;

// One call of a native: its bound arguments and what it may ask for.
struct Native {
    Evaluator& ev;
    const BoundArguments& args;
    const CallArguments& call;
    const NativeRow& row;
    std::string name;  // "T.copy", for messages

    [[nodiscard]] const Value& operator[](const char* argument) const { return args[argument]; }
    [[nodiscard]] bool has(const char* argument) const { return args.has(argument) && !args[argument].isNone(); }
    [[nodiscard]] SourceRange range(const char* argument) const { return args.range(argument); }
    [[nodiscard]] SourceRange range() const { return call.call; }
    [[nodiscard]] ir::Provenance where() const { return provenance(ev, call.call); }
    [[noreturn]] void fail(Code code, std::string message) const { ev.fail(code, call.call, std::move(message)); }

    [[nodiscard]] Tracer& tracer() const;  // reports outside of kernels
    [[nodiscard]] Tracer& launch() const;  // reports outside of launches
    [[nodiscard]] ir::Expr expr(const char* argument) const;
    [[nodiscard]] ir::Expr index(const char* argument) const;
    [[nodiscard]] std::int64_t integer(const char* argument, std::int64_t otherwise) const;
    [[nodiscard]] bool flag(const char* argument, bool otherwise = false) const;
    [[nodiscard]] std::string text(const char* argument, std::string otherwise = {}) const;
    [[nodiscard]] TileOperand tile(const char* argument) const;
    // An element of a barrier array; the array itself means element 0.
    [[nodiscard]] ir::Region barrier(const char* argument) const;
};

struct NativeRow {
    const char* name;
    const char* signature;
    Value (*run)(const Native&);
    int tag = 0;  // what one handler of several rows tells them apart by, often an OpId
};
// An operation or operator as a tag.
[[nodiscard]] constexpr int op(ir::OpId id) { return static_cast<int>(id); }
[[nodiscard]] constexpr int op(ir::BinaryOp id) { return static_cast<int>(id); }
[[nodiscard]] constexpr int op(syntax::BinaryOp id) { return static_cast<int>(id); }

using Rows = std::span<const NativeRow>;
[[nodiscard]] Rows allocationRows();
[[nodiscard]] Rows launchRows();
[[nodiscard]] Rows loopRows();
[[nodiscard]] Rows copyRows();
[[nodiscard]] Rows productRows();
[[nodiscard]] Rows reductionRows();
[[nodiscard]] Rows atomicRows();
[[nodiscard]] Rows mathRows();
[[nodiscard]] Rows castRows();
[[nodiscard]] Rows memoryRows();
[[nodiscard]] Rows warpRows();
[[nodiscard]] Rows barrierRows();
[[nodiscard]] Rows annotationRows();
[[nodiscard]] Rows debugRows();
[[nodiscard]] Rows layoutRows();
[[nodiscard]] Rows declarationRows();  // annotations of parameters, decorators, T.const, T.dynamic, T.empty
[[nodiscard]] Rows scheduleRows();     // WSSchedule and its parts
[[nodiscard]] Rows scriptRows();       // names of TVM's own script that files use

// Calls the row of that name; `shown` is what the user wrote.
Value callNative(Evaluator& ev, std::string_view row, const CallArguments& arguments, const std::string& shown);
[[nodiscard]] Value nativeValue(const NativeRow& row);
[[nodiscard]] const NativeRow* findRow(std::string_view name);

// Options of a tile operation from keywords and `annotations=`; only what ops.def knows is kept.
void addAttr(ir::OpCall& call, const char* name, ir::Attr value);
void addAnnotations(const Native& n, ir::OpCall& call);
// Says that an argument was given for nothing, and why. (What depends on the target: core/analysis, core/passes.)
void hintIgnored(const Native& n, const char* argument, std::string_view why);
// For operations without options: each annotation but the id of a schedule is said to have no effect.
void ignoreAnnotations(const Native& n);
// Buffers begin at their first element: an `elem_offset` other than 0 is reported.
void refuseOffset(const Native& n);
// A staging value as an option, or nothing.
[[nodiscard]] std::optional<ir::Attr> toAttr(const Value& value);

}  // namespace tw::staging
