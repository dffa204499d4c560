// libjpeg-turbo with nothing around it: what the codecs alone cost, and inputs for measuring.
//
// libjpeg's errors end the process with its message: the files are the benchmark's own.
#pragma once
#include <stdint.h>

// The size of a JPEG file's picture. 0, or -1 if the file cannot be opened.
int bench_jpeg_size(const char *path, int *width, int *height);

// Decodes to RGB, rows without gaps, at 1/shrink of the size rounded up; shrink is 1, 2, 4 or 8. The
// buffer holds all rows. 0, or -1 if the file cannot be opened.
int bench_jpeg_decode(const char *path, int shrink, uint8_t *rgb);

// Decodes likewise and throws the rows away, which takes a buffer of a few rows only.
int bench_jpeg_decode_away(const char *path, int shrink);

// Writes RGB rows without gaps as a baseline JPEG, 4:2:0. 0, or -1 if the file cannot be written.
int bench_jpeg_encode(const char *path, const uint8_t *rgb, int width, int height, int quality);

// A JPEG written a few rows at a time.
typedef struct BenchJPEGWriter BenchJPEGWriter;
// NULL if the file cannot be written. With `restarts`, a restart marker stands before each row of MCUs.
BenchJPEGWriter *bench_jpeg_writer_create(const char *path, int width, int height, int quality, int restarts);
void bench_jpeg_writer_add(BenchJPEGWriter *writer, const uint8_t *rgb, int rows);
// 0, or -1 if not all could be written. Frees the writer.
int bench_jpeg_writer_close(BenchJPEGWriter *writer);

// libjpeg-turbo's version as a number, 2001005 for 2.1.5; 0 for another libjpeg.
int bench_jpeg_version(void);
