#include <QApplication>
#include <QStandardPaths>

#include <algorithm>
#include <cstdio>

#include "app/gui/windows/document_page.h"
#include "app/gui/windows/main_window.h"
#include "app/gui/windows/options.h"
#include "app/gui/windows/shot.h"
#include "codegen/driver/compile.h"
#include "profiler/device/device.h"
#include "profiler/store/store.h"

namespace {

// Says what cannot be read.
bool canRead(const QStringList& files)
{
    return std::all_of(files.begin(), files.end(), [](const QString& file) {
        QString error;
        const bool isRead = file.endsWith(QStringLiteral(".twr")) || tw::gui::readFile(file, error);
        if (!isRead)
            std::fputs(qPrintable(QStringLiteral("tilewright: %1\n").arg(error)), stderr);
        return isRead;
    });
}

}  // namespace

int main(int argc, char** argv)
{
    using namespace tw::gui;
    QStringList arguments;
    for (int i = 0; i < argc; ++i)
        arguments << QString::fromLocal8Bit(argv[i]);
    const Options options = parseOptions(arguments);
    if (options.answer) {
        std::fputs(qPrintable(*options.answer), options.exitCode == 0 ? stdout : stderr);
        return options.exitCode;
    }
    QApplication::setStyle(QStringLiteral("fusion"));
    QApplication app(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("tilewright"));
    QApplication::setApplicationName(QStringLiteral("tilewright"));
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/tilewright.svg")));
    loadFonts();
    QApplication::setFont(uiFont());

    if (!options.svg.isEmpty())
        return drawSvg(options.svg, options.shot);
    const bool isShot = !options.shot.isEmpty();
    if (isShot && !canRead(options.files))  // nobody would answer a dialog
        return 2;
    MainWindow::Services services;
    services.compile = [](const auto& request, auto stop) { return tw::driver::compile(request, stop); };
    services.runnerCommand = tw::protocol::localRunnerCommand();
    services.settings = Settings(!isShot);
    services.findRunner = [](const std::string& device) -> std::optional<RunnerPlace> {
        if (!tw::device::isRemote(device))
            return std::nullopt;
        auto remote = tw::device::parseRemote(device);
        return RunnerPlace{std::move(remote.command), std::move(remote.device)};
    };
    services.storePath = isShot ? std::string() : tw::store::defaultStorePath();
    if (!isShot)
        services.journalFolder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/journal");
    MainWindow window(std::move(services));
    if (!options.theme.isEmpty())
        window.setThemePreference(options.theme);
    window.resize(options.size);
    if (!isShot && !options.safe)
        window.restoreSession();
    if (!isShot)
        window.restoreLeftovers();
    if (options.sizeGiven)
        window.resize(options.size);
    if (!options.layout.isEmpty())
        window.setLayout(options.layout);
    if (!options.target.isEmpty())
        window.workbench().setTarget(options.target.toStdString());
    for (const auto& file : options.files)
        window.documents().open(file);
    if (!options.kernel.isEmpty())
        window.workbench().choose(options.kernel.toStdString(), options.instance.toStdString());
    window.show();
    if (!options.focus.isEmpty())
        window.focusView(options.focus);
    return isShot ? takeShot(window, options.shot) : QApplication::exec();
}
