/* imghost_plugin.h: the whole interface of plugins for imghost. Version 1.
 *
 * A plugin is a shared library (`lib<Name>Plugin.so`) that exports one C function, `imghost_plugin_entry`. The function
 * returns a description of the plugin, with the functions that the host calls. A plugin can be written in any language
 * that can export C functions: C, C++, Rust, Swift.
 *
 *     #include "imghost_plugin.h"
 *
 *     static void *create(const imghost_call *call, const imghost_value *values, uint32_t count) {
 *       …copy what you need of `values`, which are only valid during the call…
 *     }
 *     static void destroy(void *instance) { … }
 *     static int32_t process(void *instance, const imghost_request *request) { … }
 *
 *     static const imghost_plugin plugin = {
 *       .struct_size = sizeof(imghost_plugin), .abi_version = IMGHOST_ABI_VERSION,
 *       .kind = IMGHOST_KIND_FILTER, .name = "my_filter", .version = "1.0",
 *       .summary = "Does something to a picture",
 *       .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8),
 *       .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(3),
 *       .alpha = IMGHOST_ALPHA_STRAIGHT, .extent = IMGHOST_EXTENT_FRAME,
 *       .create = create, .destroy = destroy, .process = process,
 *     };
 *     IMGHOST_EXPORT const imghost_plugin *imghost_plugin_entry(
 *         uint32_t host_abi_version, const imghost_host *host) { return &plugin; }
 *
 * HOW IT IS CALLED. The host runs a plugin in a process of its own. The plugin must not open windows, keep files open
 * between calls, or rely on the host's environment variables. If it crashes or does not return, only the current
 * picture is lost. For each picture, the host calls `create` with checked values, `process` once or more, and then
 * `destroy`. An instance is used by one thread at a time, unless the plugin declares IMGHOST_THREADS_REGIONS.
 *
 * WHAT IT MAY DO. A plugin may compute, allocate up to a quarter of the machine's memory, and start threads. The limits
 * are set before the library is loaded, so they also apply to constructors. Writing files, sharing memory without a
 * file, and opening local sockets fail. Opening other sockets, starting processes, and signalling other processes end
 * the plugin's process. A plugin can read its own folder (unless that is or contains the user's home, or all users may
 * write to it), the data that it declares (IMGHOST_DATA_EXTENSION), the libraries that it is linked with, fonts,
 * locales, and facts about the machine. If the kernel has no Landlock, a constructor can read more, but after the
 * constructors nothing can be read.
 * Lines that the plugin prints appear in the host's log.
 *
 * HOW THIS HEADER GROWS. Every struct that may grow starts with `struct_size`. The side that fills in a struct sets it
 * to the `sizeof` that it was compiled with; the side that reads the struct uses no field beyond that size. New fields
 * are added at the end, and fields never change their meaning. Flags and sets of bits that are not listed here must be
 * 0. Larger additions become extensions, which are requested by name. Therefore a plugin that was built for version 1
 * runs in every later host.
 *
 * TEXT is UTF-8, ends with a 0 byte, and belongs to the side that passed it. The limits are 64 bytes for names, labels,
 * groups and versions, 32 for units, and 512 for all other text. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this header. It only changes if a host must refuse plugins that were built for earlier versions. */
#define IMGHOST_ABI_VERSION 1u

/** Marks the only function that a plugin exports. */
#if defined(__GNUC__)
#define IMGHOST_EXPORT __attribute__((visibility("default")))
#else
#define IMGHOST_EXPORT
#endif

/** A member of the sets `samples` and `bands`. In `bands`, IMGHOST_TAKES(3) means that three bands are accepted. */
#define IMGHOST_TAKES(value) (1u << (value))

/* ---- Codes ---------------------------------------------------------------------------------- */

/* The groups of codes, in the order of this header, and the places where they are used:
 *
 * - KIND, EXTENT, THREADS, FLAG: fields of `imghost_plugin`
 * - SAMPLE, ALPHA: fields of `imghost_picture`, `imghost_image` and `imghost_plugin`
 * - TYPE: a field of `imghost_parameter`
 * - OK, FAILED, CANCELLED, NOT_MINE: results of a plugin's functions
 * - LOG: an argument of the host's `log`
 * - CODEC, IMAGE, READ, STORED: fields of `imghost_codec`, `imghost_image`, `imghost_read` and `imghost_stored`
 *
 * Codes in a field `flags` are bits, and can be combined. All other fields contain a single code. */

/** The kind of a plugin. */
#define IMGHOST_KIND_FILTER 1u /**< one picture in, one of the same size out */
/** Generates a picture with the size that the script gives: `img.plugin("name", { width = 640, height = 480 })`. Of the
 * formats that the plugin supports, the host prefers 8 bits, then 16 bits, then floats; and 3 bands, then 4, 1 and 2.
 * If the plugin supports 8 bits and a larger depth, a script may set `depth = 16`, unless the plugin has a parameter
 * with that name. The plugin must not have parameters named width and height. */
