// Nothing is called: the functions of `thread_sanitizer.c` take the place of others when a program is linked.
#pragma once
