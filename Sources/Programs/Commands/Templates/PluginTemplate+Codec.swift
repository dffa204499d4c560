/// The texts of a new codec, for an invented format. See `PluginTemplate.fill` for the words between @ signs.
extension PluginTemplate {
  static let codecSave = """
    -- Saves a picture in the new format.
    local img = require "imghost"

    img.canvas(160, 120, { background = "orange" })
      :extend{ left = 40, right = 40, background = "navy" }
      :save("example.@EXTENSION@")

    """

  static let codecOpen = """
    -- Opens the picture that save.lua has saved, and converts it to PNG.
    local img = require "imghost"

    img.open("example.@EXTENSION@"):save("example.png")

    """

  static let codecReadme = """
    # @NAME@

    A codec for imghost that reads and writes `.@EXTENSION@` files. The format is only an example: a header of 24 bytes,
    a colour profile, and uncompressed rows. Replace it with your own.

        sh test.sh

    builds the codec, checks it with `imghost plugin check`, saves `example.@EXTENSION@`, and converts that file to
    `example.png`.

    ## Next steps

    1. In `@TYPE@.c`, change the signature, which occurs twice, and the code in `open_file` that reads the header. Then
       `imghost info FILE` shows the size of a real file.
    2. Change `read_rows`. If your decoder cannot deliver rows from the top down, remove IMGHOST_IMAGE_STREAMED. The
       host then requests all rows at once.
    3. Change `begin`, `write_rows`, `end_page` and `finish`. For a codec that only reads, remove these, `abandon`,
       IMGHOST_CODEC_WRITES, and the plugin's `samples`, `bands` and `alpha`.
    4. Run `sh test.sh` after each change. The table that it prints shows what is wrong. `imghost plugin check LIBRARY
       FILE…` also tests your own files.
    5. `imghost plugin install build/lib@TYPE@Plugin.so` installs the codec for your user account.

    `imghost_plugin.h` explains every field. The page "A codec in an afternoon" in imghost's documentation explains the
    code.

    """

  static let codec = #"""
    // @NAME@: reads and writes .@EXTENSION@ files. The format is an example, with raw pixels; replace it with your own.
    //
    //   bytes    contents
    //   0 to 7   the signature
    //   8        width, in pixels
    //   12       height
    //   16       bands: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha
    //   20       the number of bytes of the ICC profile, 0 for none
    //   24       the profile, then the rows from the top down, 8 bits per sample
    //
    // Numbers are unsigned 32-bit integers in little-endian order.
    #include "imghost_plugin.h"

    #include <string.h>

    static const uint8_t signature[8] = {@SIGNATURE@};
    enum { header_size = 24, maximum_side = 1000000 };

    static const imghost_host *host;

    // Sets the reason why a call fails, like printf(3), and returns IMGHOST_FAILED. The text ends a sentence that
    // starts with the file's name.
    #define fail(...) imghost_fail(host, __VA_ARGS__)

    static uint32_t get_number(const uint8_t *bytes) {
      return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    }

    static void put_number(uint8_t *bytes, uint32_t number) {
      for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(number >> 8 * i);
    }

    // ---- Reading --------------------------------------------------------------------------------

    // An open file. Its bytes stay in memory until `close_file`.
    typedef struct {
      const uint8_t *rows;
      size_t row_size;
      // The number of bytes of rows in the file; fewer than the header implies if the file is truncated.
      size_t size;
      uint32_t bands;
    } reader;

    static const imghost_fact facts[] = {{.name = "bits", .number = 8}, {.name = "compression", .text = "none"}};

    // Reads the header. The file is untrusted, so every number in it may be wrong.
    static int32_t open_file(const imghost_call *call, const imghost_file *file, uint32_t page,
        const imghost_value *values, uint32_t value_count, void **instance, imghost_image *image) {
      (void)page, (void)values, (void)value_count;  // the host refuses a page beyond `page_count`
      const uint8_t *bytes = file->content.bytes;
      size_t count = file->content.count;
      if (count < sizeof signature || memcmp(bytes, signature, sizeof signature) != 0) return IMGHOST_NOT_MINE;
      if (count < header_size) return fail(call, "ends in the middle of its header");
      uint32_t width = get_number(bytes + 8), height = get_number(bytes + 12);
      uint32_t bands = get_number(bytes + 16), profile = get_number(bytes + 20);
      if (width < 1 || width > maximum_side || height < 1 || height > maximum_side) {
        return fail(call, "has %u x %u pixels; each side must have 1 to %d", width, height, maximum_side);
      }
      if (bands < 1 || bands > 4) return fail(call, "has %u bands, not 1 to 4", bands);
      // Compare a number from the file with what is left of the file. Do not add to it first, because the sum may
      // overflow.
      if (profile > count - header_size) return fail(call, "ends in the middle of its colour profile");

      reader *opened = host->alloc(sizeof *opened);
      if (opened == NULL) return fail(call, "needs more memory than is available");
      opened->rows = bytes + header_size + profile;
      opened->row_size = (size_t)width * bands;
      opened->size = count - header_size - profile;
      opened->bands = bands;
      *instance = opened;

      // The host has filled `image` with zeros.
      image->flags = IMGHOST_IMAGE_STREAMED | IMGHOST_IMAGE_REGIONS | IMGHOST_IMAGE_LOSSLESS;
      image->page_count = 1;
      image->sample = IMGHOST_SAMPLE_U8;
      image->bands = bands;
      image->width = (int32_t)width;
      image->height = (int32_t)height;
      image->working_bytes = sizeof *opened;
      image->facts = facts;
      image->fact_count = sizeof facts / sizeof *facts;
      image->metadata.orientation = 1;
      if (profile > 0) image->metadata.icc = (imghost_bytes){bytes + header_size, profile};
      return IMGHOST_OK;
    }