#define IMGHOST_KIND_SOURCE 2u
/** Combines `input_count` pictures with the same size into one picture: `a:plugin("name", b, { … })`. The host passes
 * all inputs in one format. Parameters must not have the names that scripts may use for the inputs: second, third,
 * fourth, fifth, sixth, seventh, eighth. */
#define IMGHOST_KIND_MIXER 3u

/** Reads or writes a file format, with the functions of the `imghost_codec` that it returns for the extension
 * IMGHOST_CODEC_EXTENSION. Such a plugin is called for files, never by scripts. Its `create`, `destroy` and `process`
 * are NULL. Its `parameters` are the options of `save` for the format. `samples`, `bands` and `alpha` describe the
 * pictures that it writes, and are 0 if it only reads. `name` is that of the format: "webp". */
#define IMGHOST_KIND_CODEC 4u

/** The part of the input that the plugin needs at once. This version of the host passes whole pictures. If a plugin
 * accepts rows, the host may request a part of a large picture's rows in each of several processes, once `imghost
 * plugin check` has verified that the result is the same. */
#define IMGHOST_EXTENT_FRAME 1u /**< the whole picture */
#define IMGHOST_EXTENT_ROWS 2u  /**< the rows of the region, and `padding` rows above and below */

/** The threads on which the host may call the plugin. In this version, the host makes one call at a time in a process,
 * except when `imghost plugin check` tests this declaration, and when plugins run in the host's own process. */
#define IMGHOST_THREADS_ONE 0u       /**< one call at a time in a process */
#define IMGHOST_THREADS_INSTANCES 1u /**< several instances at once, each on one thread */
#define IMGHOST_THREADS_REGIONS 2u   /**< several regions of one instance at once */

/** Flags of a plugin. In this version of the host, input and output are never the same memory. */
#define IMGHOST_FLAG_DETERMINISTIC 1u /**< the same input and values give the same bytes */
#define IMGHOST_FLAG_IN_PLACE 2u      /**< input and output may be the same memory */
/** The plugin accepts any RGB space, and its result has the RGB space of the picture. Without this flag, the host first
 * converts pictures with a profile to sRGB, and the result is sRGB. The pictures of a MIXER are all converted to the
 * RGB space of the first one. (The first version-1 hosts do not have this flag, and refuse it.) */
#define IMGHOST_FLAG_ANY_RGB 4u
/** With a smaller picture, and with parameters in "px" reduced accordingly, the result is the same but smaller.
 * `imghost preview` then works on small pictures; without this flag, it works on full-size ones, which takes longer.
 * (The first version-1 hosts do not have this flag, and refuse it.) */
#define IMGHOST_FLAG_SCALES 8u

/** The type of samples: unsigned 0 to 255, unsigned 0 to 65535 in the machine's byte order, or a float from 0 for no
 * intensity to 1 for full intensity. The host clamps floats outside this range. */
#define IMGHOST_SAMPLE_U8 1u
#define IMGHOST_SAMPLE_U16 2u
#define IMGHOST_SAMPLE_F32 3u

/** The meaning of the last of 2 or 4 bands, and whether the colours are multiplied by it. */
#define IMGHOST_ALPHA_NONE 0u
#define IMGHOST_ALPHA_STRAIGHT 1u
#define IMGHOST_ALPHA_PREMULTIPLIED 2u

/** The types of parameters, and the position of their value in `imghost_value`. */
#define IMGHOST_TYPE_BOOL 1u   /**< numbers[0]: 0 or 1 */
#define IMGHOST_TYPE_INT 2u    /**< numbers[0]: whole, within +-2^53 */
#define IMGHOST_TYPE_FLOAT 3u  /**< numbers[0] */
#define IMGHOST_TYPE_ENUM 4u   /**< numbers[0]: index among the choices */
#define IMGHOST_TYPE_COLOUR 5u /**< numbers: red, green, blue, straight alpha, each 0 to 1 */
#define IMGHOST_TYPE_STRING 6u /**< text */
#define IMGHOST_TYPE_POINT 7u  /**< numbers[0], numbers[1]: x, y */

/** The result of `process` and of a codec's functions. Any other value is also a failure. */
#define IMGHOST_OK 0
#define IMGHOST_FAILED 1
#define IMGHOST_CANCELLED 2
/** The result of `open` and `turn` for a file that begins like a file of this format but has another format. The host
 * then tries the next codec. (RAW files begin like TIFF files.) Also a result of `rewrite`. */
#define IMGHOST_NOT_MINE 3

