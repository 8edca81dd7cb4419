#include <QApplication>
#include <QStandardPaths>
#include <QTest>

#include <cstdio>

#include "app/gui/widgets/theme.h"
#include "tests/gui/groups.h"

// gui_test GROUP [QtTest options]
int main(int argc, char** argv)
{
    using namespace tw::gui;
    QApplication::setStyle(QStringLiteral("fusion"));
    QApplication app(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    loadFonts();
    const QString group = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QString();
    const auto test = group == QLatin1String("models")    ? makeModelsTest()
                      : group == QLatin1String("editor")  ? makeEditorTest()
                      : group == QLatin1String("session") ? makeSessionTest()
                      : group == QLatin1String("window")  ? makeWindowTest()
                      : group == QLatin1String("gpu")     ? makeGpuTest()
                      : group == QLatin1String("profile") ? makeProfileTest()
                      : group == QLatin1String("compare") ? makeCompareTest()
                      : group == QLatin1String("tune")    ? makeTuneTest()
                      : group == QLatin1String("counters") ? makeCountersTest()
                      : group == QLatin1String("widgets") ? makeWidgetsTest()
                                                          : nullptr;
    if (!test) {
        std::fprintf(stderr, "usage: gui_test models|editor|session|window|gpu|profile|compare|tune|counters|widgets [QtTest options]\n");
        return 2;
    }
    return QTest::qExec(test.get(), argc - 1, argv + 1);
}
