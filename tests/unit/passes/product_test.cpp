// Products as planned and lowered, run on all threads of a block and compared with the sum of products.
#include "core/passes/lower_product.h"

#include <random>

#include <gtest/gtest.h>

#include "core/ir/build.h"
#include "core/layout/shared.h"
#include "core/layout/table.h"
#include "thread_executor.h"

namespace tw::passes {
namespace {

using I = std::int64_t;
using layout::Fragment;

enum class Shared { kBest, kRowMajor, kPadded, kOdd };

struct Case {
    std::string target = "sm_80";
    ir::DType type = ir::kFloat16, sum = ir::kFloat32;
    I m = 64, n = 64, k = 32, threads = 128;
    int policy = 0;
    bool transposeA = false, transposeB = false;
    bool fragmentA = false, fragmentB = false;
    Shared shared = Shared::kBest;
    bool clear = false;
    ir::OpId op = ir::OpId::kGemm;
    I versions = 0;  // of the shared operands: a leading axis, of which the last is used
};

std::ostream& operator<<(std::ostream& out, const Case& c)
{
    return out << c.target << ' ' << c.type.name() << ' ' << c.m << 'x' << c.n << 'x' << c.k << " threads " << c.threads << " policy " << c.policy
               << (c.transposeA ? " A transposed" : "") << (c.transposeB ? " B transposed" : "") << (c.fragmentA ? " A in registers" : "")
               << (c.fragmentB ? " B in registers" : "") << " shared " << static_cast<int>(c.shared) << " versions " << c.versions;
}

ir::Buffer bufferOf(const std::string& name, ir::DType type, const std::vector<I>& shape, ir::MemoryScope scope)
{
    auto buffer = std::make_shared<ir::BufferNode>();
    buffer->name = name;
    buffer->dtype = type;
    for (const I extent : shape)
        buffer->shape.push_back(ir::intImm(extent));
    buffer->scope = scope;
    return buffer;
}

ir::Region matrixOf(const ir::Buffer& buffer, I version)
{
    ir::Region r{buffer, {}, buffer->shape};
    for (std::size_t k = 0; k < buffer->shape.size(); ++k)
        r.mins.push_back(ir::intImm(0));
    if (buffer->shape.size() == 3) {
        r.mins[0] = ir::intImm(version);
        r.extents[0] = ir::intImm(1);
    }
    return r;
}

Ref<const ir::LayoutMap> layoutOf(const std::vector<I>& shape, int bits, Shared choice, const ProductOperandPlan& plan)
{
    switch (choice) {
    case Shared::kBest: return bestLayout(plan, shape, bits);
    case Shared::kRowMajor: return layout::rowMajor(shape);
    default: {
        // Rows of 16 bytes more, or of one element more.
        auto map = std::make_shared<ir::LayoutMap>(*layout::rowMajor(shape));
        const I pad = choice == Shared::kPadded ? 128 / bits : 1;
        ir::Expr row = ir::intImm(0);
        for (std::size_t k = 0; k + 1 < shape.size(); ++k)
            row = ir::add(ir::mul(row, ir::intImm(shape[k])), map->vars[k]);
        map->index = {ir::add(ir::mul(row, ir::intImm(shape.back() + pad)), map->vars.back())};
        return map;
    }
    }
}

class Product {
public:
    explicit Product(const Case& c) : case_(c), random_(static_cast<unsigned>(c.m * 31 + c.k)), executor_(c.threads)
    {
        a_ = values(c.m * c.k);
        b_ = values(c.n * c.k);
        c_ = values(c.m * c.n);
        const auto scope = [](bool fragment) { return fragment ? ir::MemoryScope::kFragment : ir::MemoryScope::kShared; };
        const auto shape = [&](bool fragment, I rows, I columns) {
            std::vector<I> s{rows, columns};
            if (c.versions > 0)
                s.insert(s.begin(), fragment ? 1 : c.versions);
            return s;
        };
        aShape_ = shape(c.fragmentA, c.transposeA ? c.k : c.m, c.transposeA ? c.m : c.k);
        bShape_ = shape(c.fragmentB, c.transposeB ? c.n : c.k, c.transposeB ? c.k : c.n);
        const ir::Buffer a = bufferOf("A_s", c.type, aShape_, scope(c.fragmentA)), b = bufferOf("B_s", c.type, bShape_, scope(c.fragmentB));
        const ir::Buffer sum = bufferOf("acc", c.sum, {c.m, c.n}, ir::MemoryScope::kFragment);
        gemm_.op = c.op;
        gemm_.operands = {matrixOf(a, c.fragmentA ? 0 : c.versions - 1), matrixOf(b, c.fragmentB ? 0 : c.versions - 1), matrixOf(sum, 0),
                          c.clear ? ir::boolImm(true) : ir::Expr{}};
        gemm_.attrs = {{"transpose_A", c.transposeA}, {"transpose_B", c.transposeB}, {"policy", static_cast<I>(c.policy)}};
        plan_ = planProduct(gemm_, c.threads, *target::parse(c.target), false);
    }