/** Levels of `log`. */
#define IMGHOST_LOG_NOTE 1u
#define IMGHOST_LOG_WARNING 2u
/** A message about the file that a codec reads, such as a fault that its library tolerated. (Earlier hosts treat it as
 * a NOTE.) */
#define IMGHOST_LOG_FILE 3u

/** Flags of a codec. */
#define IMGHOST_CODEC_READS 1u    /**< it has `open`, `read` and `close` */
#define IMGHOST_CODEC_WRITES 2u   /**< it has `begin`, `write_rows`, `end_page`, `finish` and `abandon` */
#define IMGHOST_CODEC_LOSSLESS 4u /**< its files always store pixels losslessly */
#define IMGHOST_CODEC_ANIMATES 8u /**< it writes several pages as the frames of an animation */
#define IMGHOST_CODEC_PAGES 16u   /**< it writes several pages, which may differ in size */
#define IMGHOST_CODEC_DRAWS 32u   /**< it draws shapes, at any size: it takes the read parameters `width` or `dpi` */
#define IMGHOST_CODEC_WRAPS 64u   /**< it has `wrap`, see `imghost_stored_codec` */
#define IMGHOST_CODEC_CMYK 128u   /**< it also writes CMYK: four bands with IMGHOST_ALPHA_NONE, from 0 for no ink */

/** Flags of an image. */
#define IMGHOST_IMAGE_STREAMED 1u    /**< `read` may be called for strips; else once, for all requested rows */
#define IMGHOST_IMAGE_REGIONS 2u     /**< the time to read a region is proportional to its pixels */
#define IMGHOST_IMAGE_ANIMATED 4u    /**< pages are frames of one animation, each composed in full */
#define IMGHOST_IMAGE_LOSSLESS 8u    /**< this file stores its pixels losslessly */
#define IMGHOST_IMAGE_EMBEDDABLE 16u /**< a PDF can contain this file's pixels in their stored form */
/** Reduced rows are as good as resized ones, because they are drawn or filtered at that size. The host then uses the
 * largest reduction that leaves enough pixels; without this flag, it reads at least twice the size that it needs. */
#define IMGHOST_IMAGE_FINE_SHRINKS 32u
#define IMGHOST_IMAGE_JPEG 64u /**< `stored` hands the pixels over as a JPEG file */
#define IMGHOST_IMAGE_FAX 128u /**< `stored` hands the pixels over as rows of CCITT Group 4 */
/** The whole file was made from a JPEG file, which `stored` restores byte for byte. Only with IMGHOST_IMAGE_JPEG. */
#define IMGHOST_IMAGE_RESTORABLE 256u
#define IMGHOST_IMAGE_CMYK 512u /**< 4 or 5 bands: amounts of ink from 0 for none, and alpha; the host converts them */
/** As in the low-pass bands of wavelets, each sample of a reduced row is centred on the first pixel of the square that
 * it represents, not on the square's centre. The host corrects this shift by resampling. (Earlier hosts ignore this
 * flag.) */
#define IMGHOST_IMAGE_COSITED_SHRINKS 1024u

/** Flags of `imghost_read`. */
/** Return all data that can be read from a damaged file; the rest stays black. A codec that does so calls `set_error`
 * as for a failure, and returns IMGHOST_OK: the text becomes a note of the file. */
#define IMGHOST_READ_DAMAGED 1u

/** Kinds of stored forms. */
#define IMGHOST_STORED_JPEG 1u /**< a whole JPEG file */
#define IMGHOST_STORED_FAX 2u  /**< all rows of a page in CCITT Group 4 (ITU-T T.6), the most significant bit first */

/** Flags of a stored form. */
#define IMGHOST_STORED_INVERTED 1u /**< FAX: what T.6 calls white is black in the picture */

/* ---- Services of the host -------------------------------------------------------------------- */

/** A call in progress. Opaque, and valid until the function that received it returns. */
typedef struct imghost_call imghost_call;

/** Functions of the host. They are valid while the library is loaded, and may be called on any thread. */
typedef struct imghost_host {
  uint32_t struct_size;
  /** The newest version of this header that the host supports. */
  uint32_t abi_version;
  /** "imghost". Only for logs; plugins must not depend on it. */
  const char *name;
  /** Reports to the user a message that is not an error. Without a call (NULL), the message is dropped. While a codec
   * reads a file, messages of the levels WARNING and FILE become notes of that file. After a codec's WARNING, the host
   * passes the next file to a fresh process. */
  void (*log)(const imghost_call *call, uint32_t level, const char *text);
  /** Sets the reason why `create` returns NULL or `process` fails, as the end of a sentence that starts with the
   * plugin's name: "needs a picture at least 16 pixels wide". If it is called again, the last text is used. */
  void (*set_error)(const imghost_call *call, const char *text);
  /** Returns a nonzero value once the result is no longer needed. Call this function every few rows; if the value is
   * not 0, return IMGHOST_CANCELLED. The host ends the process of a plugin that does not do so. */
  int32_t (*is_cancelled)(const imghost_call *call);
  /** Reports the finished share of the call, from 0 to 1. */
  void (*progress)(const imghost_call *call, double fraction);
  /** Returns memory aligned to at least 64 bytes, to be freed with `free`; NULL if there is not enough memory. */
  void *(*alloc)(size_t byte_count);
  void (*free)(void *memory);
  /** Returns a table of functions by name ("vendor.name.version"); NULL if the host does not have it. */
  const void *(*extension)(const char *id);
} imghost_host;

