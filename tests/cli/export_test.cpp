// tilec export, over one-file captures and stored runs.
#include <filesystem>

#include <gtest/gtest.h>

#include "profiler/store/store.h"
#include "profiler/store/twr.h"
#include "tests/cli/call.h"
#include "tests/temporary_folder.h"
#include "tests/unit/store/sample.h"

namespace tw::cli::test {
namespace {

using store::test::bytesOf;
using tw::test::TemporaryFolder;
using store::test::sampleCapture;

TEST(Export, AOneFileCaptureAsJsonAndCsv)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("gemm.twr");
    ASSERT_TRUE(store::writeTwr(path, sampleCapture()));
    const Answer json = tilec("export " + path);
    EXPECT_EQ(json.exitCode, 0);
    EXPECT_EQ(json.json()["kernel"], "matmul");
    const Answer csv = tilec("export " + path + " --format csv");
    EXPECT_EQ(csv.exitCode, 0);
    EXPECT_NE(csv.out.find("metric,duration_us,,,,,12.5,us,measured,3,0.01\r\n"), std::string::npos) << csv.out;
    const Answer file = tilec("export --json " + path + " -o " + folder.file("out.csv"));
    EXPECT_EQ(file.exitCode, 0);
    EXPECT_EQ(file.json()["format"], "csv");
    EXPECT_EQ(bytesOf(folder.file("out.csv")), csv.out);
}

TEST(Export, APngIsDrawnByTheWindowsProgramBesideIt)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("gemm.twr"), png = folder.file("out.png");
    ASSERT_TRUE(store::writeTwr(path, sampleCapture()));
    EXPECT_EQ(tilec("export " + path + " --format png --view headline").exitCode, 2);  // no file to write
    if (std::filesystem::exists(std::filesystem::path(TW_TILEC).parent_path() / "tilewright")) {
        EXPECT_EQ(tilec("export " + path + " --view headline -o " + png).exitCode, 0);
        EXPECT_TRUE(bytesOf(png).starts_with("\x89PNG\r\n"));
    }
    // A tilec with nothing beside it says what would help.
    const std::string alone = folder.file("tilec");
    const Answer answer = tilec("", "cp " TW_QUOTED_TILEC " " + alone + " && exec " + alone + " export " + path + " --json --view headline -o " + png + " #");
    EXPECT_EQ(answer.exitCode, 4);
    EXPECT_NE(answer.out.find("not supported: PNG is drawn by tilewright"), std::string::npos) << answer.out;
}

TEST(Export, AStoredRunByNumberAndTheLast)
{
    const TemporaryFolder folder;
    const std::string db = folder.file("runs.db");
    {
        auto store = store::Store::open(db);
        ASSERT_TRUE(store->add(sampleCapture(10)));
        ASSERT_TRUE(store->add(sampleCapture(20)));
    }
    EXPECT_EQ(tilec("export 1 --store " + db).json()["metrics"][0]["value"], 10);
    EXPECT_EQ(tilec("export last --store " + db).json()["metrics"][0]["value"], 20);
    EXPECT_EQ(tilec("export 1 --store " + db + " -o " + folder.file("one.twr")).exitCode, 0);
    EXPECT_EQ(store::readTwr(folder.file("one.twr"))->metrics[0].value, 10);
    EXPECT_EQ(tilec("export last", "XDG_DATA_HOME=" + folder.file("none") + " ").exitCode, 2);
}

TEST(Export, APageWithTheBaseline)
{
    const TemporaryFolder folder;
    const std::string db = folder.file("runs.db");
    {
        auto store = store::Store::open(db);
        ASSERT_TRUE(store->add(sampleCapture(10)));
        ASSERT_TRUE(store->add(sampleCapture(12)));
        ASSERT_TRUE(store->pin(1));
    }
    EXPECT_EQ(tilec("export last --store " + db + " -o " + folder.file("out.html")).exitCode, 0);
    const std::string page = bytesOf(folder.file("out.html"));
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
    EXPECT_NE(page.find("<td class=\"n worse\">+20.0 %</td>"), std::string::npos);
    EXPECT_EQ(bytesOf(folder.file("out.html")), tilec("export 2 --format html --store " + db).out);
}

