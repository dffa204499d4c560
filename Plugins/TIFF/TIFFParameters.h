/* TIFFParameters.h: the options of `save`, in their order. */
#pragma once

enum { TIFF_PARAMETER_COMPRESSION, TIFF_PARAMETER_BIGTIFF, TIFF_PARAMETER_BITDEPTH, TIFF_PARAMETER_COUNT };