/* ---- Parameters ----------------------------------------------------------------------------- */

/** One value of any type. This struct never grows. `text` is NULL unless the type is STRING. */
typedef struct imghost_value {
  double numbers[4];
  const char *text;
} imghost_value;

/** One parameter. Scripts set it by name: `picture:plugin("my_filter", { amount = 0.3 })`. */
typedef struct imghost_parameter {
  uint32_t struct_size;
  /** IMGHOST_TYPE_… */
  uint32_t type;
  /** Reserved: 0. */
  uint32_t flags;
  uint32_t reserved;
  /** The stable identifier: letters, digits and underscores. Never rename a parameter, because scripts depend on its
   * name. */
  const char *name;
  /** One line without a full stop. */
  const char *help;
  /** "px", "degrees"; NULL or "" for none. */
  const char *unit;
  /** The smallest and largest value of INT and FLOAT, and of both coordinates of a POINT. They must be finite. The host
   * rejects values outside them. Not used by the other types. */
  double minimum;
  double maximum;
  /** The default value, within the range. Text may be NULL for "". */
  imghost_value default_value;
  /** The names of an ENUM's choices, ended by NULL; NULL for the other types. At most 64. */
  const char *const *choices;
  /** The label of a control, such as a slider of `imghost preview`. NULL or "" for the name. (This field and those
   * below it are not in the first version-1 headers.) */
  const char *label;
  /** The heading above the controls of all parameters in this group. NULL or "" for none. */
  const char *group;
  /** The step of a slider, for INT and FLOAT: finite, not negative, and an integer for INT. If it is 0, the host chooses
   * a step. Scripts may use any value in the range. */
  double step;
} imghost_parameter;

/* ---- Pictures ------------------------------------------------------------------------------- */

/** A rectangle of pixels, relative to the picture's top left corner. This struct never grows. */
typedef struct imghost_region {
  int32_t left;
  int32_t top;
  int32_t width;
  int32_t height;
} imghost_region;

/** Interleaved pixels: 1 band is gray, 2 are gray and alpha, 3 RGB, 4 RGB and alpha; for codecs also CMYK, see
 * `imghost_image`. Except for codecs, RGB is sRGB or, if the plugin has IMGHOST_FLAG_ANY_RGB, the RGB space of the
 * picture's profile. */
typedef struct imghost_picture {
  uint32_t struct_size;
  /** IMGHOST_SAMPLE_…, one of those that the plugin accepts. */
  uint32_t sample;
  /** 1 to 4, one of those that the plugin accepts; 4 or 5 for CMYK, as in `imghost_image`. */
  uint32_t bands;
  /** IMGHOST_ALPHA_…: NONE for 1 and 3 bands and for CMYK without alpha. Otherwise STRAIGHT for a codec, and the
   * plugin's own choice for the other kinds. */
  uint32_t alpha;
  /** Size of the whole picture. */
  int32_t width;
  int32_t height;
  /** The part of the picture that is in memory. */
  imghost_region valid;
  /** The distance in bytes between the starts of two rows. Bytes between rows must not be used. */
  ptrdiff_t stride;
  /** The first sample of the first valid row, aligned to 64 bytes. Inputs are mapped read-only. */
  const void *pixels;
  /** The same address as `pixels` for outputs; NULL for inputs. */
  void *writable;
} imghost_picture;

/** One call of `process`. */
typedef struct imghost_request {
  uint32_t struct_size;
  /** 1 for a filter, 0 for a source, and the plugin's own `input_count` for a mixer. */
  uint32_t input_count;
  const imghost_call *call;
  /** The inputs in the order of the script, all with the same size and format. NULL if there are none. */
  const imghost_picture *const *inputs;
  /** The output, with the size and format of the inputs; for a source, with the size that the script gives. Its
   * contents are undefined before the call. */
  const imghost_picture *output;
  /** The part of the output to write: all of its pixels, and no others. */
  imghost_region region;
} imghost_request;

/* ---- Codecs --------------------------------------------------------------------------------- */

