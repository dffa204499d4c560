// swift-tools-version: 6.2
import PackageDescription

/// Swift 6 language mode, warnings as errors, for every module of ours.
///
/// Descriptions of generic types are asked for by calls, not looked up by name: that was a sixth of the
/// instructions of starting a book, for 65 KB of code.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
  .unsafeFlags([
    "-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors",
  ]),
]
/// Pixel loops: optimised in debug builds too, which would otherwise run 100 times slower.
let kernel: [SwiftSetting] = strict + [.unsafeFlags(["-O"])]

/// Warnings as errors for C of ours, too.
let strictC: [CSetting] = [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]

/// A module of kernels for one instruction set: ImageKernelsBaseline/Vector.swift says why each
/// is compiled on its own. `processor` is what LLVM calls the oldest one with that set.
func kernels(
  _ name: String, _ dependencies: [Target.Dependency] = [], define: String, processor: String
) -> Target {
  #if arch(x86_64)
    let flags = ["-D", define, "-target-cpu", processor]
  #else
    let flags: [String] = []
  #endif
  return .target(
    name: name, dependencies: dependencies, swiftSettings: kernel + [.unsafeFlags(flags)])
}

/// A module of ours: it sees what is named here and nothing else, see `Scripts/dev/check-imports`.
func module(
  _ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = strict
)
  -> Target
{
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
  linking settings: [LinkerSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict,
    linkerSettings: settings)
}

/// Swift's library inside the program: one that starts for every picture must not spend 2 ms on finding
/// and relocating eight shared ones. Not for what loads plugins, which may bring their own.
/// Its 35,000 relocations are packed, which only the toolchain's own linker does and glibc 2.36 reads: 0.7 MB that
/// no start need go over. `Linking` has the linker take what is needed of the C++ library in, too.
let selfContained: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-static-stdlib", "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
      "-L\(Context.packageDirectory)/Sources/imghost/Linking",
    ], .when(platforms: [.linux]))
]

