// Traces the body of an array kernel. The evaluator evaluates expressions and calls back through DeviceHooks; statements are
// run here, because names of the array dialect are Python's: they outlive loops and branches, and a loop may carry them.
//
// A name that a run-time loop or branch assigns and that is seen outside of it becomes a cell: memory that assignments store
// to. The member functions stand in array_tracer.cpp (entry), array_statements.cpp, array_names.cpp, array_index.cpp,
// array_elementwise.cpp, array_reduce.cpp, array_product.cpp and array_hooks.cpp.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/staging/array/array_math.h"
#include "core/staging/array/array_tracer.h"
#include "core/staging/refusing_hooks.h"

namespace tw::staging {

// The strides of a column-major tensor.
// The expression in the quotes of an annotation; null if it has none.
[[nodiscard]] syntax::ExprPtr unquoted(const syntax::Expr& annotation);
[[nodiscard]] Exprs columnStrides(const Exprs& shape);

enum class ReduceKind { kSum, kMax, kMin, kMean, kProd, kAny, kAll, kArgMax, kArgMin };

class ArrayTracer final : public RefusingHooks {
public:
    ArrayTracer(Evaluator& evaluator, const KernelValue& kernel, const ArrayCall& call, SourceRange callRange);
    ~ArrayTracer() override;

    ArrayResult trace();
    // The tracer whose kernel is being staged, or a report that `what` belongs into a kernel.
    static ArrayTracer& current(Evaluator& evaluator, const SourceRange& range, const std::string& what);

    // ---- for the functions of module tl ----
    Evaluator& evaluator() { return evaluator_; }
    [[nodiscard]] bool isArrayLike(const Value& value) const;
    ArrayRef array(const Value& value, const SourceRange& range);   // numbers become weak scalars
    static Value wrap(ArrayRef value);                              // folded scalars become Python numbers again
    ArrayRef elementwise(const std::vector<ArrayRef>& operands, ir::DType type, bool weak, const SourceRange& range,
                         std::function<ir::Expr(const std::vector<ir::Expr>&)> op);
    ArrayRef arithmetic(syntax::BinaryOp op, const ArrayRef& a, const ArrayRef& b, const SourceRange& range);
    ArrayRef comparison(syntax::CompareOp op, const ArrayRef& a, const ArrayRef& b, const SourceRange& range);
    ArrayRef cast(const ArrayRef& value, ir::DType type);
    ArrayRef filled(Exprs shape, ir::DType type, const ArrayRef& value, const std::string& name, const SourceRange& range);
    ArrayRef undefinedArray(Exprs shape, ir::DType type, ir::MemoryScope scope, const SourceRange& range);
    ArrayRef generated(Exprs shape, ir::DType type, std::function<ir::Expr(const Exprs&)> at);
    ArrayRef reduce(ReduceKind kind, const ArrayRef& value, const Value& axis, bool keepdims, const SourceRange& range);
    ArrayRef cumulative(const ArrayRef& value, const Value& axis, const SourceRange& range);
    ArrayRef product(const ArrayRef& a, const ArrayRef& b, bool batched, const SourceRange& range);
    ArrayRef transposed(const ArrayRef& value, const Value& axes, const SourceRange& range);
    ArrayRef reshaped(const ArrayRef& value, const Value& shape, const SourceRange& range);
    ArrayRef concatenated(const std::vector<ArrayRef>& values, std::int64_t axis, const SourceRange& range);
    ArrayRef indexed(const ArrayRef& value, const Value& index, const SourceRange& range);
    Exprs shapeOf(const Value& value, const SourceRange& range);
    ir::Expr integer(const Value& value, const SourceRange& range, const std::string& what);
    ir::Expr extent(const Value& value, const SourceRange& range, const std::string& what);  // an integer that is not known to be negative
    std::int64_t axisOf(const Value& axis, int rank, const SourceRange& range);
    [[nodiscard]] bool sameShape(const Exprs& a, const Exprs& b) const;
    ArrayRef inMemory(const ArrayRef& value);  // a value that is cheap to read at any place
    void syncThreads() {}
    Value shape(const ArrayValue& value) const;

