// The guide, and the reference of the language: every name with what it does.
#pragma once

#include "app/gui/editor/language_info.h"
#include "app/gui/views/view.h"

class QLineEdit;
class QTextBrowser;

namespace tw::gui {

class HelpView : public View {
    Q_OBJECT

public:
    HelpView(const LanguageInfo& language, ViewContext context, QWidget* parent);
    void showGuide();
    void lookUp(const QString& word);  // with or without "T."; shows what is near if there is no such name

protected:
    void makeContent() override;
    void applyTheme() override;
    void refresh() override;

private:
    void filter(const QString& text);
    [[nodiscard]] QString entryHtml(const LanguageEntry& entry) const;

    const LanguageInfo& language_;
    QLineEdit* search_ = nullptr;
    QTextBrowser* browser_ = nullptr;
};

}  // namespace tw::gui
