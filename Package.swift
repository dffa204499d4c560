// swift-tools-version: 6.2
import PackageDescription

/// Whether Scripts/dev/check-sanitizers builds: programs then share Swift's library and export a sanitizer's functions to
/// the plugins they load.
let isSanitized = Context.environment["IMGHOST_SANITIZED"] != nil

/// Functions of ThreadSanitizer that plugins in Swift call, and that programs do not show them of their own accord.
let shownToPlugins: [LinkerSetting] =
  isSanitized
  ? ["external_read", "external_write", "ignore_thread_begin", "ignore_thread_end"].map {
    .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=__tsan_\($0)"])
  } : []

/// Whether Scripts/dev/package links for the portable files. Lua and zlib are inside the program, because the loader finds no
/// library beside a program where `/proc` is not mounted.
let isPortable = Context.environment["IMGHOST_PORTABLE"] != nil

/// Swift 6 language mode, warnings as errors, for every module of ours.
///
/// Descriptions of generic types are asked for by calls, not looked up by name: that was a sixth of the
/// instructions of starting a book, for 65 KB of code.
let strict: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
    .unsafeFlags([
      "-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors",
    ]),
    .unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release)),
  ] + (isSanitized ? [.define("SANITIZED")] : [])
/// Pixel loops: optimised in debug builds too, which would otherwise run 100 times slower.
let kernel: [SwiftSetting] = strict + [.unsafeFlags(["-O"])]

/// Warnings as errors for C of ours, too.
let strictC: [CSetting] = [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]

/// Debug information that valgrind 3.19 of Debian 12 reads: it ends at what newer compilers write for C.
let oldDebugInfo: [CSetting] = [.unsafeFlags(["-gdwarf-4"])]

/// The folders of `Sources`, from the bottom up: a module imports from its own layer and from those below it.
enum Layer: String {
  case system = "System"
  case pictures = "Pictures"
  case engine = "Engine"
  case books = "Books"
  case scripting = "Scripting"
  case programs = "Programs"

  func path(_ module: String) -> String { "Sources/\(rawValue)/\(module)" }
}

/// A module of ours. It sees what is named here and nothing else; `Scripts/dev/check-structure` checks that.
func module(
  _ layer: Layer, _ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = strict,
  at path: String? = nil, exclude: [String] = [], embedding files: [String] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: layer.path(path ?? name), exclude: exclude,
    resources: files.map { .embedInCode($0) }, swiftSettings: settings)
}

/// C of ours: what Swift cannot express.
func shim(
  _ layer: Layer, _ name: String, _ dependencies: [Target.Dependency] = [], optimised: Bool = true,
  at path: String? = nil, exclude: [String] = [], linking settings: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: layer.path(path ?? name), exclude: exclude,
    cSettings: strictC + oldDebugInfo + (optimised ? [.unsafeFlags(["-O2"])] : []), linkerSettings: settings)
}

/// A module of the product `Scheduling`: without unsafe flags, so that packages can depend on a version of it.
func product(_ layer: Layer, _ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(
    name: name, dependencies: dependencies, path: layer.path(name),
    swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
}

/// C of the product `Scheduling`.
func product(shim name: String) -> Target {
  .target(
    name: name, path: Layer.system.path(name),
    cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)])
}

