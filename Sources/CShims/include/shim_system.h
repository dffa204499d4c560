// System calls that Swift's view of glibc lacks.
#pragma once
#include <stddef.h>
#include <stdint.h>
