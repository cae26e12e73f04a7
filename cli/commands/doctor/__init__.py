"""`mcode doctor`: checks of the installation, and a report for an issue."""