/// A library of the system: `name` is the module, `pkgConfig` its name for pkg-config, `package` Debian's.
func library(_ name: String, pkgConfig: String, package: String) -> Target {
  .systemLibrary(name: name, path: Layer.system.path(name), pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// A module of kernels for one instruction set: InstructionSets/Baseline/Vector.swift says why each is compiled
/// on its own. `processor` is LLVM's name for the oldest processor with that set; `nil` means the baseline.
func kernels(
  _ name: String, of module: String, _ instructionSet: String,
  _ dependencies: [Target.Dependency] = [], processor: String? = nil
) -> Target {
  var flags: [String] = []
  #if arch(x86_64)
    if let processor { flags = ["-D", "ISA_\(instructionSet)", "-target-cpu", processor] }
  #endif
  return .target(
    name: name, dependencies: dependencies,
    path: Layer.pictures.path("\(module)/InstructionSets/\(instructionSet)"),
    swiftSettings: kernel + (flags.isEmpty ? [] : [.unsafeFlags(flags)]))
}

func program(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], linking settings: [LinkerSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: Layer.programs.path(name), exclude: exclude, swiftSettings: strict,
    linkerSettings: settings)
}

/// Swift's library inside the program: nobody has to install it, and one that starts for every picture must not spend
/// 2 ms on finding and relocating eight shared ones.
/// Its 35,000 relocations are packed, which only the toolchain's own linker does and glibc 2.36 reads: 0.7 MB that
/// no start need go over. Swift's driver exports 13,000 names, of which no plugin uses any, and each name that a shared
/// library asks for would be looked up among them.
let ownSwift: [LinkerSetting] =
  isSanitized
  ? []
  : [
    .unsafeFlags(
      [
        "-static-stdlib", "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker",
        "--no-export-dynamic",
      ], .when(platforms: [.linux]))
  ]

/// The functions that common runs call lie side by side, in the order of a list that `Scripts/dev/function-order` makes:
/// 6 MB of code that a run does not call stay out of memory. The linker passes over names that are no more.
let ordered: [LinkerSetting] =
  isSanitized
  ? []
  : [
    .unsafeFlags(
      [
        "-Xlinker",
        "--symbol-ordering-file=\(Context.packageDirectory)/Sources/Programs/imghost/Linking/functions.txt",
        "-Xlinker", "--no-warn-symbol-ordering",
      ], .when(platforms: [.linux], configuration: .release))
  ]

/// With what is needed of the C++ library, too: see `Linking`. Not for programs that link libraries in C++, which would
/// meet two of its kind.
let selfContained: [LinkerSetting] =
  isSanitized
  ? []
  : ownSwift + [
    .unsafeFlags(["-L\(Context.packageDirectory)/Sources/Programs/imghost/Linking"], .when(platforms: [.linux]))
  ]

/// Without the shared libraries that a start would wait for, and that many scripts do not use: `CLateLibraries` opens
/// them when they are used, and what unwinds the stack for C++ is inside the program.
let lateLibraries: [LinkerSetting] =
  isSanitized
  ? []
  : [
    .unsafeFlags(
      ["-Xclang-linker", "-static-libgcc"]
        + ["isal", "jpeg", "spng"].flatMap { ["-Xlinker", "--remap-inputs=*/lib\($0).so=/dev/null"] },
      .when(platforms: [.linux]))
  ]

let ownLua: [LinkerSetting] =
  isPortable
  ? [
    .unsafeFlags(
      ["lua5.4", "z"].flatMap { name in
        let script = "\(Context.packageDirectory)/Sources/Programs/imghost/Linking/Portable/lib\(name).so"
        return ["-Xlinker", "--remap-inputs=*/lib\(name).so=\(script)"]
      })
  ]
  : []

/// Swift's library inside a plugin, invisible outside of it: a program that loads several has one for each. In the portable
/// files plugins share one, which saves a seventh of the download.
let ownSwiftHidden: [LinkerSetting] =
  isPortable
  ? [.unsafeFlags(["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"], .when(platforms: [.linux]))]
  : selfContained + [.unsafeFlags(["-Xlinker", "--exclude-libs=ALL"], .when(platforms: [.linux]))]

/// Nothing of Swift inside a library in C, which the compiler's driver links: neither its library nor its start file.
let noSwift = selfContained + [.unsafeFlags(["-nostartfiles"], .when(platforms: [.linux]))]

/// An image plugin that ships with the host: a shared library, `lib<Name>Plugin.so`. Without settings of Swift it is in
/// C.
func plugin(_ name: String, _ settings: [SwiftSetting] = kernel, using modules: [Target.Dependency] = []) -> Target {
  .target(
    name: "\(name)Plugin", dependencies: ["CPluginABI"] + modules, path: "Plugins/\(name)",
    exclude: ["README.md"], cSettings: strictC + oldDebugInfo,
    swiftSettings: settings.isEmpty ? [] : settings + [.unsafeFlags(["-dwarf-version=4"])],
    linkerSettings: settings.isEmpty ? noSwift : ownSwiftHidden)
}

/// A codec plugin that ships with the host: a shared library, `lib<Name>Plugin.so`, linked with its format's library.
/// `modules` are libraries whose headers need flags.
func codec(
  _ name: String, linking libraries: [String], modules: [Target.Dependency] = [], headers: [String] = []
) -> Target {
  .target(
    name: "\(name)Plugin", dependencies: ["CPluginABI"] + modules, path: "Plugins/\(name)", exclude: ["README.md"],
    cSettings: strictC + oldDebugInfo + [.unsafeFlags(["-O2"] + headers.flatMap { ["-isystem", $0] })],
    linkerSettings: libraries.map { .linkedLibrary($0) } + noSwift)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = strict, exclude: [String] = []
) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

let package = Package(
  name: "imghost",
  products: [
    .executable(name: "imghost", targets: ["imghost"]),
    .executable(name: "imghost-verify", targets: ["imghost-verify"]),
    .executable(name: "imghost-plugin-worker", targets: ["imghost-plugin-worker"]),
    .executable(name: "imghost-bench", targets: ["imghost-bench"]),
    // Books proven from XCTest and Swift Testing, see Docs/HowTo/SwiftTests.md; the decoder comes from ImageCodecs.
    .library(name: "PDFVerify", targets: ["PDFVerify", "ImageCodecs", "ImageCore"]),
    // Queues with service classes, see Docs/SchedulingLibrary.md.
    .library(name: "Scheduling", targets: ["Scheduling"]),
    // A library that tries to break out: 'imghost plugins' tells what came of it.
    .library(name: "imghost-isolation-probe", type: .dynamic, targets: ["CIsolationProbe"]),
    .library(name: "JPEGPlugin", type: .dynamic, targets: ["JPEGPlugin"]),
    .library(name: "PNGPlugin", type: .dynamic, targets: ["PNGPlugin"]),
    .library(name: "VignettePlugin", type: .dynamic, targets: ["VignettePlugin"]),
    .library(name: "HalftonePlugin", type: .dynamic, targets: ["HalftonePlugin"]),
    .library(name: "FilmGrainPlugin", type: .dynamic, targets: ["FilmGrainPlugin"]),
    .library(name: "LumaSharpenPlugin", type: .dynamic, targets: ["LumaSharpenPlugin"]),
    .library(name: "TestCardPlugin", type: .dynamic, targets: ["TestCardPlugin"]),
    .library(name: "MaskBlendPlugin", type: .dynamic, targets: ["MaskBlendPlugin"]),
    .library(name: "ColourPlugin", type: .dynamic, targets: ["ColourPlugin"]),
    .library(name: "GIFPlugin", type: .dynamic, targets: ["GIFPlugin"]),
    .library(name: "JPEG2000Plugin", type: .dynamic, targets: ["JPEG2000Plugin"]),
    .library(name: "RAWPlugin", type: .dynamic, targets: ["RAWPlugin"]),
    .library(name: "TIFFPlugin", type: .dynamic, targets: ["TIFFPlugin"]),
    .library(name: "AVIFPlugin", type: .dynamic, targets: ["AVIFPlugin"]),
    .library(name: "HEIFPlugin", type: .dynamic, targets: ["HEIFPlugin"]),
    .library(name: "PDFPlugin", type: .dynamic, targets: ["PDFPlugin"]),
    .library(name: "SVGPlugin", type: .dynamic, targets: ["SVGPlugin"]),
    .library(name: "JPEGXLPlugin", type: .dynamic, targets: ["JPEGXLPlugin"]),
    .library(name: "WebPPlugin", type: .dynamic, targets: ["WebPPlugin"]),
  ],
  targets: [
    // System: libraries, C that Swift cannot express, and what differs between platforms.
    library("CLua", pkgConfig: "lua5.4", package: "liblua5.4-dev"),
    library("CJPEG", pkgConfig: "libjpeg", package: "libjpeg62-turbo-dev"),
    library("CFrei0r", pkgConfig: "frei0r", package: "frei0r-plugins-dev"),
    library("CISAL", pkgConfig: "libisal", package: "libisal-dev"),
    library("COpenJPEG", pkgConfig: "libopenjp2", package: "libopenjp2-7-dev"),
    library("CPNG", pkgConfig: "spng", package: "libspng-dev"),
    library("CPoppler", pkgConfig: "poppler-glib", package: "libpoppler-glib-dev"),
    // With cairo: the file of librsvg has flags that the package manager refuses, with a warning at each build.
    library("CGLib", pkgConfig: "cairo-gobject", package: "libcairo2-dev"),
    shim(.system, "CPopplerData"),
    shim(.system, "CWebServer"),
    library("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
    shim(.system, "CShims", ["CJPEG", "CLua"], linking: shownToPlugins),
    shim(.system, "CProcessor"),
    product(shim: "CPlatform"),
    product(shim: "CEnding"),
    shim(.system, "CMemoryGuard", ["CEnding"]),
    shim(.system, "CWorkerMemory"),
    shim(.system, "CText", ["CEnding"]),
    shim(.system, "CLateLibraries", ["CEnding", "CISAL", "CJPEG", "CPNG"]),
    product(.system, "Platform", ["CPlatform"]),
    // Pictures: values, kernels, operations, formats.
    shim(.pictures, "CInkProfile", exclude: ["FOGRA39.icc", "LICENSE"]),
    module(.pictures, "ImageCore", ["CEnding", "CInkProfile", "CProcessor", "Platform"], kernel),
    shim(.pictures, "CKernels", at: "ImageKernels/Requests"),
    kernels("ImageKernelsBaseline", of: "ImageKernels", "Baseline", ["CKernels", "CProcessor"]),
    kernels(
      "ImageKernelsV3", of: "ImageKernels", "V3", ["CKernels", "CProcessor"], processor: "haswell"),
    kernels(
      "ImageKernelsV4", of: "ImageKernels", "V4", ["CKernels", "CProcessor"],
      processor: "cascadelake"),
    module(
      .pictures, "ImageKernels",
      [
        "CKernels", "CProcessor", "ImageKernelsBaseline", "ImageKernelsV3", "ImageKernelsV4",
        "Platform",
      ],
      kernel, exclude: ["InstructionSets", "Requests"]),
    module(
      .pictures, "ImageOperations",
      ["ImageCore", "ImageKernels", "ImageMetadata", "RowCompression", "TextShaping", "VectorShapes", "Platform"],
      kernel),
    module(.pictures, "JPEGTables", [], kernel, at: "JPEGDecoding/Tables"),
    kernels("JPEGKernelsBaseline", of: "JPEGDecoding", "Baseline", ["JPEGTables"]),
    kernels("JPEGKernelsV3", of: "JPEGDecoding", "V3", ["JPEGTables"], processor: "haswell"),
    module(
      .pictures, "JPEGDecoding",
      ["ImageKernels", "JPEGTables", "JPEGKernelsBaseline", "JPEGKernelsV3", "Platform"],
      kernel, exclude: ["Tables", "InstructionSets"]),
    module(.pictures, "RowCompression", ["ImageCore", "CZlib"], kernel),
    module(.pictures, "ImageMetadata", ["ImageCore"], kernel),
    module(.pictures, "VectorShapes", [], kernel),
    module(.pictures, "TextShaping", ["ImageCore", "VectorShapes", "CText"]),
    module(
      .pictures, "ImageCodecs",
      [
        "ImageCore", "ImageKernels", "ImageMetadata", "RowCompression", "JPEGDecoding", "JPEGTables", "CShims", "CPNG",
        "CISAL", "Platform",
      ], kernel),
    module(.pictures, "PictureTraits", ["ImageCore", "ImageOperations", "Platform"], kernel),
    // Engine: scheduling, the pipeline, plugins in processes of their own.
    product(.engine, "Scheduling", ["CEnding", "CPlatform", "Platform"]),
    module(.engine, "RunTrace", ["ImageCore", "Scheduling"]),
    module(.engine, "VerifierOptions", ["ImageCore"]),
    module(
      .engine, "ImagePipeline",
      ["VerifierOptions", "CEnding", "ImageCore", "ImageMetadata", "PictureTraits", "Scheduling", "Platform"]),
    module(.engine, "Sharding", ["ImageCore", "ImagePipeline", "Scheduling", "Platform"]),
    shim(.engine, "CPluginABI", optimised: false),
    shim(.engine, "CGLibMessages", ["CPluginABI", "CGLib"]),
    shim(.engine, "CIsolationProbe", optimised: false, linking: noSwift),
    module(
      .engine, "PluginHost",
      ["ImageCore", "CPluginABI", "CFrei0r", "CPlatform", "CShims", "Platform"]),
    module(.engine, "CodecExport", ["CPluginABI", "ImageCore"]),
    module(
      .engine, "PluginCodecs", ["ImageCore", "ImageCodecs", "ImageMetadata", "PluginHost"], kernel),
    // Books: designing, writing and proving PDF.
    module(
      .books, "BookDesign", ["ImageCore", "PictureTraits", "Platform"], kernel,
      embedding: ["album", "contact", "magazine", "minimal"].map { "Styles/\($0).lua" }),
    module(.books, "BookExpectations", ["ImageCore"]),
    module(
      .books, "PDFBook",
      ["BookExpectations", "ImageCore", "RowCompression", "TextShaping", "CISAL", "CText", "CZlib", "Platform"]),
    module(
      .books, "BookComposing",
      [
        "BookDesign", "BookExpectations", "VerifierOptions", "ImageCore", "ImagePipeline", "PDFBook", "PictureTraits",
        "TextShaping", "CEnding", "Platform", "Scheduling",
      ]),
    module(
      .books, "PDFVerify",
      [
        "BookExpectations", "ImageCore", "RowCompression", "COpenJPEG", "CPoppler", "CPopplerData", "CZlib", "Platform",
      ]),
    // Scripting: Lua, and what scripts call.
    module(
      .scripting, "LuaRuntime", ["CLua", "CShims", "Platform"], embedding: ["Sandbox/Sandbox.lua"]),
    module(
      .scripting, "LuaBindings",
      ["LuaRuntime", "BookDesign", "ImagePipeline", "PictureTraits", "Scheduling", "ImageCore", "Platform"],
      embedding: ["Prelude/Prelude.lua", "Prelude/Lists.lua", "Prelude/MorePrelude.lua", "Testing/Test.lua"]),
    // Programs.
    module(
      .programs, "CommandInterface",
      ["ImageCore", "ImagePipeline", "Scheduling", "Platform"]),
    module(
      .programs, "Reporting",
      [
        "CommandInterface", "ImageCore", "ImagePipeline", "PluginHost", "RunTrace", "Scheduling",
        "Platform",
      ]),
    module(
      .programs, "PreviewServer",
      ["CWebServer", "ImageCore", "ImagePipeline", "Platform", "Scheduling"], at: "Preview",
      embedding: [
        "comparison.js", "connection.js", "elements.js", "inspector.js", "layouts.js", "messages.js", "outputs.js",
        "pictures.js", "plan.js", "preview.css", "preview.html", "preview.js", "preview.svg", "run.js", "settings.js",
        "tiles.js", "viewer.js",
      ].map { "Page/" + $0 }),
    module(
      .programs, "ClusterRuns",
      ["CommandInterface", "Reporting", "Sharding", "ImageCore", "ImagePipeline", "Scheduling", "Platform"]),
    module(.programs, "OneLiners", ["CommandInterface", "ImageCore", "ImagePipeline", "PictureTraits", "Platform"]),
    module(
      .programs, "Commands",
      [
        "ImageCore", "ImageKernels", "ImageMetadata", "ImageOperations", "ImageCodecs", "Scheduling", "RunTrace",
        "ImagePipeline", "PluginCodecs", "PluginHost", "CPluginABI", "CommandInterface", "Reporting", "Sharding",
        "VerifierOptions", "BookComposing", "BookDesign", "ClusterRuns", "OneLiners", "PreviewServer", "LuaBindings",
        "LuaRuntime",
        "CEnding", "CShims", "Platform",
      ]),
    program(
      "imghost", ["Commands", "CommandInterface", "ImageCore", "CLateLibraries", "CMemoryGuard", "Platform"],
      exclude: ["Linking"], linking: selfContained + ownLua + lateLibraries + ordered),
    program(
      "imghost-verify",
      [
        "VerifierOptions", "BookExpectations", "ImageCore", "ImageCodecs", "PDFVerify",
        "CMemoryGuard", "Platform",
      ], linking: ownSwift),
    program(
      "imghost-plugin-worker", ["CPluginABI", "CShims", "CWorkerMemory", "PluginHost", "ImageCore", "Platform"],
      // Authors of plugins run it under valgrind and gdb, and Debian's do not read Swift's debug information.
      linking: selfContained + ordered
        + (isSanitized ? [] : [.unsafeFlags(["-Xlinker", "--strip-debug"], .when(platforms: [.linux]))])),
    module(.programs, "BenchReport", ["ImageCore"]),
    shim(.programs, "CBenchJPEG", ["CJPEG"]),
    shim(.programs, "CBenchColour"),
    program(
      "imghost-bench",
      [
        "BenchReport", "CBenchColour", "CBenchJPEG", "ImageKernels", "ImageCore", "PluginCodecs", "PluginHost",
        "Scheduling", "Platform",
      ], linking: [.linkedLibrary("lcms2")]),
    // Plugins that ship with the host.
    plugin("Vignette"),
    plugin("JPEG", using: ["CodecExport", "ImageCodecs", "ImageCore"]),
    plugin("PNG", using: ["CodecExport", "ImageCodecs", "ImageCore"]),
    plugin("Halftone", []),
    plugin("FilmGrain"),
    plugin("LumaSharpen", []),
    plugin("TestCard", []),
    plugin("MaskBlend"),
    // Formats, each with a library of its own.
    codec("Colour", linking: ["lcms2", "m"]),
    codec("GIF", linking: ["gif"]),
    codec("JPEG2000", linking: ["openjp2"], modules: ["COpenJPEG"]),
    codec("RAW", linking: ["raw", "jpeg", "stdc++"]),
    codec("TIFF", linking: ["tiff", "m"]),
    codec("AVIF", linking: ["avif", "m"]),
    codec("HEIF", linking: ["heif", "de265"]),
    // GPL, for poppler's sake: shipped separately, like imghost-verify.
    codec(
      "PDF", linking: ["poppler-glib", "gio-2.0", "gobject-2.0", "glib-2.0", "cairo", "m"],
      modules: ["CGLibMessages", "CPoppler", "CPopplerData"]),
    codec(
      "SVG", linking: ["rsvg-2", "gio-2.0", "gobject-2.0", "glib-2.0", "cairo"], modules: ["CGLibMessages", "CGLib"],
      headers: ["/usr/include/librsvg-2.0", "/usr/include/gdk-pixbuf-2.0"]),
    codec("JPEGXL", linking: ["jxl", "m"]),
    codec("WebP", linking: ["webp", "webpmux"]),
    // Tests.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: kernel),
    tests("ImageCoreTests", ["ImageCore", "TestSupport"]),
    tests("RowCompressionTests", ["RowCompression", "ImageCore", "CZlib", "TestSupport"], kernel),
    // Optimised: their references run over many pixels.
    tests("ImageKernelsTests", ["ImageKernels", "TestSupport"], kernel),
    tests(
      "ImageOperationsTests",
      [
        "ImageOperations", "ImageKernels", "ImageCodecs", "ImageCore", "TextShaping", "VectorShapes", "Platform",
        "TestSupport",
      ], kernel),
    tests("VectorShapesTests", ["VectorShapes", "TestSupport"], kernel),
    tests("BookDesignTests", ["BookDesign", "LuaBindings", "PictureTraits"], kernel),
    tests("PictureTraitsTests", ["PictureTraits", "ImageCore", "TestSupport"], kernel),
    .target(
      name: "CReferencePNG", path: "Tests/CReferencePNG",
      linkerSettings: [.linkedLibrary("png16")]),
    tests("ImageMetadataTests", ["ImageMetadata", "ImageCore", "TestSupport"], kernel),
    .testTarget(
      name: "ImageCodecsTests",
      dependencies: [
        "ImageCodecs", "ImageCore", "ImageMetadata", "CReferencePNG", "CTestJPEG", "CZlib", "Platform",
        "TestSupport",
      ],
      resources: [.copy("Fixtures")], swiftSettings: strict),
    // Optimised: their references are slow.
    tests(
      "JPEGDecodingTests", ["JPEGDecoding", "JPEGTables", "ImageKernels", "TestSupport"], kernel),
    tests("SchedulingTests", ["Scheduling", "Platform", "TestSupport"]),
    tests("RunTraceTests", ["RunTrace", "Scheduling", "TestSupport"]),
    tests("ShardingTests", ["Sharding", "ImagePipeline", "ImageCore", "Platform", "TestSupport"]),
    tests(
      "ImagePipelineTests", ["ImagePipeline", "ImageCore", "ImageMetadata", "PictureTraits", "Scheduling", "Platform"]),
    tests(
      "PluginHostTests",
      ["PluginCodecs", "PluginHost", "CShims", "ImageCodecs", "ImageCore", "Platform", "TestSupport"],
      exclude: ["Fixtures"]),
    .target(
      name: "CReferenceColour", path: "Tests/CReferenceColour", cSettings: strictC,
      linkerSettings: [.linkedLibrary("lcms2"), .linkedLibrary("m")]),
    .target(name: "CTestJPEG", dependencies: ["CJPEG"], path: "Tests/CTestJPEG"),
    .target(
      name: "PDFTestSupport", dependencies: ["CTestJPEG", "PDFBook", "ImageCore"],
      path: "Tests/PDFTestSupport", swiftSettings: strict),
    tests("BookExpectationsTests", ["BookExpectations", "ImageCore"]),
    tests(
      "BookComposingTests",
      [
        "BookComposing", "BookExpectations", "ImageCore", "ImagePipeline", "PDFBook", "Platform",
        "Scheduling", "TestSupport",
      ]),
    tests(
      "PDFBookTests",
      ["BookExpectations", "PDFBook", "PDFTestSupport", "ImageCore", "TextShaping", "TestSupport"]),
    tests(
      "PDFVerifyTests",
      [
        "BookExpectations", "PDFVerify", "PDFBook", "PDFTestSupport", "ImageCodecs", "ImageCore",
        "TextShaping", "COpenJPEG", "TestSupport",
      ]),
    tests("LuaRuntimeTests", ["LuaRuntime", "TestSupport"]),
    tests(
      "LuaBindingsTests",
      [
        "LuaBindings", "LuaRuntime", "BookComposing", "ImagePipeline", "ImageCodecs",
        "ImageOperations", "ImageCore", "Scheduling",
      ]),
    tests("BenchReportTests", ["BenchReport"]),
    tests("CommandInterfaceTests", ["CommandInterface", "ImageCore"]),
    tests("OneLinersTests", ["OneLiners", "CommandInterface", "ImageCore", "ImagePipeline"]),
    tests(
      "ReportingTests",
      ["Reporting", "CommandInterface", "ImageCore", "ImagePipeline", "Scheduling"]),
    tests(
      "ClusterRunsTests",
      ["ClusterRuns", "CommandInterface", "Sharding", "ImageCore", "ImagePipeline", "Platform", "TestSupport"]),
    // Optimised: a float64 reference of whole photographs.
    .target(
      name: "PictureTestSupport", dependencies: ["ImageCore", "ImageCodecs"],
      path: "Tests/PictureTestSupport", swiftSettings: kernel),
    tests(
      "EndToEndTests",
      ["CReferenceColour", "ImageCore", "ImageCodecs", "Platform", "PictureTestSupport", "TestSupport"]),
  ],
  cLanguageStandard: .gnu17
)

// Parsers of foreign bytes: a test that replays files, and where Scripts/dev/fuzz asks for it a program instead, because
// libFuzzer brings its own main.
let fuzzed: [Target.Dependency] = [
  "BookComposing", "BookExpectations", "ClusterRuns", "ImageCodecs", "ImageCore", "ImageMetadata", "ImagePipeline",
  "LuaBindings", "PDFBook", "PDFVerify", "PluginHost", "Reporting", "RowCompression", "Sharding", "CZlib",
  "Platform",
]
if Context.environment["IMGHOST_FUZZ"] == nil {
  package.targets.append(
    .testTarget(
      name: "FuzzersTests", dependencies: fuzzed, path: "Tests/Fuzzers", exclude: ["Corpus", "Program"],
      swiftSettings: strict))
} else {
  package.products.append(.executable(name: "imghost-fuzzer", targets: ["imghost-fuzzer"]))
  package.targets.append(
    .executableTarget(
      name: "imghost-fuzzer", dependencies: fuzzed, path: "Tests/Fuzzers", exclude: ["Corpus", "Replay"],
      swiftSettings: strict,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]))
}

// Scripts/dev/quick and Scripts/dev/check-scheduling: one module, all it needs, and its tests.
if let module = Context.environment["IMGHOST_MODULE"] {
  var wanted: Set<String> = []
  func want(_ name: String) {
    guard let target = package.targets.first(where: { $0.name == name }) else { return }
    guard wanted.insert(name).inserted else { return }
    for case .byNameItem(let dependency, _) in target.dependencies { want(dependency) }
  }
  want(module)
  want(module + "Tests")
  // Programs and plugins that these tests start.
  let workers =
    ["imghost-plugin-worker", "CIsolationProbe"] + package.targets.map(\.name).filter { $0.hasSuffix("Plugin") }
  let started = [
    "EndToEnd": workers + ["imghost", "imghost-verify"],
    "PDFVerify": ["imghost-verify"],
    "PluginHost": workers,
  ]
  started[module]?.forEach(want)
  package.targets.removeAll { !wanted.contains($0.name) }
  package.products.removeAll { product in
    !((product as? Product.Library)?.targets ?? []).allSatisfy(wanted.contains) || product is Product.Executable
  }
}