    // ---- DeviceHooks ----
    Value unary(syntax::UnaryOp op, const Value& a, const SourceRange& range) override;
    Value binary(syntax::BinaryOp op, const Value& a, const Value& b, const SourceRange& range) override;
    Value compare(syntax::CompareOp op, const Value& a, const Value& b, const SourceRange& range) override;
    Value logical(syntax::BoolOp op, const Value& a, const Value& b, const SourceRange& range) override;
    Value conditional(const Value& condition, const Value& then, const Value& otherwise, const SourceRange& range) override;
    Value attribute(const Value& object, const syntax::Identifier& name) override;
    Value subscript(const Value& object, const Value& index, const SourceRange& range) override;
    Value call(const Value& callee, const CallArguments& arguments) override;
    bool truth(const Value& value, const SourceRange& range) override;
    std::vector<Value> iterate(const Value& value, const SourceRange& range) override;
    std::optional<Value> assignName(const syntax::Identifier& name, const Value* old, const Value& value,
                                    const SourceRange& range) override;
    void assignSubscript(const Value& object, const Value& index, const Value& value, const SourceRange& range) override;
    std::optional<Value> augAssign(syntax::BinaryOp op, const syntax::Identifier* name, const Value& object,
                                   const std::optional<Value>& index, const Value& value, const SourceRange& range) override;
    void breakLoop(const SourceRange& range) override;
    void continueLoop(const SourceRange& range) override;
    Value bindParameter(const syntax::Identifier& name, const Value& argument, bool isRef, const SourceRange& range) override;
    std::string functionFor(const std::string& foreign) override;
    std::optional<Value> inlineFunction(const std::shared_ptr<FunctionValue>& function, const CallArguments& arguments) override;

protected:
    [[noreturn]] void refuse(const SourceRange& range, const std::string& what) override;

private:
    using Scope = std::shared_ptr<Environment>;
    enum class Flow { kNormal, kBreak, kContinue, kReturn, kEnded };  // kEnded: a run-time break or continue was emitted

    // One function being run: the kernel, or a helper inlined into it.
    struct Frame {
        const syntax::Block* body = nullptr;
        Scope scope;
        std::multiset<std::string> cells;  // names that the regions being traced must keep in memory
        int regions = 0;                   // run-time loops and branches open
        int deviceLoops = 0;               // run-time loops open
        bool innermostIsStaged = false;    // the innermost loop is unrolled by staging
        int stagedRegions = 0;             // `regions` when that loop began
        std::optional<Value> result;
        SourceRange resultRange;
        const syntax::Expr* resultExpr = nullptr;
        bool isKernel = false;
    };
    struct Piece {  // one axis of a subscript
        enum class Kind { kPoint, kSlice, kNew, kGather } kind{};
        ir::Expr start, extent;
        ArrayRef gather;
        int axis = 0;  // of the array
    };

    struct Annotation {
        Exprs shape;
        std::vector<SourceRange> extentRanges;
        ir::DType dtype;
        bool columnMajor = false;
    };
    // entry
    void bindParameters();
    void bindNames(const Scope& scope);
    void declareExtents();
    void bindTensor(const syntax::Parameter& parameter, const Annotation& annotation);
    Annotation annotationOf(const MetaTensor& tensor) const;
    void checkCall(const std::string& name, const Annotation& annotation);
    void noteExtent(const std::string& extent, std::int64_t value, const std::string& tensor);
    void storeStaged(const Value& object, const Value& index, const Value& value, const SourceRange& range);
    void checkLiteral(const ArrayRef& value, ir::DType type, const SourceRange& range);
    std::optional<Annotation> tensorAnnotation(const syntax::Expr& expr);
    std::shared_ptr<const ir::Function> finish();

    // results (array_results.cpp)
    std::vector<Value> returnedValues();
    ir::Buffer returnBuffer(const ArrayRef& value, const std::string& name);
    void checkResults(const std::vector<Value>& values);
    void takeResults(std::vector<ir::Param>& params, std::vector<int>& returned);

    // options (array_options.cpp)
    void checkOptions();
    void checkTensorCore(const Value& value, const SourceRange& range);
    void checkThreads(const std::string& key, const Value& value, const SourceRange& range);
    void checkTile(const Value& value, const SourceRange& range);
    void checkGrid(const Value& grid, const SourceRange& range);
    [[nodiscard]] SourceRange optionRange(const std::string& key) const;
    [[nodiscard]] target::Target compileTarget() const;

    // statements
    Flow run(const syntax::Block& block);
    Flow run(const syntax::Stmt& stmt);
    void assign(const syntax::Expr& target, const Value& value, const SourceRange& range);
    void assignItems(const std::vector<syntax::ExprPtr>& targets, const Value& value, const SourceRange& range);
    void augmented(const syntax::AugAssign& node, const SourceRange& range);
    Flow branch(const syntax::If& node, const SourceRange& range);
    Flow loop(const syntax::For& node, const SourceRange& range);
    Flow stagedLoop(const syntax::For& node, const std::vector<Value>& items, const SourceRange& range);
    Flow deviceLoop(const syntax::For& node, const std::vector<Value>& bounds, const SourceRange& range);
    std::optional<std::vector<Value>> loopBounds(const syntax::Expr& iterable);
    void noteLoop(const std::string& name, const ir::Expr& begin, const ir::Expr& end, std::int64_t step);
    Flow whileStatement(const syntax::While& node, const SourceRange& range);
    Flow returned(const syntax::Return& node, const SourceRange& range);
    Flow jump(bool isBreak, const SourceRange& range);
    Flow withStatement(const syntax::With& node, const SourceRange& range);
    Value evaluate(const syntax::Expr& expr)
    {
        const Scope scope = frame().scope;  // calls inside open frames, which may move this one
        return evaluator_.evaluate(expr, scope);
    }
    [[nodiscard]] ir::Expr conditionOf(const Value& value, const SourceRange& range);
    Frame& frame() { return frames_.back(); }

