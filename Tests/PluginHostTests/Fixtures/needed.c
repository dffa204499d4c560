// A library that a plugin needs.
int needed(void) { return 1; }