TEST(Runs, ListsPinsAndRemoves)
{
    const TemporaryFolder folder;
    const std::string db = " --json --store " + folder.file("runs.db");
    {
        auto store = store::Store::open(folder.file("runs.db"));
        ASSERT_TRUE(store->add(sampleCapture(10)));
        ASSERT_TRUE(store->add(sampleCapture(20)));
    }
    EXPECT_EQ(tilec("runs" + db).json()["runs"].size(), 2U);
    const Json changed = tilec("runs --pin 1 --note '1=a note, with a comma' --tags 2=fast,fp16" + db).json();
    EXPECT_EQ(changed["runs"][1]["baseline"], true);
    EXPECT_EQ(changed["runs"][1]["notes"], "a note, with a comma");
    EXPECT_EQ(changed["runs"][0]["tags"], Json({"fast", "fp16"}));
    EXPECT_EQ(tilec("runs comma" + db).json()["runs"].size(), 1U);
    EXPECT_EQ(tilec("runs --remove 2" + db).json()["runs"].size(), 1U);
    EXPECT_EQ(tilec("runs --unpin 1" + db).json()["runs"][0]["baseline"], false);
    EXPECT_EQ(tilec("runs --pin 9" + db).exitCode, 2);
    EXPECT_EQ(tilec("runs --pin x" + db).exitCode, 2);
    EXPECT_EQ(tilec("runs --note 1" + db).exitCode, 2);
}

TEST(Runs, ADamagedStoreIsSalvaged)
{
    const TemporaryFolder folder;
    const std::string db = " --json --store " + folder.file("runs.db");
    {
        auto store = store::Store::open(folder.file("runs.db"));
        for (int i = 1; i <= 3; ++i) {
            auto capture = sampleCapture(i);
            for (int k = 0; k < 500; ++k)
                capture.samplesUs.push_back(k * 1.618033988749 + 1.0 / (k + i));
            ASSERT_TRUE(store->add(capture));
        }
    }
    EXPECT_EQ(tilec("runs --salvage" + db).json()["salvage"]["whole"], true);
    std::string bytes = bytesOf(folder.file("runs.db"));
    bytes.replace(bytes.size() - 4096, 4096, std::string(4096, '\xff'));  // of the run that was added last
    store::test::putBytes(folder.file("runs.db"), bytes);
    const Json document = tilec("runs --salvage" + db).json();
    EXPECT_EQ(document["salvage"]["runs"], 2) << document.dump(1);
    EXPECT_EQ(document["salvage"]["lostRuns"], 1);
    EXPECT_EQ(document["runs"].size(), 2U);
    EXPECT_EQ(bytesOf(folder.file("runs.db.damaged")), bytes);
    EXPECT_NE(document["diagnostics"][0]["message"].get<std::string>().find("2 runs and 0 trials could be read"), std::string::npos);
}

TEST(Export, SaysWhatIsWrong)
{
    const TemporaryFolder folder;
    const auto message = [](const std::string& arguments) {
        const Answer answer = tilec("export --json " + arguments);
        EXPECT_EQ(answer.exitCode, 2) << arguments;
        return answer.json()["diagnostics"][0]["message"].get<std::string>();
    };
    const std::string db = folder.file("runs.db");
    (void)store::Store::open(db);
    EXPECT_NE(message("7 --store " + db).find("has no run 7"), std::string::npos);
    EXPECT_NE(message("last --store " + db).find("has no run"), std::string::npos);
    EXPECT_NE(message("gemm.py --store " + db).find("names no run"), std::string::npos);
    EXPECT_NE(message("99999999999999999999 --store " + db).find("names no run"), std::string::npos);
    EXPECT_NE(message("none.twr").find("cannot read none.twr"), std::string::npos);
    EXPECT_NE(message("none.twr --format pdf").find("--format takes html, csv, "), std::string::npos);
    EXPECT_NE(message("none.twr --format twr").find("needs --output"), std::string::npos);
    ASSERT_TRUE(store::writeTwr(folder.file("a.twr"), sampleCapture()));
    EXPECT_NE(message(folder.file("a.twr") + " --format svg").find("nothing to draw as roofline"), std::string::npos);
    EXPECT_NE(message(folder.file("a.twr") + " --format svg --view pie").find("--view takes"), std::string::npos);
    EXPECT_NE(message(folder.file("a.twr") + " -o /no/such/a.csv").find("cannot write /no/such/a.csv"), std::string::npos);
    EXPECT_NE(message(folder.file("a.twr") + " --format csv -o /dev/full").find("cannot write /dev/full"), std::string::npos);
}

}  // namespace
}  // namespace tw::cli::test