    // Copies the requested part of each requested row.
    static int32_t read_rows(void *instance, const imghost_read *request) {
      const reader *opened = instance;
      const imghost_picture *output = request->output;
      const imghost_region wanted = output->valid;
      size_t count = (size_t)wanted.width * opened->bands;
      for (int32_t y = 0; y < wanted.height; y++) {
        if (y % 64 == 0 && host->is_cancelled(request->call)) return IMGHOST_CANCELLED;
        size_t start = (size_t)(wanted.top + y) * opened->row_size + (size_t)wanted.left * opened->bands;
        size_t left = start < opened->size ? opened->size - start : 0;
        if (left < count && !(request->flags & IMGHOST_READ_DAMAGED)) {
          return fail(request->call, "ends in the middle of its pixels");
        }
        // The missing part of a damaged file stays black.
        size_t copied = left < count ? left : count;
        if (copied > 0) memcpy((uint8_t *)output->writable + y * output->stride, opened->rows + start, copied);
      }
      return IMGHOST_OK;
    }

    static void close_file(void *instance) { host->free(instance); }

    // ---- Writing --------------------------------------------------------------------------------

    // A file that is being written.
    typedef struct {
      int32_t (*write)(const imghost_call *call, const void *bytes, size_t count);
      size_t row_size;
    } writer;

    // Writes everything that precedes the rows: the header and the profile.
    static void *begin(const imghost_writing *writing) {
      const imghost_picture *format = writing->format;
      imghost_bytes profile = writing->metadata->icc;
      uint8_t header[header_size];
      memcpy(header, signature, sizeof signature);
      put_number(header + 8, (uint32_t)format->width);
      put_number(header + 12, (uint32_t)format->height);
      put_number(header + 16, format->bands);
      put_number(header + 20, (uint32_t)profile.count);
      writer *begun = host->alloc(sizeof *begun);
      if (begun == NULL) {
        fail(writing->call, "needs more memory than is available");
        return NULL;
      }
      begun->write = writing->write;
      begun->row_size = (size_t)format->width * format->bands;
      if (begun->write(writing->call, header, sizeof header) != 0
          || (profile.count > 0 && begun->write(writing->call, profile.bytes, profile.count) != 0)) {
        host->free(begun);  // the file is no longer needed
        return NULL;
      }
      return begun;
    }

    static int32_t write_rows(void *encoder, const imghost_call *call, const imghost_picture *rows) {
      writer *begun = encoder;
      for (int32_t y = 0; y < rows->valid.height; y++) {
        const uint8_t *row = (const uint8_t *)rows->pixels + y * rows->stride;
        if (begun->write(call, row, begun->row_size) != 0) return IMGHOST_CANCELLED;
      }
      return IMGHOST_OK;
    }

    // Ends a page. In this format, nothing follows the rows.
    static int32_t end_page(void *encoder, const imghost_call *call, double delay, const imghost_picture *next) {
      (void)encoder, (void)call, (void)delay, (void)next;
      return IMGHOST_OK;
    }

    static int32_t finish(void *encoder, const imghost_call *call) {
      (void)encoder, (void)call;
      return IMGHOST_OK;
    }

    static void abandon(void *encoder) { host->free(encoder); }

    // ---- The description ------------------------------------------------------------------------

    static const char *const extensions[] = {"@EXTENSION@", NULL};
    // The bytes of `signature` in hexadecimal; they are at offset 0.
    static const char *const signatures[] = {"0:@HEX@", NULL};

    static const imghost_codec codec = {
        .struct_size = sizeof(imghost_codec),
        .flags = IMGHOST_CODEC_READS | IMGHOST_CODEC_WRITES | IMGHOST_CODEC_LOSSLESS,
        .title = "@TYPE@",
        .extensions = extensions,
        .signatures = signatures,
        .maximum_side = maximum_side,
        .write_bytes = sizeof(writer),
        .open = open_file,
        .read = read_rows,
        .close = close_file,
        .begin = begin,
        .write_rows = write_rows,
        .end_page = end_page,
        .finish = finish,
        .abandon = abandon,
    };

    static const imghost_table tables[] = {{IMGHOST_CODEC_EXTENSION, &codec}, {0}};

    // `samples` and `bands` are the pixel formats that the codec writes. The host converts all other pictures.
    IMGHOST_CODEC_PLUGIN(host, tables, (void)0,
        .name = "@NAME@",
        .version = "1.0",
        .summary = "Reads and writes .@EXTENSION@ files",
        .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8),
        .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(2) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4),
        .alpha = IMGHOST_ALPHA_STRAIGHT)

    """#
}