/** The name for which the `extension` of a CODEC returns its `imghost_codec`. */
#define IMGHOST_CODEC_EXTENSION "imghost.codec.1"

/** Bytes that belong to the side that passed them. `bytes` is NULL if `count` is 0. This struct never grows. */
typedef struct imghost_bytes {
  const uint8_t *bytes;
  size_t count;
} imghost_bytes;

/** A file to read. Its bytes are mapped read-only, and are valid until `close` returns. They are untrusted. */
typedef struct imghost_file {
  uint32_t struct_size;
  /** Reserved: 0. */
  uint32_t flags;
  imghost_bytes content;
} imghost_file;

/** A fact for `imghost info`: "compression", "deflate". This struct never grows. */
typedef struct imghost_fact {
  const char *name;
  /** NULL for a number. */
  const char *text;
  double number;
} imghost_fact;

/** The metadata of an image. Each part is empty if there is none. */
typedef struct imghost_metadata {
  uint32_t struct_size;
  /** The EXIF orientation of the pixels that the codec returns, 1 to 8. It is 1 if the codec has already rotated them;
   * this is the initial value. It is 0 if the format itself has no orientation: the host then reads it from `exif`, or
   * else from `xmp`. */
  uint32_t orientation;
  /** The resolution in pixels per inch; 0 if the file does not contain it. */
  double resolution_x;
  double resolution_y;
  /** The ICC profile of the samples that the codec returns. */
  imghost_bytes icc;
  /** EXIF, beginning with its TIFF header ("II*" or "MM"). */
  imghost_bytes exif;
  imghost_bytes xmp;
  /** IPTC-IIM records, which begin with the byte 0x1c. */
  imghost_bytes iptc;
} imghost_metadata;

/** A page or frame, as its header describes it. The codec sets the fields; the host has set `struct_size` and the
 * initial value of `metadata.orientation`, and zeroed the rest. Pointers must stay valid until `turn` or `close`. */
typedef struct imghost_image {
  uint32_t struct_size;
  /** IMGHOST_IMAGE_… */
  uint32_t flags;
  /** Pages or frames in the file, at least 1. */
  uint32_t page_count;
  /** U8 or U16. A codec expands 1 to 7 bits to 8, scaled to the full range, and 9 to 15 bits to 16. */
  uint32_t sample;
  /** 1 to 4: gray, gray and alpha, RGB, RGB and alpha. With IMGHOST_IMAGE_CMYK 4 or 5: CMYK, CMYK and alpha. */
  uint32_t bands;
  /** The size of the picture, as `read` returns it without reduction. */
  int32_t width;
  int32_t height;
  /** The factors, in addition to 1, by which `read` can reduce the image; in ascending order, at most 16. The sides of
   * the result are `ceil(side / shrink)`. */
  uint32_t shrink_count;
  uint32_t shrinks[16];
  /** The memory in bytes that `read` needs in addition to the rows and the file: frames, planes, tables. */
  uint64_t working_bytes;
  /** The duration of this frame in seconds, as stated in the file. */
  double delay;
  /** The number of times that an animation runs; 0 for forever. */
  uint32_t loop_count;
  uint32_t fact_count;
  const imghost_fact *facts;
  imghost_metadata metadata;
  /** The colour space of the samples in code points of ITU-T H.273 (CICP); 0 or 2 if the file does not specify it. A
   * codec may only write them if `struct_size` is at least its own `sizeof(imghost_image)`. The host maps samples with
   * the transfer 16 (PQ) or 18 (HLG) to the standard dynamic range, whatever `icc` says; otherwise `icc` takes
   * precedence. (Not in the first version-1 headers.) */
  uint32_t colour_primaries;
  uint32_t transfer_characteristics;
  /** The peak luminance of a picture with PQ, in cd/m²: that of the picture if the file states it, else that of the
   * mastering display; 0 if the file states neither. A codec may only write it under the same condition on
   * `struct_size` as the code points. (Not in the first version-1 headers.) */
  double peak_luminance;
} imghost_image;

/** One call of `read`. */
typedef struct imghost_read {
  uint32_t struct_size;
  /** IMGHOST_READ_… */
  uint32_t flags;
  const imghost_call *call;
  /** 1 or one of the image's reduction factors. */
  uint32_t shrink;
  uint32_t reserved;
  /** The requested part of the reduced image. Its rows are requested from the top down, and each call continues where
   * the previous one ended. A call for the first row starts again. */
  imghost_region region;
  /** The destination. `width` and `height` are those of the whole reduced image. `valid` is the part of `region` that
   * is requested now: all of it, unless the image is STREAMED. */
  const imghost_picture *output;
} imghost_read;

