// Pages of PDF files, drawn with poppler: ISO 32000.
#pragma once

#include "imghost_plugin.h"

/// The indices of the parameters of `open` in the array of their values.
enum { pdf_dpi, pdf_width, pdf_background, pdf_password, pdf_parameter_count };

extern const imghost_host *pdf_host;
/// Reports the reason for a failure, formatted as by printf(3). Returns IMGHOST_FAILED.
#define pdf_fail(...) imghost_fail(pdf_host, __VA_ARGS__)

int32_t pdf_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t pdf_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
int32_t pdf_read(void *instance, const imghost_read *request);
void pdf_close(void *instance);
