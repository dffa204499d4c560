// Replaced by the module's first test.
