// A plugin that looks for its shared memory among its descriptors and mappings, and tries to shrink it or to make its
// input writable.
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "imghost_plugin.h"

static const imghost_host *host;

static void *create(const imghost_call *call, const imghost_value *values, uint32_t count) {
  (void)call, (void)values, (void)count;
  return malloc(1);
}
static void destroy(void *instance) { free(instance); }

static int32_t process(void *instance, const imghost_request *request) {
  (void)instance;
  int taken = 0;
  for (int descriptor = 3; descriptor < 64; descriptor++) taken += ftruncate(descriptor, 0) == 0;
  uintptr_t page = (uintptr_t)request->inputs[0]->pixels & ~(uintptr_t)4095;
  int opened = mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) == 0;
  host->set_error(request->call, taken ? "shrank it" : opened ? "may write" : "may do nothing");
  return IMGHOST_FAILED;
}

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = 1,
    .kind = IMGHOST_KIND_FILTER,
    .name = "thief",
    .version = "1",
    .summary = "Takes what it can",
    .samples = 1u << 1,
    .bands = 1u << 3,
    .extent = IMGHOST_EXTENT_FRAME,
    .create = create,
    .destroy = destroy,
    .process = process,
};

const imghost_plugin *imghost_plugin_entry(uint32_t version, const imghost_host *functions) {
  (void)version;
  host = functions;
  return &plugin;
}
