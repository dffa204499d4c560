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
    -- Opens the picture that save.lua saved.
    local img = require "imghost"

    img.open("example.@EXTENSION@"):save("example.png")

    """

  static let codecReadme = """
    # @NAME@

    A codec for imghost: it reads and writes `.@EXTENSION@` files. The format is invented, for you to change: a header
    of 24 bytes, a colour profile, and raw rows.

        sh test.sh

    builds it, has `imghost plugin check` try it out, saves `example.@EXTENSION@`, and makes `example.png` of that.

    ## Next steps

    1. Change the signature in `@TYPE@.c`, in both places, and what `open_file` reads of the header. `imghost info FILE`
       then shows the size of a real file.
    2. Change `read_rows`. If your format cannot give rows from the top down, drop IMGHOST_IMAGE_STREAMED: the host then
       asks for all rows at once.
    3. Change `begin`, `write_rows` and `finish`. A codec that only reads drops them, IMGHOST_CODEC_WRITES, and the
       samples and bands of the plugin.
    4. Run `sh test.sh` after each change. The table names what is wrong. `imghost plugin check LIBRARY FILE…` also
       tests with files of yours.
    5. `imghost plugin install build/lib@TYPE@Plugin.so` installs it for you.

    `imghost_plugin.h` explains every field. The chapter "A codec in an afternoon" of imghost's documentation goes
    through the code.

    """

  static let codec = #"""
    // @NAME@: reads and writes .@EXTENSION@ files, an invented format of raw pixels. Change it into your own.
    //
    //   bytes    contents
    //   0 to 7   the signature
    //   8        width, in pixels
    //   12       height
    //   16       bands: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha
    //   20       the number of bytes of the ICC profile, 0 for none
    //   24       the profile, then the rows from the top down, 8 bits a sample
    //
    // Numbers have 32 bits, the lowest byte first.
    #include "imghost_plugin.h"

    #include <string.h>

    static const uint8_t signature[8] = {@SIGNATURE@};
    enum { header_size = 24, maximum_side = 1000000 };

    static const imghost_host *host;

    // Says why a call fails, like printf. The words end a sentence that starts with the file's name.
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
      // The number of bytes of rows that the file has: fewer than it should if it is cut.
      size_t size;
      uint32_t bands;
    } reader;

    static const imghost_fact facts[] = {{.name = "bits", .number = 8}, {.name = "compression", .text = "none"}};

    // Reads the header. Every number in it may be a lie.
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
        return fail(call, "has %u x %u pixels; a side has 1 to %d", width, height, maximum_side);
      }
      if (bands < 1 || bands > 4) return fail(call, "has %u bands, not 1 to 4", bands);
      // Compare with what is left, and never add to a number of the file: a sum may overflow.
      if (profile > count - header_size) return fail(call, "ends in the middle of its colour profile");

      reader *opened = host->alloc(sizeof *opened);
      if (opened == NULL) return fail(call, "takes more memory than there is");
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

    // Copies the wanted part of each wanted row.
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

    // Writes all that stands before the rows.
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
        fail(writing->call, "takes more memory than there is");
        return NULL;
      }
      begun->write = writing->write;
      begun->row_size = (size_t)format->width * format->bands;
      if (begun->write(writing->call, header, sizeof header) != 0
          || (profile.count > 0 && begun->write(writing->call, profile.bytes, profile.count) != 0)) {
        host->free(begun);  // nobody wants the file any more
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

    // Nothing follows the rows.
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
    // The same bytes as in `signature`, at offset 0.
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

    // `samples` and `bands` are the formats that it writes. The host converts all other pictures.
    IMGHOST_CODEC_PLUGIN(host, tables, (void)0,
        .name = "@NAME@",
        .version = "1.0",
        .summary = "Reads and writes .@EXTENSION@ files",
        .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8),
        .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(2) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4),
        .alpha = IMGHOST_ALPHA_STRAIGHT)

    """#
}
