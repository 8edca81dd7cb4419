// The open files as tabs, and opening, saving, closing them.
#pragma once

#include <QStackedWidget>

#include "app/gui/windows/document_page.h"

class QTabWidget;

namespace tw::gui {

class WelcomePage;

class DocumentArea : public QStackedWidget {
    Q_OBJECT

public:
    DocumentArea(const LanguageInfo& language, QWidget* parent = nullptr);

    DocumentPage* open(const QString& path);  // the page that shows it, or null after telling why
    DocumentPage* openNew();
    // The page with just that text, or a new one called `name`: the program of a capture whose file is not here.
    DocumentPage* openText(const QString& name, const std::string& text);
    void askAndOpen();
    bool save(DocumentPage& page, bool askForName);
    bool close(DocumentPage& page);  // false if the user said no
    bool closeAll();                 // asks once for each modified file; a no keeps every tab

    [[nodiscard]] DocumentPage* current() const;
    [[nodiscard]] QList<DocumentPage*> pages() const;
    void setTheme(const Theme& theme, double codeSize);
    void setRecentFiles(const QStringList& paths);
    void cycle(int steps);

Q_SIGNALS:
    void currentChanged(tw::gui::DocumentPage* page);  // null: none is open
    void opened(const QString& path);                  // for the recent files; also after save as
    void captureRequested(const QString& path);        // a .twr file: no document
    void pageAdded(tw::gui::DocumentPage* page);
    void pageClosed(const QString& key);
    void titlesChanged();

private:
    DocumentPage* addPage(std::unique_ptr<DocumentPage> fresh);
    bool mayClose(DocumentPage& page);  // asks where text would be lost
    void remove(DocumentPage& page);
    void updateTitle(DocumentPage& page);

    const LanguageInfo& language_;
    QTabWidget* tabs_;
    WelcomePage* welcome_;
    Theme theme_;
    double codeSize_ = 10.5;
    int newFiles_ = 0;
};

}  // namespace tw::gui
