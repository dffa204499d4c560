// A library that a plugin needs.
#ifndef LIBRARY_VERSION
#define LIBRARY_VERSION "1"
#endif
int needed(void) { return 1; }
const char *needed_version(void) { return LIBRARY_VERSION; }