/** The parameters of `begin` and of `rewrite`. */
typedef struct imghost_writing {
  uint32_t struct_size;
  /** Reserved: 0. */
  uint32_t flags;
  const imghost_call *call;
  /** The sample type, bands, alpha and size of the first page. No pixels are in memory yet. */
  const imghost_picture *format;
  /** The number of pages or frames; 1 unless the codec ANIMATES or writes PAGES. */
  uint32_t page_count;
  /** The number of times that an animation runs; 0 for forever. */
  uint32_t loop_count;
  /** The metadata to write into the file, as far as the format supports it. Only valid during the call. */
  const imghost_metadata *metadata;
  /** The checked values of the plugin's parameters, in their order. Only valid during the call. */
  const imghost_value *values;
  uint32_t value_count;
  uint32_t reserved;
  /** Receives the next bytes of the file. If the result is not 0, stop, because the file is no longer needed. Valid
   * until `abandon`. */
  int32_t (*write)(const imghost_call *call, const void *bytes, size_t count);
} imghost_writing;

/** A file format. It is constant, and valid while the library is loaded. All functions are called by one thread at a
 * time, for one instance at a time. They report failures with `set_error`; the text ends a sentence that starts with
 * the file's name: "has a tile that ends too early". */
typedef struct imghost_codec {
  uint32_t struct_size;
  /** IMGHOST_CODEC_… */
  uint32_t flags;
  /** The format's name in messages: "JPEG XL". */
  const char *title;
  /** The extensions of its files, in lower case without the dot, the usual one first, terminated by NULL. At most
   * 16. */
  const char *const *extensions;
  /** The signatures that its files begin with, ended by NULL; at most 64. A file matches a signature if all its parts,
   * at most 8, match. Parts are separated by spaces. A part is an offset, a colon, and bytes in hexadecimal, `..`
   * for any byte: "0:52494646........57454250". With a range of offsets the bytes may begin anywhere in it:
   * "0:49492a00 8-4000:4e494b4f4e". Only the first 4,096 bytes of a file are examined. If several codecs match, the one
   * with the most bytes in its signature is tried first. */
  const char *const *signatures;
  /** The options of `img.open` for this format, with the same layout as in `imghost_plugin`. */
  uint32_t read_parameter_count;
  uint32_t reserved;
  const imghost_parameter *read_parameters;
  /** Limits beyond which the host refuses a file before `read`; 0 for the host's own. */
  uint64_t maximum_pixels;
  uint32_t maximum_side;
  uint32_t maximum_pages;
  /** The time limits, in seconds, of a call of `read` and of the writing functions, for each 100 megapixels or part of
   * them; 0 for the default of 30. The limit of `open` and `turn` is `read_seconds`, but at most 30; that of `close` is
   * 2. */
  uint32_t read_seconds;
  uint32_t write_seconds;
  /** An estimate of the memory for writing: `write_bytes + write_bytes_per_pixel * pixels`. */
  uint64_t write_bytes;
  double write_bytes_per_pixel;

  /** Opens a file and describes one of its pages, counted from 0. Reads no more than the header, as far as the format
   * allows. Returns IMGHOST_OK with an instance, which must not be NULL, or a failure. */
  int32_t (*open)(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
      uint32_t value_count, void **instance, imghost_image *image);
  /** Moves an open file to another page. If this function is NULL, the host closes and opens the file instead. */
  int32_t (*turn)(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
  /** Writes the requested rows. A file that ends early or is damaged is a failure, unless the request accepts
   * damage. */
  int32_t (*read)(void *instance, const imghost_read *request);
  /** Frees an instance. Called once for each instance, even after a failure of `turn` or `read`. */
  void (*close)(void *instance);

  /** Begins a file. Returns NULL on failure. */
  void *(*begin)(const imghost_writing *writing);
  /** Receives the next rows of the page: `rows->valid`, from the top down, each row once. */
  int32_t (*write_rows)(void *encoder, const imghost_call *call, const imghost_picture *rows);
  /** Ends a page, after its last row. `delay` is the duration of a frame, in seconds. `next` is the next page's format,
   * NULL after the last. */
  int32_t (*end_page)(void *encoder, const imghost_call *call, double delay, const imghost_picture *next);
  /** Writes the rest of the file. Called after the last `end_page`. */
  int32_t (*finish)(void *encoder, const imghost_call *call);
  /** Frees an encoder. Called once for each encoder, even after a failure. */
  void (*abandon)(void *encoder);
} imghost_codec;

/* ---- Stored forms --------------------------------------------------------------------------- */

/** The name for which the `extension` of a CODEC may return its `imghost_stored_codec`: for formats whose files can
 * contain pixels in the form of another format. Books and other files copy that form losslessly. */
#define IMGHOST_STORED_EXTENSION "imghost.codec.stored.1"

/** A description of the bytes that `stored` writes. The codec sets it. */
typedef struct imghost_stored {
  uint32_t struct_size;
  /** IMGHOST_STORED_JPEG or IMGHOST_STORED_FAX. */
  uint32_t kind;
  /** IMGHOST_STORED_… */
  uint32_t flags;
  /** FAX: the number of pixels in a row, and the number of rows. */
  int32_t width;
  int32_t height;
  uint32_t reserved;
} imghost_stored;

/** Receives the next bytes. If the result is not 0, stop, because they are no longer needed. Valid during the call that
 * receives it. */
typedef int32_t (*imghost_write)(const imghost_call *call, const void *bytes, size_t count);

/** The second table of a codec. It is constant, and valid while the library is loaded. Its functions are called like
 * those of `imghost_codec`; each may be NULL. */
typedef struct imghost_stored_codec {
  uint32_t struct_size;
  /** Reserved: 0. */
  uint32_t reserved;
  /** Writes the stored form of the open page, which shows the same picture as `read`, with the same orientation. Called
   * if the image has IMGHOST_IMAGE_JPEG or IMGHOST_IMAGE_FAX. */
  int32_t (*stored)(void *instance, const imghost_call *call, imghost_stored *stored, imghost_write write);
  /** Writes a file of this format from which the JPEG can be restored byte for byte. Called if the codec WRAPS. A JPEG
   * that the format cannot store is a failure; the host then encodes its pixels. `values` belong to the parameters of
   * the plugin. */
  int32_t (*wrap)(const imghost_call *call, imghost_bytes jpeg, const imghost_value *values, uint32_t value_count,
      imghost_write write);
} imghost_stored_codec;

/* ---- Rewriting ------------------------------------------------------------------------------- */

/** The name for which the `extension` of a CODEC may return its `imghost_rewriting_codec`: for formats whose metadata
 * can be replaced without encoding pixels again. (Earlier hosts do not ask for it, and encode.) */
#define IMGHOST_REWRITING_EXTENSION "imghost.codec.rewriting.1"

/** The third table of a codec. It is constant, and valid while the library is loaded. Its function is called like those
 * of `imghost_codec`. */
typedef struct imghost_rewriting_codec {
  uint32_t struct_size;
  /** Reserved: 0. */
  uint32_t reserved;
  /** Writes, byte for byte, the file that `begin` to `finish` would write with these parameters and the rows of `file`.
   * The codec wrote `file` earlier, with one page and the same values, but perhaps with other metadata. The rows are
   * not passed, because their coded form is taken from `file`. The file may have been changed since it was written, so
   * its bytes are untrusted.
   *
   * Returns IMGHOST_NOT_MINE if this is not possible. The host then encodes the pixels. */
  int32_t (*rewrite)(imghost_bytes file, const imghost_writing *writing);
} imghost_rewriting_codec;

/* ---- Data ----------------------------------------------------------------------------------- */

/** The name passed to the `extension` of a plugin of any kind to request the folders and files that the plugin reads in
 * addition to its own folder: `const char *const *`, ended by NULL, at most 16. Each is an absolute path below
 * /usr/share, /usr/local/share, /usr/lib, /usr/local/lib or /opt; one that does not exist is left out. They can be read
 * once the plugin has been described, not while its constructors run for the first time. (The first version-1 hosts do
 * not ask for it.) */
#define IMGHOST_DATA_EXTENSION "imghost.data.1"

/* ---- The plugin ----------------------------------------------------------------------------- */

/** A plugin's description of itself. It is constant, and valid while the library is loaded. */
typedef struct imghost_plugin {
  uint32_t struct_size;
  /** IMGHOST_ABI_VERSION. */
  uint32_t abi_version;
  /** IMGHOST_KIND_… */
  uint32_t kind;
  /** IMGHOST_FLAG_… */
  uint32_t flags;
  /** The stable identifier that scripts use: a lowercase letter, then lowercase letters, digits, `_` and `-`. */
  const char *name;
  const char *version;
  /** One sentence without a full stop. */
  const char *summary;
  /** A set of IMGHOST_TAKES(IMGHOST_SAMPLE_…). The host converts other sample types to one of these and back. */
  uint32_t samples;
  /** A set of IMGHOST_TAKES(number of bands). If only 3 and 4 are accepted, gray pictures become RGB; if 2 and 4 are
   * not accepted, the host removes the alpha band and restores it afterwards. */
  uint32_t bands;
  /** STRAIGHT or PREMULTIPLIED: how the plugin expects alpha in 2 and 4 bands. */
  uint32_t alpha;
  /** IMGHOST_EXTENT_… */
  uint32_t extent;
  /** The number of rows that are read above and below the region, for IMGHOST_EXTENT_ROWS. */
  uint32_t padding;
  /** IMGHOST_THREADS_… */
  uint32_t threads;
  /** sizeof(imghost_parameter), the distance from one parameter to the next. */
  uint32_t parameter_size;
  /** At most 64. */
  uint32_t parameter_count;
  const imghost_parameter *parameters;
  /** Creates an instance for these values, one for each parameter, in the order of the parameters. The host has checked
   * the values, which are only valid during the call. Returns NULL on failure. An instance need not be an address: any
   * pointer except NULL is allowed. */
  void *(*create)(const imghost_call *call, const imghost_value *values, uint32_t value_count);
  /** Frees an instance. Called once for each instance, even after a failure. */
  void (*destroy)(void *instance);
  /** Writes the request's region. Returns IMGHOST_OK or another code above. */
  int32_t (*process)(void *instance, const imghost_request *request);
  /** Returns the table of an extension, given the extension's name; NULL if the plugin does not have that extension.
   * The pointer itself may be NULL, unless the plugin is a CODEC. */
  const void *(*extension)(const char *id);
  /** The number of pictures that a MIXER combines, 2 to 8; 0 means 2. Not used by the other kinds. (Not in the first
   * version-1 headers: a plugin built with one of them ends before this field.) */
  uint32_t input_count;
  /** Reserved: 0. */
  uint32_t reserved;
} imghost_plugin;

/** The only function that a plugin exports. It is called once, before any other function.
 *
 * - host_abi_version: the newest version that the host supports. A plugin that needs a newer one returns NULL.
 * - host: the host's functions. Keep the pointer.
 *
 * Returns the description, which must be valid while the library is loaded. */
IMGHOST_EXPORT const imghost_plugin *imghost_plugin_entry(uint32_t host_abi_version, const imghost_host *host);

/* ---- For authors in C ------------------------------------------------------------------------ */

/* Nothing below is part of the interface: a plugin may do without it. It needs C99. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/** The beginning of a parameter: `{IMGHOST_PARAMETER("quality", INT), .minimum = 1, .maximum = 100, .help = "…"}`. */
#define IMGHOST_PARAMETER(id, kind) .struct_size = sizeof(imghost_parameter), .type = IMGHOST_TYPE_##kind, .name = id

#if defined(__GNUC__)
#define IMGHOST_LIKE_PRINTF __attribute__((format(printf, 3, 4)))
#else
#define IMGHOST_LIKE_PRINTF
#endif

/** Sets the reason why a call fails, like printf(3), and returns IMGHOST_FAILED. */
IMGHOST_LIKE_PRINTF static inline int32_t imghost_fail(
    const imghost_host *host, const imghost_call *call, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  host->set_error(call, text);
  return IMGHOST_FAILED;
}

/** A table that the `extension` of a plugin returns, and its name. */
typedef struct imghost_table {
  const char *id;
  const void *table;
} imghost_table;

/** Finds a table in a list that ends with an element without a name: `{{IMGHOST_CODEC_EXTENSION, &codec}, {0}}`. */
static inline const void *imghost_find_table(const imghost_table *tables, const char *id) {
  for (; tables->id != NULL; tables++) {
    if (strcmp(tables->id, id) == 0) return tables->table;
  }
  return NULL;
}

/** Defines the plugin of a codec, and the function that it exports:
 *
 *     IMGHOST_CODEC_PLUGIN(host, tables, (void)0, .name = "tile", .version = "1.0", .summary = "Reads tiles")
 *
 * - host_functions: the variable that keeps the host's functions.
 * - tables: the list of `imghost_table`.
 * - prepare: code to run when the host calls the function, such as writing the version; (void)0 for nothing.
 * - The other arguments initialise fields of the `imghost_plugin`. */
#define IMGHOST_CODEC_PLUGIN(host_functions, tables, prepare, ...) \
  static const void *imghost_codec_extension(const char *imghost_id) { \
    return imghost_find_table(tables, imghost_id); \
  } \
  static const imghost_plugin imghost_codec_plugin = {.struct_size = sizeof(imghost_plugin), \
      .abi_version = IMGHOST_ABI_VERSION, \
      .kind = IMGHOST_KIND_CODEC, \
      .flags = IMGHOST_FLAG_DETERMINISTIC, \
      .parameter_size = sizeof(imghost_parameter), \
      .extension = imghost_codec_extension, \
      __VA_ARGS__}; \
  const imghost_plugin *imghost_plugin_entry(uint32_t imghost_version, const imghost_host *imghost_functions) { \
    if (imghost_version < IMGHOST_ABI_VERSION) return NULL; \
    host_functions = imghost_functions; \
    prepare; \
    return &imghost_codec_plugin; \
  }

#endif

#ifdef __cplusplus
}
#endif