    const ProductPlan& plan() const { return plan_; }
    const std::string& problem() const { return problem_; }
    int count(ir::OpId op) const { return executor_.count(op); }

    void run()
    {
        const auto thread = std::make_shared<const ir::VarNode>(ir::kInt32, "tid");
        executor_.setThreadVar(thread);
        const ProductOperand a = operand(gemm_.operands[0], plan_.a, aShape_, [&](I row, I k) { return a_[at(row, k, case_.k)]; });
        const ProductOperand b = operand(gemm_.operands[1], plan_.b, bShape_, [&](I row, I k) { return b_[at(row, k, case_.k)]; });
        const ir::Buffer c = bufferOf("acc", case_.sum, {plan_.c.registers()}, ir::MemoryScope::kLocal);
        executor_.addLocal(c, registers(plan_.c, [&](I i, I j) { return c_[at(i, j, case_.n)]; }));
        const ProductOperands operands{a, b, {c}};
        problem_ = productProblem(plan_, operands);
        if (!problem_.empty())
            return;
        executor_.run(lowerProduct(gemm_, plan_, operands, thread, {}));
        check(executor_.local(c));
    }

private:
    static std::size_t at(I row, I column, I columns) { return static_cast<std::size_t>(row * columns + column); }

    std::vector<double> values(I count)
    {
        std::vector<double> result;
        for (I n = 0; n < count; ++n)
            result.push_back(static_cast<double>(random_() % 7));
        return result;
    }

    template <class F>
    std::vector<std::vector<double>> registers(const Fragment& f, F&& element) const
    {
        std::vector<std::vector<double>> result(static_cast<std::size_t>(case_.threads));
        for (I t = 0; t < case_.threads; ++t)
            for (I r = 0; r < f.registers(); ++r) {
                const std::vector<I> place = f.at(t, r);
                const I row = place[place.size() - 2], column = place.back();
                const bool exists = f.holds(t) && row < f.shape[place.size() - 2] && column < f.shape.back();
                result[static_cast<std::size_t>(t)].push_back(exists ? element(row, column) : std::nan(""));
            }
        return result;
    }

    template <class F>
    ProductOperand operand(const ir::Operand& given, const ProductOperandPlan& plan, const std::vector<I>& shape, F&& element)
    {
        const auto& region = std::get<ir::Region>(given);
        const bool staged = !plan.fragment;  // through shared memory
        const auto stored = [&](I row, I column) { return plan.kInner ? element(row, column) : element(column, row); };
        if (region.buffer->scope == ir::MemoryScope::kFragment && !staged) {
            const ir::Buffer local = bufferOf(region.buffer->name, case_.type, {plan.fragment->registers()}, ir::MemoryScope::kLocal);
            executor_.addLocal(local, registers(*plan.fragment, stored));
            return RegisterOperand{local};
        }
        const auto map = layoutOf(shape, case_.type.bits(), case_.shared, plan);
        const auto table = layout::tabulate(*map);
        std::vector<double> memory(static_cast<std::size_t>(table->size), std::nan(""));
        const I rows = shape[shape.size() - 2], columns = shape.back();
        const I first = shape.size() == 3 ? (shape[0] - 1) * rows * columns : 0;
        for (I n = 0; n < rows * columns; ++n)
            memory[static_cast<std::size_t>(table->physical[static_cast<std::size_t>(first + n)])] = stored(n / columns, n % columns);
        const ir::Buffer flat = bufferOf(region.buffer->name, case_.type, {table->size}, ir::MemoryScope::kShared);
        executor_.addShared(flat, std::move(memory));
        return SharedOperand{flat, map, region.mins};
    }

    void check(const std::vector<std::vector<double>>& got) const
    {
        std::vector<double> expected = case_.clear ? std::vector<double>(c_.size(), 0) : c_;
        for (I i = 0; i < case_.m; ++i)
            for (I j = 0; j < case_.n; ++j)
                for (I k = 0; k < case_.k; ++k)
                    expected[at(i, j, case_.n)] += a_[at(i, k, case_.k)] * b_[at(j, k, case_.k)];
        const auto want = registers(plan_.c, [&](I i, I j) { return expected[at(i, j, case_.n)]; });
        int wrong = 0;
        for (std::size_t t = 0; t < want.size(); ++t)
            for (std::size_t r = 0; r < want[t].size(); ++r)
                wrong += !std::isnan(want[t][r]) && want[t][r] != got[t][r] ? 1 : 0;
        EXPECT_EQ(wrong, 0);
    }

