import CPluginABI

/// The files of a new plugin's project, which builds, passes its own test, and has a visible effect.
struct PluginTemplate {
  enum Language: String, CaseIterable {
    case c, swift, lua
  }

  /// The kinds of plugins. Codecs are written in C.
  enum Kind: String, CaseIterable {
    case filter, codec
  }

  /// The name in scripts: a lowercase letter, then lowercase letters, digits, `_` and `-`.
  let name: String
  let language: Language
  let kind: Kind

  /// Returns the projects in all languages and of all kinds for a name.
  static func all(_ name: String) -> [PluginTemplate] {
    Language.allCases.map { PluginTemplate(name: name, language: $0, kind: .filter) }
      + [PluginTemplate(name: name, language: .c, kind: .codec)]
  }

  static func isName(_ text: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = text.utf8.first, letters.contains(first), text.utf8.count <= 64 else { return false }
    return text.utf8.allSatisfy {
      letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
    }
  }

  /// The files, with their paths in the project's folder.
  var files: [(path: String, text: String)] {
    if kind == .codec { return codecFiles }
    let common = [
      ("README.md", readme), ("test.sh", test), ("example.lua", fill(Self.example)),
    ]
    let header = Self.headerFile
    switch language {
    case .c: return [("\(type).c", fill(Self.c)), header] + common
    case .swift:
      return [("\(type).swift", fill(Self.swift)), ("module.modulemap", Self.moduleMap), header] + common
    case .lua: return [("plugins/\(name).lua", fill(Self.lua))] + common
    }
  }

  private var codecFiles: [(path: String, text: String)] {
    [
      ("\(type).c", fill(Self.codec)), Self.headerFile, ("README.md", fill(Self.codecReadme)), ("test.sh", test),
      ("save.lua", fill(Self.codecSave)), ("open.lua", fill(Self.codecOpen)),
    ]
  }

  /// The header file. Its text is a constant of the program, which is never freed.
  private static var headerFile: (path: String, text: String) {
    ("imghost_plugin.h", String(cString: imghost_plugin_text()))
  }

  /// The extension of a codec's files: `softglow` for `soft-glow`.
  var fileExtension: String { name.filter { !"_-".contains($0) } }

  /// Five characters in the 8-byte signature of a codec's files. As in PNG, the other bytes reveal whether the file was
  /// transferred as text.
  private var signatureLetters: String {
    let letters = fileExtension.uppercased().prefix(5)
    return letters + String(repeating: "-", count: 5 - letters.count)
  }