/// An image plugin that ships with the host: a shared library, `lib<Name>Plugin.so`.
func plugin(_ name: String, _ settings: [SwiftSetting] = kernel) -> Target {
  .target(
    name: "\(name)Plugin", dependencies: ["CPluginABI"], path: "Plugins/\(name)",
    exclude: ["README.md"], cSettings: strictC, swiftSettings: settings)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = strict,
  exclude: [String] = []
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
    // Books proven from XCTest and Swift Testing, see Docs/Books.md; the decoder comes from ImageCodecs.
    .library(name: "PDFVerify", targets: ["PDFVerify", "ImageCodecs", "ImageCore"]),
    // A library that tries to break out: 'imghost plugins' tells what came of it.
    .library(name: "imghost-isolation-probe", type: .dynamic, targets: ["CIsolationProbe"]),
    .library(name: "VignettePlugin", type: .dynamic, targets: ["VignettePlugin"]),
    .library(name: "HalftonePlugin", type: .dynamic, targets: ["HalftonePlugin"]),
    .library(name: "FilmGrainPlugin", type: .dynamic, targets: ["FilmGrainPlugin"]),
    .library(name: "LumaSharpenPlugin", type: .dynamic, targets: ["LumaSharpenPlugin"]),
    .library(name: "TestCardPlugin", type: .dynamic, targets: ["TestCardPlugin"]),
    .library(name: "MaskBlendPlugin", type: .dynamic, targets: ["MaskBlendPlugin"]),
  ],
  targets: [
    // System libraries.
    .systemLibrary(name: "CLua", pkgConfig: "lua5.4", providers: [.apt(["liblua5.4-dev"])]),
    .systemLibrary(
      name: "CJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg62-turbo-dev"])]),
    .systemLibrary(
      name: "CFrei0r", pkgConfig: "frei0r", providers: [.apt(["frei0r-plugins-dev"])]),
    .systemLibrary(name: "CISAL", pkgConfig: "libisal", providers: [.apt(["libisal-dev"])]),
    .systemLibrary(
      name: "COpenJPEG", pkgConfig: "libopenjp2", providers: [.apt(["libopenjp2-7-dev"])]),
    .systemLibrary(name: "CPNG", pkgConfig: "spng", providers: [.apt(["libspng-dev"])]),
    .systemLibrary(
      name: "CPoppler", pkgConfig: "poppler-glib", providers: [.apt(["libpoppler-glib-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // C that Swift cannot express, and the header for plugins.
    .target(
      name: "CShims", dependencies: ["CJPEG", "CLua"],
      cSettings: strictC + [.unsafeFlags(["-O2"])]),
    .target(name: "CPluginABI", cSettings: strictC),
    .target(name: "CIsolationProbe", cSettings: strictC),
    .target(
      name: "CText", dependencies: ["CEnding"], cSettings: strictC + [.unsafeFlags(["-O2"])]),
    .target(name: "CEnding", cSettings: strictC + [.unsafeFlags(["-O2"])]),
    .target(
      name: "CMemoryGuard", dependencies: ["CEnding"],
      cSettings: strictC + [.unsafeFlags(["-O2"])]),
    .target(name: "CProcessor", cSettings: strictC + [.unsafeFlags(["-O2"])]),
    // Pictures.
    module("ImageCore", ["CEnding", "CProcessor"], kernel),
    module("ImageKernelsBaseline", ["CProcessor"], kernel),
    kernels("ImageKernelsV3", ["CProcessor"], define: "ISA_V3", processor: "haswell"),
    kernels("ImageKernelsV4", ["CProcessor"], define: "ISA_V4", processor: "cascadelake"),
    module(
      "ImageKernels",
      ["CProcessor", "ImageKernelsBaseline", "ImageKernelsV3", "ImageKernelsV4"], kernel),
    module("ImageOperations", ["ImageCore", "ImageKernels"], kernel),
    module("JPEGTables", [], kernel),
    module("JPEGKernelsBaseline", ["JPEGTables"], kernel),
    kernels("JPEGKernelsV3", ["JPEGTables"], define: "ISA_V3", processor: "haswell"),
    module(
      "JPEGDecoding",
      ["ImageKernels", "JPEGTables", "JPEGKernelsBaseline", "JPEGKernelsV3"], kernel),
    module("RowCompression", ["ImageCore", "CZlib"], kernel),
    module(
      "ImageCodecs",
      ["ImageCore", "RowCompression", "JPEGDecoding", "JPEGTables", "CShims", "CPNG", "CISAL"],
      kernel),
    // The engine.
    module("Scheduling", ["CEnding", "CShims"]),
    module("RunTrace", ["Scheduling"]),
    module("ImagePipeline", ["CEnding", "ImageCore", "Scheduling"]),
    module("PluginHost", ["ImageCore", "CPluginABI", "CFrei0r", "CShims"]),
    // Books.
    module(
      "PDFBook", ["ImageCore", "RowCompression", "CISAL", "CText", "CZlib"]),
    module("PDFVerify", ["ImageCore", "COpenJPEG", "CPoppler", "CZlib"]),
    // Scripts.
    module("LuaRuntime", ["CLua", "CShims"]),
    module("LuaBindings", ["LuaRuntime", "ImagePipeline", "Scheduling", "ImageCore"]),
    // Programs.
    program(
      "imghost",
      [
        "ImageCore", "ImageKernels", "ImageOperations", "ImageCodecs", "Scheduling", "RunTrace",
        "ImagePipeline", "PluginHost", "CPluginABI",
        "PDFBook", "LuaBindings", "LuaRuntime", "CEnding", "CMemoryGuard",
      ], exclude: ["Linking"], linking: selfContained),
    program("imghost-verify", ["ImageCore", "ImageCodecs", "PDFVerify", "CMemoryGuard"]),
    program("imghost-plugin-worker", ["CPluginABI", "CShims", "PluginHost", "ImageCore"]),
    // Measuring.
    module("BenchReport", []),
    .target(
      name: "CBenchJPEG", dependencies: ["CJPEG"], cSettings: strictC + [.unsafeFlags(["-O2"])]),
    program(
      "imghost-bench",
      ["BenchReport", "CBenchJPEG", "ImageKernels", "ImageCore", "PluginHost", "Scheduling"]),
    // Plugins that ship with the host.
    plugin("Vignette"),
    plugin("Halftone", []),
    plugin("FilmGrain"),
    plugin("LumaSharpen", []),
    plugin("TestCard", []),
    plugin("MaskBlend"),
    // Tests.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: kernel),
    tests("ImageCoreTests", ["ImageCore", "TestSupport"]),
    tests("RowCompressionTests", ["RowCompression", "ImageCore", "CZlib", "TestSupport"], kernel),
    // Optimised: their references run over many pixels.
    tests("ImageKernelsTests", ["ImageKernels", "TestSupport"], kernel),
    tests(
      "ImageOperationsTests",
      ["ImageOperations", "ImageKernels", "ImageCodecs", "ImageCore", "TestSupport"], kernel),
    .target(
      name: "CReferencePNG", path: "Tests/CReferencePNG",
      linkerSettings: [.linkedLibrary("png16")]),
    .testTarget(
      name: "ImageCodecsTests",
      dependencies: [
        "ImageCodecs", "ImageCore", "CReferencePNG", "CTestJPEG", "CZlib", "TestSupport",
      ],
      resources: [.copy("Fixtures")], swiftSettings: strict),
    // Optimised: their references are slow.
    tests(
      "JPEGDecodingTests", ["JPEGDecoding", "JPEGTables", "ImageKernels", "TestSupport"], kernel),
    tests("SchedulingTests", ["Scheduling", "TestSupport"]),
    tests("RunTraceTests", ["RunTrace", "Scheduling", "TestSupport"]),
    tests("ImagePipelineTests", ["ImagePipeline", "ImageCore", "Scheduling"]),
    tests(
      "PluginHostTests", ["PluginHost", "CShims", "ImageCodecs", "ImageCore", "TestSupport"],
      exclude: ["Fixtures"]),
    .target(name: "CTestJPEG", dependencies: ["CJPEG"], path: "Tests/CTestJPEG"),
    .target(
      name: "PDFTestSupport", dependencies: ["CTestJPEG", "PDFBook", "ImageCore"],
      path: "Tests/PDFTestSupport", swiftSettings: strict),
    tests("PDFBookTests", ["PDFBook", "PDFTestSupport", "ImageCore", "TestSupport"]),
    tests(
      "PDFVerifyTests",
      [
        "PDFVerify", "PDFBook", "PDFTestSupport", "ImageCodecs", "ImageCore", "COpenJPEG",
        "TestSupport",
      ]),
    tests("LuaRuntimeTests", ["LuaRuntime", "TestSupport"]),
    tests("LuaBindingsTests", ["LuaBindings", "ImagePipeline", "ImageCore"]),
    tests("BenchReportTests", ["BenchReport"]),
    // Optimised: a float64 reference of whole photographs.
    .target(
      name: "PictureTestSupport", dependencies: ["ImageCore", "ImageCodecs"],
      path: "Tests/PictureTestSupport", swiftSettings: kernel),
    tests("EndToEndTests", ["ImageCore", "ImageCodecs", "PictureTestSupport", "TestSupport"]),
  ],
  cLanguageStandard: .gnu17
)

// libFuzzer brings its own main: only where Scripts/dev/fuzz-plugins asks for it.
if Context.environment["IMGHOST_FUZZ"] != nil {
  package.products.append(
    .executable(name: "imghost-plugin-fuzzer", targets: ["imghost-plugin-fuzzer"]))
  package.targets.append(
    .executableTarget(
      name: "imghost-plugin-fuzzer", dependencies: ["PluginHost"], path: "Tests/PluginFuzzer",
      exclude: ["Corpus"], swiftSettings: strict,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]))
}