    Case case_;
    std::mt19937 random_;
    ThreadExecutor executor_;
    std::vector<double> a_, b_, c_;  // (m, k), (n, k), (m, n)
    std::vector<I> aShape_, bShape_;
    ir::OpCall gemm_;
    ProductPlan plan_;
    std::string problem_;
};

const ir::DType kE4M3{ir::Scalar::kFloat8E4M3FN};
const ir::DType kTF32{ir::Scalar::kTFloat32};

TEST(Product, EveryTypeTranspositionAndPlace)
{
    const std::pair<ir::DType, ir::DType> types[] = {{ir::kFloat16, ir::kFloat32}, {ir::kFloat16, ir::kFloat16}, {ir::kBFloat16, ir::kFloat32},
                                                     {ir::kFloat32, ir::kFloat32}, {kTF32, ir::kFloat32},        {ir::kFloat64, ir::kFloat64},
                                                     {ir::kInt8, ir::kInt32},      {ir::kUInt8, ir::kInt32},     {kE4M3, ir::kFloat32}};
    for (const char* target : {"sm_70", "sm_75", "sm_80", "sm_89"})
        for (const auto& [type, sum] : types)
            for (int bits = 0; bits < (type == kE4M3 || std::string(target) != "sm_89" ? 16 : 0); ++bits) {
                Case c{target, type, sum, 32, 32, 32, 64};
                c.transposeA = bits & 1;
                c.transposeB = bits & 2;
                c.fragmentA = bits & 4;
                c.fragmentB = bits & 8;
                c.clear = bits % 3 == 0;
                SCOPED_TRACE(testing::Message() << c);
                Product(c).run();
            }
}

TEST(Product, PoliciesAndTiles)
{
    struct Tile {
        I m, n, k, threads;
    };
    const Tile tiles[] = {{16, 8, 16, 32}, {16, 64, 16, 128}, {64, 16, 48, 128}, {48, 96, 80, 96},  {96, 48, 8, 192},
                          {80, 40, 24, 32}, {128, 64, 64, 256}, {32, 24, 40, 64}, {64, 208, 16, 128}, {192, 8, 16, 384}};
    for (const Tile& t : tiles)
        for (int policy = 0; policy < 3; ++policy)
            for (int bits = 0; bits < 4; ++bits) {
                Case c;
                c.m = t.m;
                c.n = t.n;
                c.k = t.k;
                c.threads = t.threads;
                c.policy = policy;
                c.transposeA = bits & 1;
                c.transposeB = bits & 2;
                c.versions = policy;
                SCOPED_TRACE(testing::Message() << c);
                Product product(c);
                EXPECT_EQ(product.plan().engine, ProductEngine::kMma);
                product.run();
            }
}

TEST(Product, AnyLayoutOfSharedMemory)
{
    for (const ir::DType type : {ir::kFloat16, ir::kFloat32, ir::kInt8})
        for (const Shared shared : {Shared::kRowMajor, Shared::kPadded, Shared::kOdd})
            for (int bits = 0; bits < 4; ++bits) {
                Case c{"sm_80", type, type == ir::kInt8 ? ir::kInt32 : ir::kFloat32};
                c.shared = shared;
                c.transposeA = bits & 1;
                c.transposeB = bits & 2;
                c.versions = 3;
                SCOPED_TRACE(testing::Message() << c);
                Product product(c);
                product.run();
                EXPECT_TRUE(shared != Shared::kOdd || product.count(ir::OpId::kLdMatrix) == 0);
            }
}

TEST(Product, FourBitOperands)
{
    for (int bits = 0; bits < 16; ++bits) {
        Case c{"sm_80", {ir::Scalar::kInt4}, ir::kInt32, 32, 32, 128, 64};
        c.transposeA = bits & 1;
        c.transposeB = bits & 2;
        c.fragmentA = bits & 4;
        c.fragmentB = bits & 8;
        SCOPED_TRACE(testing::Message() << c);
        Product product(c);
        EXPECT_EQ(product.plan().engine, ProductEngine::kMma);
        product.run();
    }
}

TEST(Product, WithoutTensorCoresAnyThreadCountAndTile)
{
    struct Tile {
        I m, n, k, threads;
    };
    for (const Tile& t : {Tile{48, 24, 7, 96}, Tile{16, 8, 3, 256}, Tile{33, 20, 5, 128}, Tile{100, 12, 4, 160}, Tile{5, 4, 2, 100}}) {
        for (int bits = 0; bits < 4; ++bits) {
            Case c{"sm_80", ir::kFloat16, ir::kFloat32, t.m, t.n, t.k, t.threads};
            c.transposeA = bits & 1;
            c.transposeB = bits & 2;
            SCOPED_TRACE(testing::Message() << c);
            Product product(c);
            EXPECT_EQ(product.plan().engine, ProductEngine::kFma);
            product.run();
        }
    }
}

TEST(Product, SixteenBitOperandsComeByMatrices)
{
    for (int bits = 0; bits < 4; ++bits) {
        Case c;
        c.m = c.n = 128;
        c.transposeA = bits & 1;
        c.transposeB = bits & 2;
        Product product(c);
        product.run();
        // A warp's 64 x 64 tile: 4 + 4 loads of four matrices in each of two steps.
        EXPECT_EQ(product.count(ir::OpId::kLdMatrix), 16);
        EXPECT_EQ(product.count(ir::OpId::kMma), 64);
    }
}

TEST(Product, OfWarpGroups)
{
    const std::pair<ir::DType, ir::DType> types[] = {{ir::kFloat16, ir::kFloat32}, {ir::kFloat16, ir::kFloat16}, {ir::kBFloat16, ir::kFloat32},
                                                     {ir::kFloat32, ir::kFloat32}, {ir::kInt8, ir::kInt32},      {kE4M3, ir::kFloat32}};
    struct Tile {
        I m, n, k, threads;
    };
    const Tile tiles[] = {{64, 64, 64, 128}, {128, 96, 32, 256}, {64, 8, 32, 128}, {128, 192, 96, 256}, {192, 40, 64, 384}, {64, 208, 64, 128}};
    for (const auto& [type, sum] : types)
        for (const Tile& t : tiles)
            for (int bits = 0; bits < 8; ++bits) {
                Case c{"sm_90a", type, sum, t.m, t.n, t.k, t.threads, bits % 3};
                c.op = ir::OpId::kWgmmaGemm;
                c.transposeA = bits & 1;
                c.transposeB = !(bits & 2);
                c.fragmentA = bits & 4;
                c.clear = bits % 3 == 0;
                c.versions = bits % 3;
                if (type.bits() != 16 && (c.transposeA || !c.transposeB || t.m > 128))
                    continue;
                SCOPED_TRACE(testing::Message() << c);
                Product product(c);
                product.run();
                EXPECT_EQ(product.problem(), "");
                EXPECT_GT(product.count(ir::OpId::kWgmma), 0);
            }
}

TEST(Product, OfWarpGroupsKnowsWhichLayoutsItCanRead)
{
    Case c{"sm_90a"};
    c.op = ir::OpId::kWgmmaGemm;
    c.k = 64;
    c.shared = Shared::kPadded;
    Product product(c);
    product.run();
    EXPECT_EQ(product.problem(), "not supported: a wgmma product of A_s, whose layout is none that wgmma knows (rows of 32, 64 or 128 bytes, swizzled)");
    c.shared = Shared::kBest;
    c.type = ir::kFloat64;
    c.sum = ir::kFloat64;
    EXPECT_EQ(Product(c).plan().problem, "not supported: a wgmma product of float64 with float64 sums and K = 64");
}

TEST(Product, AnAccumulatorIsTheNextLeftOperandAsItStands)
{
    Case first, second;
    first.policy = second.policy = 1;
    first.m = second.m = 64;
    first.n = second.k = 64;
    second.fragmentA = true;
    EXPECT_EQ(Product(first).plan().c, *Product(second).plan().a.fragment);
}

TEST(Product, ReasonsNameTheInstructionOrWhatIsMissing)
{
    EXPECT_EQ(Product(Case{}).plan().reason,
              "float16 on tensor cores by m16n8k16: 2x2 warps (Square), each 32x32 of the result");
    EXPECT_EQ(Product(Case{"sm_75", ir::kBFloat16}).plan().reason,
              "by multiplications of single threads in float32, 32 results each, because sm_75 has no tensor instruction for bfloat16 "
              "with float32 sums");
    Case odd;
    odd.k = 20;
    EXPECT_EQ(Product(odd).plan().reason,
              "by multiplications of single threads in float32, 32 results each, because K = 20 is no multiple of the 8 of m16n8k8");
}

}  // namespace
}  // namespace tw::passes