    // names and cells
    void region(const std::vector<const syntax::Block*>& bodies, const SourceRange& range,
                const std::function<void()>& traceBody);
    void setName(const std::string& name, const Value& value, const SourceRange& range);
    void storeCell(const std::string& name, const ArrayRef& cell, const Value& value, const SourceRange& range);
    void makeCell(const std::string& name, const Value& value, const SourceRange& range);
    Value settled(const std::string& name, const Value& value);
    [[nodiscard]] bool isPure(const ir::Expr& e) const;
    [[nodiscard]] ir::Expr globalBound(const ir::Expr& e) const;
    [[nodiscard]] bool isGlobalShape(const Exprs& shape) const;

    // emission
    void emit(ir::Stmt stmt) { current_->push_back(std::move(stmt)); }
    ir::Stmt collect(const std::function<void()>& body);
    ir::Buffer allocate(const std::string& name, ir::DType type, const Exprs& shape, ir::MemoryScope scope);
    void nest(const Exprs& shape, ir::ForKind kind, const std::function<void(const Exprs&)>& body, const std::string& names = "");
    void store(const ir::Buffer& buffer, Exprs indices, const ir::Expr& value);
    ArrayRef memory(const ir::Buffer& buffer, Exprs shape) const;
    ArrayRef materialise(const ArrayRef& value, const std::string& name);
    ir::Expr frozen(const ir::Expr& e, const std::string& name);
    ir::Var freshVar(const std::string& name, ir::DType type = ir::kInt32);
    std::string freshName(const std::string& wish);
    [[nodiscard]] ir::Provenance here() const { return {range_, 0}; }

    // shapes
    Exprs broadcast(const std::vector<Exprs>& shapes, const SourceRange& range);
    [[nodiscard]] Exprs project(const Exprs& index, const Exprs& shape, const Exprs& full) const;
    ArrayRef broadcastTo(const ArrayRef& value, const Exprs& shape, const SourceRange& range);
    static std::vector<ArrayRead> readsOf(const std::vector<ArrayRef>& values, const Exprs& shape);

    // subscripts
    std::vector<Piece> pieces(const ArrayValue& value, const Value& index, const SourceRange& range);
    void slicePiece(Piece& piece, const SliceValue& slice, const ir::Expr& full, const SourceRange& range);
    ir::Expr pointIndex(const ArrayRef& index, const ir::Expr& extent, const ArrayValue& value, int axis, const SourceRange& range);
    ArrayRef read(const ArrayRef& value, const std::vector<Piece>& parts, const SourceRange& range);
    ArrayRef gathered(const ArrayRef& value, const std::vector<Piece>& pieces, const SourceRange& range);
    void storeRegion(const ArrayRef& target, const std::vector<Piece>& pieces, const ArrayRef& value, const SourceRange& range);
    ArrayRef stored(const Value& object, const SourceRange& range);
    void noteLoopProduct(const ArrayRef& value, const Exprs& target);
    ArrayRef fusedProduct(syntax::BinaryOp op, const ArrayRef& target, const ArrayRef& value, const SourceRange& range);
    [[nodiscard]] std::string nameOf(const ArrayValue& value) const;

    // products
    bool emitGemm(const ArrayRef& a, const ArrayRef& b, const ArrayRef& out);

    Evaluator& evaluator_;
    const KernelValue& kernel_;
    const FunctionValue& function_;
    const ArrayCall& call_;
    SourceRange callRange_;
    std::vector<Frame> frames_;
    SourceRange range_;                        // of the statement that runs
    Facts facts_;

    std::vector<ir::Stmt> root_;               // statements of the launch
    std::vector<ir::Stmt>* current_ = nullptr;
    std::vector<ir::Buffer> allocations_;      // that live as long as the launch
    std::vector<ir::Param> params_;
    std::map<std::string, Value> extents_;      // symbolic extents: their value, or a variable
    std::set<std::string> standing_;            // those that are the whole extent of some parameter's axis
    std::vector<ir::Var> symbolOrder_;
    std::map<std::string, std::int64_t> dims_;  // extents that have a value
    std::set<const ir::BufferNode*> written_, parameters_, unnamed_;
    std::map<std::string, int> names_;
    std::map<std::string, ir::DType> cellTypes_;  // of cells whose first value did not say it
    bool retype_ = false;
    std::vector<std::string> missing_;
    bool products_ = false;                    // whether the kernel has a matrix product
    std::vector<ir::DType> productTypes_;
    std::int64_t sharedBytes_ = 0;
    struct NamedLoop {
        std::string name;
        std::optional<std::int64_t> extent, step;
    };
    std::vector<NamedLoop> loops_;             // of the kernel's ranges, in order, each name once
    std::size_t resultRank_ = 0;
    Exprs resultShape_;                        // of the first result of that rank
    struct CallExtent {
        std::int64_t value;
        std::string tensor;
    };
    std::map<std::string, CallExtent> callExtents_;  // symbolic extents as the call's tensors have them
    std::set<std::size_t> columnMajorResults_;
    std::vector<syntax::ExprPtr> quoted_;      // parsed text of quoted annotations
};

}  // namespace tw::staging
