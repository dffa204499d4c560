// Replaces JBIG-KIT, which Debian's libtiff needs but which is under the GPL. Pictures that are compressed with JBIG
// are then refused; the GPL part of the portable files has the real library. The functions are those of jbig.h that
// libtiff calls.
#include <stddef.h>

int jbg_dec_in(void *state, unsigned char *data, size_t length, size_t *count) {
  (void)state, (void)data, (void)length, (void)count;
  return 1;  // any status but JBG_EOK
}
const char *jbg_strerror(int status) {
  (void)status;
  return "JBIG needs the GPL part of imghost";
}
void jbg_dec_init(void *state) { (void)state; }
void jbg_dec_free(void *state) { (void)state; }
unsigned char *jbg_dec_getimage(const void *state, int plane) {
  (void)state, (void)plane;
  return NULL;
}
unsigned long jbg_dec_getsize(const void *state) {
  (void)state;
  return 0;
}
int jbg_newlen(unsigned char *data, size_t length) {
  (void)data, (void)length;
  return 1;
}
void jbg_enc_init(void *state, unsigned long width, unsigned long height, int planes, unsigned char **rows,
    void (*output)(unsigned char *, size_t, void *), void *file) {
  (void)state, (void)width, (void)height, (void)planes, (void)rows, (void)output, (void)file;
}
void jbg_enc_out(void *state) { (void)state; }
void jbg_enc_free(void *state) { (void)state; }
