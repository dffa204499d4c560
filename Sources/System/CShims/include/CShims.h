// The C that Swift cannot express: one header a subject.
#pragma once
#include "shim_jpeg.h"
#include "shim_lua.h"
#include "shim_confine.h"
#include "shim_process.h"