  /// The plugin's name in the names of files and types: `SoftGlow` for `soft-glow`.
  private var type: String {
    name.split { "_-".contains($0) }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private var library: String { "lib\(type)Plugin.so" }

  private var source: String {
    switch language {
    case .c: "\(type).c"
    case .swift: "\(type).swift"
    case .lua: "plugins/\(name).lua"
    }
  }

  /// Returns a text with the plugin's names and the codec's signature in place of the words between @ signs.
  private func fill(_ text: String) -> String {
    [
      ("@NAME@", name), ("@TYPE@", type), ("@EXTENSION@", fileExtension),
      ("@SIGNATURE@", "0x89, " + signatureLetters.map { "'\($0)', " }.joined() + #"'\r', '\n'"#),
      ("@HEX@", "89" + signatureLetters.utf8.map { String($0, radix: 16) }.joined() + "0d0a"),
    ].reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  private var build: String? {
    switch language {
    case .c:
      "${CC:-cc} -O2 -std=c11 -Wall -Wextra -fPIC -shared -fvisibility=hidden \\\n"
        + "  -o build/\(library) \(type).c -lm"
    case .swift:
      "${SWIFTC:-swiftc} -O -swift-version 6 -parse-as-library -I . -emit-library \\\n"
        + "  -module-name \(type)Plugin -o build/\(library) \(type).swift"
    case .lua: nil
    }
  }

  private var test: String {
    let head = """
      #!/bin/sh
      # Builds the plugin, unless it is written in Lua, checks it, and runs the example scripts. Set IMGHOST to use
      # another imghost than the one on the PATH.
      set -eu
      cd "$(dirname "$0")"
      imghost=${IMGHOST:-imghost}

      """
    guard let build else {
      return head + "\"$imghost\" plugin check plugins/\(name).lua\n\"$imghost\" run example.lua\n"
    }
    return head + """
      mkdir -p build
      \(build)
      "$imghost" plugin check build/\(library)

      """ + examples.map { "IMGHOST_PLUGIN_PATH=\"$PWD/build\" \"$imghost\" run \($0)\n" }.joined()
  }

  private var examples: [String] { kind == .codec ? ["save.lua", "open.lua"] : ["example.lua"] }

  private var readme: String {
    let use =
      language == .lua
      ? "`imghost plugin install plugins/\(name).lua` installs it for your user account. A script also finds it "
        + "in a folder `plugins` next to the script."
      : "`imghost plugin install build/\(library)` installs it for your user account."
    let facts =
      language == .lua
      ? "`picture` has every operation that `imghost ops` lists. imghost checks the options before it calls `apply`."
      : "`imghost_plugin.h` explains every field and function."
    return """
      # \(name)

      A plugin for imghost. This example mixes a picture with its negative; replace that with your own effect.

          sh test.sh

      checks the plugin with `imghost plugin check`, and writes `example.png`. A plugin in C or Swift is built first.

      ## Next steps

      1. Change what `\(source)` does. \(facts)
      2. Declare each parameter with its range and one line of help. Scripts, `imghost ops \(name)` and editors use
         these declarations.
      3. Run `sh test.sh` after each change. The table that it prints shows what is wrong.
      4. \(use)

      """
  }
}

// MARK: - Texts

/// The texts of a new plugin; @NAME@ and @TYPE@ stand for its name.
extension PluginTemplate {
  static let example = """
    -- Shows what the plugin does to an orange rectangle with navy borders.
    local img = require "imghost"

    local picture = img.canvas(160, 120, { background = "orange" })
      :extend{ left = 40, right = 40, background = "navy" }
    picture:plugin("@NAME@", { amount = 0.8 }):save("example.png")

    """

  static let moduleMap = """
    module CImghostPlugin {
      header "imghost_plugin.h"
      export *
    }

    """

  static let lua = """
    -- @NAME@: mixes a picture with its negative.
    local img = require "imghost"

    return img.plugin{
      name = "@NAME@",
      version = "1.0",
      summary = "Mixes a picture with its negative",
      parameters = {
        amount = { type = "float", minimum = 0, maximum = 1, default = 0.5, help = "The share of the negative" },
      },
      apply = function(picture, options)
        local a = options.amount
        return picture:linear(1 - 2 * a, 255 * a)
      end,
    }

    """

  static let c = """
    // @NAME@: mixes a picture with its negative.
    #include "imghost_plugin.h"

    static const imghost_host *host;

    // The parameters. `create` receives their values in this order.
    static const imghost_parameter parameters[] = {
        {IMGHOST_PARAMETER("amount", FLOAT), .help = "The share of the negative", .minimum = 0, .maximum = 1,
         .default_value.numbers = {0.5}},
    };

    static void *create(const imghost_call *call, const imghost_value *values, uint32_t count) {
      float *amount = count == 1 ? host->alloc(sizeof *amount) : NULL;
      if (amount == NULL) {
        imghost_fail(host, call, "could not be initialised");
        return NULL;
      }
      *amount = (float)values[0].numbers[0];
      return amount;
    }

    static void destroy(void *instance) { host->free(instance); }

    // Returns the address of a pixel, which must be in the part of the picture that is in memory.
    static const uint8_t *at(const imghost_picture *picture, int32_t x, int32_t y) {
      return (const uint8_t *)picture->pixels + (y - picture->valid.top) * picture->stride
             + (int64_t)(x - picture->valid.left) * picture->bands;
    }

    static int32_t process(void *instance, const imghost_request *request) {
      const imghost_picture *input = request->inputs[0], *output = request->output;
      const imghost_region region = request->region;
      float amount = *(const float *)instance;
      uint32_t bands = input->bands, colours = bands < 3 ? 1 : 3;
      for (int32_t y = region.top; y < region.top + region.height; y++) {
        if (y % 16 == 0 && host->is_cancelled(request->call)) return IMGHOST_CANCELLED;
        const uint8_t *from = at(input, region.left, y);
        uint8_t *to = (uint8_t *)at(output, region.left, y);
        for (int32_t x = 0; x < region.width; x++, from += bands, to += bands) {
          for (uint32_t band = 0; band < bands; band++) {
            float value = from[band], mixed = value + (255 - 2 * value) * amount;
            // With 2 or 4 bands, the last one is alpha, which is copied unchanged.
            to[band] = band < colours ? (uint8_t)(mixed + 0.5f) : from[band];
          }
        }
      }
      return IMGHOST_OK;
    }

    static const imghost_plugin plugin = {
        .struct_size = sizeof(imghost_plugin),
        .abi_version = IMGHOST_ABI_VERSION,
        .kind = IMGHOST_KIND_FILTER,
        .flags = IMGHOST_FLAG_DETERMINISTIC,
        .name = "@NAME@",
        .version = "1.0",
        .summary = "Mixes a picture with its negative",
        .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8),
        .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(2) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4),
        .alpha = IMGHOST_ALPHA_STRAIGHT,
        .extent = IMGHOST_EXTENT_ROWS,
        .threads = IMGHOST_THREADS_REGIONS,
        .parameter_size = sizeof(imghost_parameter),
        .parameter_count = sizeof parameters / sizeof *parameters,
        .parameters = parameters,
        .create = create,
        .destroy = destroy,
        .process = process,
    };

    const imghost_plugin *imghost_plugin_entry(
        uint32_t host_abi_version, const imghost_host *functions) {
      host = functions;
      return host_abi_version >= IMGHOST_ABI_VERSION ? &plugin : NULL;
    }

    """

  static let swift = "// @NAME@: mixes a picture with its negative.\nimport CImghostPlugin\n\n" + swiftBody

  private static let swiftBody = """
    /// The filter with one set of parameter values.
    struct @TYPE@Filter {
      let amount: Float

      /// Processes the region of a request. Returns false if the call was cancelled.
      func process(_ request: imghost_request, isCancelled: () -> Bool) -> Bool {
        guard let input = request.inputs[0]?.pointee else { return false }
        let (output, region) = (request.output.pointee, request.region)
        let bands = Int(input.bands)
        let colours = bands < 3 ? 1 : 3
        for y in region.top..<region.top + region.height {
          if y % 16 == 0 && isCancelled() { return false }
          let from = input.samples(x: region.left, y: y)
          let to = UnsafeMutablePointer(mutating: output.samples(x: region.left, y: y))
          for i in 0..<Int(region.width) * bands {
            let value = Float(from[i])
            // With 2 or 4 bands, the last one is alpha, which is copied unchanged.
            to[i] = i % bands < colours ? UInt8(value + (255 - 2 * value) * amount + 0.5) : from[i]
          }
        }
        return true
      }
    }

    extension imghost_picture {
      /// Returns the address of a pixel, which must be in the part of the picture that is in memory.
      func samples(x: Int32, y: Int32) -> UnsafePointer<UInt8> {
        (pixels + Int(y - valid.top) * stride + Int(x - valid.left) * Int(bands))
          .assumingMemoryBound(to: UInt8.self)
      }
    }

    /// The host's functions. `entry` sets them once, before anything reads them.
    private nonisolated(unsafe) var host: UnsafePointer<imghost_host>?

    /// Returns a string literal as a C string, which is never freed.
    private func text(_ string: StaticString) -> UnsafePointer<CChar> {
      UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// The plugin's description, which is created on first use and never freed.
    private nonisolated(unsafe) let description: UnsafePointer<imghost_plugin> = {
      let amount = UnsafeMutablePointer<imghost_parameter>.allocate(capacity: 1)
      amount.initialize(to: imghost_parameter())
      amount.pointee.struct_size = UInt32(MemoryLayout<imghost_parameter>.size)
      amount.pointee.type = IMGHOST_TYPE_FLOAT
      amount.pointee.name = text("amount")
      amount.pointee.help = text("The share of the negative")
      amount.pointee.minimum = 0
      amount.pointee.maximum = 1
      amount.pointee.default_value.numbers.0 = 0.5

      var plugin = imghost_plugin()
      plugin.struct_size = UInt32(MemoryLayout<imghost_plugin>.size)
      plugin.abi_version = IMGHOST_ABI_VERSION
      plugin.kind = IMGHOST_KIND_FILTER
      plugin.flags = IMGHOST_FLAG_DETERMINISTIC
      plugin.name = text("@NAME@")
      plugin.version = text("1.0")
      plugin.summary = text("Mixes a picture with its negative")
      plugin.samples = 1 << IMGHOST_SAMPLE_U8
      plugin.bands = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4
      plugin.alpha = IMGHOST_ALPHA_STRAIGHT
      plugin.extent = IMGHOST_EXTENT_ROWS
      plugin.threads = IMGHOST_THREADS_REGIONS
      plugin.parameter_size = UInt32(MemoryLayout<imghost_parameter>.stride)
      plugin.parameter_count = 1
      plugin.parameters = UnsafePointer(amount)
      plugin.create = { _, values, count in
        guard count == 1, let values else { return nil }
        let instance = UnsafeMutablePointer<@TYPE@Filter>.allocate(capacity: 1)
        instance.initialize(to: @TYPE@Filter(amount: Float(values[0].numbers.0)))
        return UnsafeMutableRawPointer(instance)
      }
      plugin.destroy = { $0?.assumingMemoryBound(to: @TYPE@Filter.self).deallocate() }
      plugin.process = { instance, request in
        guard let instance, let request = request?.pointee, let host = host?.pointee else {
          return IMGHOST_FAILED
        }
        let finished = instance.assumingMemoryBound(to: @TYPE@Filter.self).pointee.process(request) {
          host.is_cancelled(request.call) != 0
        }
        return finished ? IMGHOST_OK : IMGHOST_CANCELLED
      }
      let result = UnsafeMutablePointer<imghost_plugin>.allocate(capacity: 1)
      result.initialize(to: plugin)
      return UnsafePointer(result)
    }()

    /// Returns the plugin's description. The host calls this function first.
    @_cdecl("imghost_plugin_entry")
    public func entry(_ hostVersion: UInt32, _ functions: UnsafePointer<imghost_host>?)
      -> UnsafePointer<imghost_plugin>?
    {
      host = functions
      return hostVersion >= IMGHOST_ABI_VERSION ? description : nil
    }

    """
}
