// Asks for a variant to compare with, and adds it.
#pragma once

class QWidget;

namespace tw::gui {

class CompareSession;
class Workbench;

void askForParameters(CompareSession& session, const Workbench& workbench, QWidget* parent);
void askForFile(CompareSession& session, QWidget* parent);
// One variant for each value of one parameter.
void askForSweep(CompareSession& session, const Workbench& workbench, QWidget* parent);

}  // namespace tw::gui
