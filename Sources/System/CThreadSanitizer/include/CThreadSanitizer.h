// This header declares nothing: the functions of `thread_sanitizer.c` replace others when a program is linked.
#pragma once
