// The C code that cannot be expressed in Swift: one header for each subject.
#pragma once
#include "shim_jpeg.h"
#include "shim_lua.h"
#include "shim_confine.h"
#include "shim_process.h"
