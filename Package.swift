// swift-tools-version: 6.2
import PackageDescription

/// Whether this is a build of Scripts/dev/check-sanitizers. Programs then use Swift's shared library, and export the
/// sanitizer's functions to the plugins that they load.
let isSanitized = Context.environment["IMGHOST_SANITIZED"] != nil
/// Whether this is a build of Scripts/dev/package for the portable files.
let isPortable = Context.environment["IMGHOST_PORTABLE"] != nil

// MARK: Settings

/// The settings of the modules of the product `Scheduling`: Swift 6 language mode, and warnings as errors. They have no
/// unsafe flags, because other packages can then depend on a version of it.
let published: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
/// The settings of every other Swift module.
let strict = published + (isSanitized ? [.define("SANITIZED")] : [])
/// The settings of modules with pixel loops. They are also optimised in debug builds, where the loops would otherwise
/// run 100 times slower.
let kernel: [SwiftSetting] = strict + [.unsafeFlags(["-O"])]
/// The settings of every C module: warnings as errors.
let strictC: [CSetting] = [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]
/// An older format of debug information, because valgrind 3.19 of Debian 12 stops at the newer one.
let oldDebugInfo: [CSetting] = [.unsafeFlags(["-gdwarf-4"])]
let optimisedC: [CSetting] = oldDebugInfo + [.unsafeFlags(["-O2"])]

let linking = "\(Context.packageDirectory)/Sources/Programs/imghost/Linking"

/// Returns settings with these linker flags on Linux; none for sanitizers.
func linker(_ flags: [String]) -> [LinkerSetting] {
  isSanitized ? [] : [.unsafeFlags(flags, .when(platforms: [.linux]))]
}

/// Links Swift's library statically, so that users need not install it, and does not export its 13,000 names, which the
/// loader would search for each name that a shared library imports.
let ownSwift = linker(["-static-stdlib", "-use-ld=lld", "-Xlinker", "--no-export-dynamic"])
/// Links the needed parts of the C++ library statically, too; see `Linking`. Programs that link C++ libraries must not
/// use this, because they would load a second C++ library.
let selfContained = ownSwift + linker(["-L\(linking)"])
/// Links no shared library that is needed at the start. If `/proc` is not mounted, the loader cannot find those of the
/// portable files. So `CLateLibraries` opens libraries when they are used, and Lua and zlib are linked statically.
let withoutLibraries = linker(
  ["-Xclang-linker", "-static-libgcc"]
    + ["isal", "jpeg", "spng"].flatMap { ["-Xlinker", "--remap-inputs=*/lib\($0).so=/dev/null"] }
    + (isPortable ? ["lua5.4", "z"] : []).flatMap {
      ["-Xlinker", "--remap-inputs=*/lib\($0).so=\(linking)/Portable/lib\($0).so"]
    })
/// Links Swift's library into a plugin and hides it, so that a program can load several plugins, each with its own
/// copy. In the portable files, plugins share one library, which saves a seventh of the download.
let ownSwiftHidden =
  isPortable ? linker(["-use-ld=lld"]) : selfContained + linker(["-Xlinker", "--exclude-libs=ALL"])
/// Keeps Swift's library and start file, which the Swift driver adds when it links, out of a plugin in C.
let noSwift = selfContained + [.unsafeFlags(["-nostartfiles"], .when(platforms: [.linux]))]
/// Exports the functions of ThreadSanitizer that plugins in Swift call, which programs do not export by default.
let shownToPlugins: [LinkerSetting] =
  (isSanitized ? ["external_read", "external_write", "ignore_thread_begin", "ignore_thread_end"] : []).map {
    .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=__tsan_\($0)"])
  }

// MARK: Kinds of targets

func words(_ list: String) -> [String] { list.split(separator: " ").map(String.init) }
func targets(_ list: String) -> [Target.Dependency] { words(list).map { .byName(name: $0) } }

/// The folders of `Sources`, from the bottom up: a module imports from its own layer and from those below it.
enum Layer: String {
  case system = "System", pictures = "Pictures", engine = "Engine", books = "Books", scripting = "Scripting"
  case programs = "Programs"

  func path(_ module: String) -> String { "Sources/\(rawValue)/\(module)" }
}

/// Returns a Swift module. It may import only the modules in `dependencies`; `Scripts/dev/check-structure` checks this.
func module(
  _ layer: Layer, _ name: String, _ dependencies: String, _ settings: [SwiftSetting] = strict,
  at path: String? = nil, exclude: [String] = []
) -> Target {
  .target(
    name: name, dependencies: targets(dependencies), path: layer.path(path ?? name), exclude: exclude,
    swiftSettings: settings)
}

/// Returns a C module, for code that Swift cannot express. `isPublished` is true for those of the product `Scheduling`.
func shim(
  _ layer: Layer, _ name: String, _ dependencies: String = "", isPublished: Bool = false, optimised: Bool = true,
  at path: String? = nil, exclude: [String] = [], linking settings: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: targets(dependencies), path: layer.path(path ?? name), exclude: exclude,
    cSettings: strictC + (isPublished ? [] : optimised ? optimisedC : oldDebugInfo), linkerSettings: settings)
}

/// Returns a module for a library of the system. `pkgConfig` is its name for pkg-config, or a file in the module's
/// folder; `package` is Debian's package.
func library(_ name: String, pkgConfig: String, package: String) -> Target {
  let path = Layer.system.path(name)
  let isFile = pkgConfig.hasSuffix(".pc")
  return .systemLibrary(
    name: name, path: path, pkgConfig: isFile ? "\(Context.packageDirectory)/\(path)/\(pkgConfig)" : pkgConfig,
    providers: [.apt([package])])
}

/// Returns a module of kernels for one instruction set. InstructionSets/Baseline/Vector.swift explains why each set is
/// compiled separately. `processor` is LLVM's name for the oldest processor with the set; nil for the baseline.
func kernels(
  _ name: String, of module: String, _ instructionSet: String, _ dependencies: String, processor: String? = nil
) -> Target {
  var flags: [String] = []
  #if arch(x86_64)
    if let processor { flags = ["-D", "ISA_\(instructionSet)", "-target-cpu", processor] }
  #endif
  return .target(
    name: name, dependencies: targets(dependencies),
    path: Layer.pictures.path("\(module)/InstructionSets/\(instructionSet)"),
    swiftSettings: kernel + (flags.isEmpty ? [] : [.unsafeFlags(flags)]))
}

func program(
  _ name: String, _ dependencies: String, exclude: [String] = [], linking settings: [LinkerSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: targets(dependencies), path: Layer.programs.path(name), exclude: exclude,
    swiftSettings: strict, linkerSettings: settings)
}

/// Returns a plugin that ships with imghost, as a shared library `lib<Name>Plugin.so`. `modules` are those that a plugin
/// in Swift uses, or the libraries whose headers need flags.
func plugin(
  _ name: String, inSwift: Bool = false, using modules: String = "", linking libraries: String = ""
) -> Target {
  .target(
    name: "\(name)Plugin", dependencies: targets("CPluginABI " + modules), path: "Plugins/\(name)",
    exclude: ["README.md"], cSettings: strictC + optimisedC,
    swiftSettings: inSwift ? kernel + [.unsafeFlags(["-dwarf-version=4"])] : [],
    linkerSettings: words(libraries).map { .linkedLibrary($0) } + (inSwift ? ownSwiftHidden : noSwift))
}

/// Returns the tests of a module, and of the modules in `dependencies`.
func tests(
  _ module: String, _ dependencies: String = "", _ settings: [SwiftSetting] = strict, exclude: [String] = [],
  resources: [Resource] = []
) -> Target {
  .testTarget(
    name: "\(module)Tests", dependencies: targets("\(module) TestSupport \(dependencies)"), exclude: exclude,
    resources: resources, swiftSettings: settings)
}

/// Returns a module with code that several test modules share.
func testSupport(
  _ name: String, _ dependencies: String = "", swift: [SwiftSetting] = [], linking libraries: String = ""
) -> Target {
  .target(
    name: name, dependencies: targets(dependencies), path: "Tests/\(name)", cSettings: strictC, swiftSettings: swift,
    linkerSettings: words(libraries).map { .linkedLibrary($0) })
}

// MARK: The package

let package = Package(
  name: "imghost",
  platforms: [.macOS(.v15)],
  products: [
    // Verifies books in XCTest and Swift Testing, see Docs/HowTo/SwiftTests.md. Its JPEG decoder is in ImageCodecs.
    .library(name: "PDFVerify", targets: ["PDFVerify", "ImageCodecs", "ImageCore"]),
    // Queues with service classes, see Docs/SchedulingLibrary.md.
    .library(name: "Scheduling", targets: ["Scheduling"]),
    // A library that attempts what plugins must not do, to test their isolation; 'imghost plugins' shows the result.
    .library(name: "imghost-isolation-probe", type: .dynamic, targets: ["CIsolationProbe"]),
  ],
  targets: [
    // System: libraries, code that Swift cannot express, and differences between platforms.
    library("CLua", pkgConfig: "lua5.4", package: "liblua5.4-dev"),
    library("CJPEG", pkgConfig: "libjpeg", package: "libjpeg62-turbo-dev"),
    library("CFrei0r", pkgConfig: "frei0r", package: "frei0r-plugins-dev"),
    library("CISAL", pkgConfig: "libisal", package: "libisal-dev"),
    library("COpenJPEG", pkgConfig: "libopenjp2", package: "libopenjp2-7-dev"),
    library("CPNG", pkgConfig: "spng", package: "libspng-dev"),
    library("CPoppler", pkgConfig: "poppler.pc", package: "libpoppler-glib-dev"),
    library("CGLib", pkgConfig: "glib.pc", package: "libcairo2-dev"),
    shim(.system, "CPopplerData"),
    shim(.system, "CWebServer"),
    shim(.system, "CEmbeddedFiles"),
    library("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
    shim(.system, "CJPEGFence", "CJPEG"),
    shim(.system, "CLuaFence", "CLua"),
    shim(.system, "CProcesses", linking: shownToPlugins),
    shim(.system, "CSandbox"),
    shim(.system, "CThreadSanitizer"),
    shim(.system, "CProcessor"),
    shim(.system, "CPlatform", isPublished: true),
    shim(.system, "CExitCleanup", isPublished: true),
    shim(.system, "CMemoryGuard", "CExitCleanup"),
    shim(.system, "CWorkerMemory"),
    shim(.system, "CText", "CExitCleanup"),
    shim(.system, "CLateLibraries", "CExitCleanup CISAL CJPEG CPNG"),
    module(.system, "Platform", "CPlatform", published),
    // Pictures: values, kernels, operations and formats.
    shim(.pictures, "CInkProfile", exclude: ["FOGRA39.icc", "LICENSE"]),
    module(.pictures, "ImageCore", "CExitCleanup CInkProfile CProcessor CThreadSanitizer Platform", kernel),
    shim(.pictures, "CKernels", at: "ImageKernels/Requests"),
    kernels("ImageKernelsBaseline", of: "ImageKernels", "Baseline", "CKernels CProcessor"),
    kernels("ImageKernelsV3", of: "ImageKernels", "V3", "CKernels CProcessor", processor: "haswell"),
    kernels("ImageKernelsV4", of: "ImageKernels", "V4", "CKernels CProcessor", processor: "cascadelake"),
    module(
      .pictures, "ImageKernels", "CKernels CProcessor ImageKernelsBaseline ImageKernelsV3 ImageKernelsV4 Platform",
      kernel, exclude: ["InstructionSets", "Requests"]),
    module(.pictures, "PictureTraits", "ImageCore Platform", kernel),
    module(
      .pictures, "ImageOperations",
      "ImageCore ImageKernels ImageMetadata PictureTraits RowCompression TextShaping VectorShapes Platform", kernel),
    module(.pictures, "JPEGTables", "", kernel, at: "JPEGDecoding/Tables"),
    kernels("JPEGKernelsBaseline", of: "JPEGDecoding", "Baseline", "JPEGTables"),
    kernels("JPEGKernelsV3", of: "JPEGDecoding", "V3", "JPEGTables", processor: "haswell"),
    module(
      .pictures, "JPEGDecoding", "ImageKernels JPEGTables JPEGKernelsBaseline JPEGKernelsV3 Platform", kernel,
      exclude: ["Tables", "InstructionSets"]),
    module(.pictures, "RowCompression", "ImageCore CZlib", kernel),
    module(.pictures, "ImageMetadata", "ImageCore"),
    module(.pictures, "VectorShapes", "", kernel),
    module(.pictures, "TextShaping", "ImageCore VectorShapes CText Platform"),
    module(
      .pictures, "ImageCodecs",
      "ImageCore ImageKernels ImageMetadata RowCompression JPEGDecoding JPEGTables CJPEGFence CPNG CISAL Platform",
      kernel),
    // Engine: scheduling, the pipeline, plugins in processes of their own.
    module(.engine, "Scheduling", "CExitCleanup CPlatform Platform", published),
    module(.engine, "RunTrace", "ImageCore Scheduling"),
    module(.engine, "VerifierOptions", "ImageCore"),
    module(
      .engine, "ImagePipeline", "VerifierOptions CExitCleanup ImageCore ImageMetadata PictureTraits Scheduling Platform"
    ),
    module(.engine, "Sharding", "ImageCore ImagePipeline Scheduling Platform"),
    module(.engine, "RunRecords", "ImageCore ImagePipeline Sharding Scheduling Platform"),
    shim(.engine, "CPluginABI", optimised: false),
    shim(.engine, "CGLibMessages", "CPluginABI CGLib"),
    shim(.engine, "CIsolationProbe", optimised: false, linking: noSwift),
    module(.engine, "PluginHost", "ImageCore CPluginABI CFrei0r CPlatform CProcesses CSandbox Platform"),
    module(.engine, "CodecExport", "CPluginABI ImageCore"),
    module(.engine, "OperationExport", "CPluginABI"),
    module(.engine, "PluginCodecs", "ImageCore ImageCodecs ImageMetadata PluginHost"),
    // Books: designing, writing and verifying PDFs.
    module(.books, "BookDesign", "CEmbeddedFiles ImageCore PictureTraits Platform", exclude: ["Styles"]),
    module(.books, "BookExpectations", "ImageCore"),
    module(
      .books, "PDFBook",
      "BookDesign BookExpectations ImageCore PictureTraits RowCompression TextShaping CISAL CText CZlib Platform"),
    module(
      .books, "BookComposing",
      "BookDesign BookExpectations VerifierOptions ImageCore ImagePipeline PDFBook PictureTraits TextShaping CExitCleanup "
        + "Platform Scheduling"),
    module(
      .books, "PDFVerify", "BookExpectations ImageCore RowCompression COpenJPEG CPoppler CPopplerData CZlib Platform"),
    // Scripting: Lua, and the functions that scripts call.
    module(.scripting, "LuaRuntime", "CEmbeddedFiles CLua CLuaFence Platform", exclude: ["Sandbox/Sandbox.lua"]),
    module(
      .scripting, "LuaBindings",
      "LuaRuntime BookComposing BookDesign ImagePipeline PictureTraits Scheduling ImageCore Platform",
      exclude: ["Prelude", "Testing/Test.lua"]),
    // Programs.
    module(.programs, "CommandInterface", "ImageCore ImagePipeline Scheduling Platform"),
    module(
      .programs, "Reporting",
      "BookComposing CommandInterface ImageCore ImagePipeline PluginHost RunTrace Scheduling Platform"),
    module(
      .programs, "PreviewServer",
      "BookComposing CEmbeddedFiles CWebServer ImageCore ImagePipeline Platform Scheduling", at: "Preview",
      exclude: ["Page"]),
    module(.programs, "ClusterRuns", "CommandInterface Reporting Sharding ImageCore ImagePipeline Scheduling Platform"),
    module(
      .programs, "OneLiners", "BookComposing CommandInterface ImageCore ImagePipeline PictureTraits Platform"),
    module(
      .programs, "Commands",
      "ImageCore ImageKernels ImageMetadata ImageOperations ImageCodecs Scheduling RunTrace ImagePipeline PluginCodecs "
        + "PluginHost CPluginABI CommandInterface Reporting RunRecords Sharding VerifierOptions BookComposing BookDesign ClusterRuns "
        + "OneLiners PreviewServer LuaBindings LuaRuntime TextShaping CExitCleanup CProcesses Platform"),
    program(
      "imghost", "Commands CommandInterface ImageCore CLateLibraries CMemoryGuard Platform",
      exclude: ["Linking"], linking: selfContained + withoutLibraries),
    program(
      "imghost-verify",
      "VerifierOptions BookExpectations ImageCore ImageCodecs PDFVerify CMemoryGuard Platform", linking: ownSwift),
    program(
      "imghost-plugin-worker", "CPluginABI CProcesses CSandbox CWorkerMemory PluginHost ImageCore Platform",
      // Authors of plugins run this program under valgrind and gdb, and Debian's versions cannot read Swift's debug
      // information.
      linking: selfContained + linker(["-Xlinker", "--strip-debug"])),
    module(.programs, "BenchReport", "ImageCore"),
    program("imghost-bench", "BenchReport ImageCodecs ImageCore Scheduling Platform"),
    // Plugins that ship with the host.
    plugin("Vignette", inSwift: true, using: "OperationExport"),
    plugin("FilmGrain", inSwift: true, using: "OperationExport"),
    plugin("MaskBlend", inSwift: true, using: "OperationExport"),
    plugin("JPEG", inSwift: true, using: "CodecExport ImageCodecs ImageCore"),
    plugin("PNG", inSwift: true, using: "CodecExport ImageCodecs ImageCore"),
    plugin("Halftone"),
    plugin("LumaSharpen"),
    plugin("TestCard"),
    plugin("Colour", linking: "lcms2 m"),
    plugin("GIF", linking: "gif"),
    plugin("JPEG2000", using: "COpenJPEG", linking: "openjp2"),
    plugin("RAW", linking: "raw jpeg stdc++"),
    plugin("TIFF", linking: "tiff m"),
    plugin("AVIF", linking: "avif m"),
    plugin("HEIF", linking: "heif de265"),
    plugin("JPEGXL", linking: "jxl m"),
    plugin("WebP", linking: "webp webpmux"),
    plugin(
      "SVG", using: "CGLibMessages CGLib", linking: "rsvg-2 gio-2.0 gobject-2.0 glib-2.0 cairo"),
    // Under the GPL, because poppler is; shipped separately, like imghost-verify.
    plugin(
      "PDF", using: "CGLibMessages CPoppler CPopplerData",
      linking: "poppler-glib gio-2.0 gobject-2.0 glib-2.0 cairo m"),
    // Tests. Those with kernel settings have slow reference implementations.
    testSupport("TestSupport", swift: kernel),
    testSupport("PictureTestSupport", "ImageCore ImageCodecs", swift: kernel),
    testSupport("PDFTestSupport", "CTestJPEG PDFBook ImageCore", swift: strict),
    testSupport("CReferencePNG", linking: "png16"),
    testSupport("CReferenceColour", linking: "lcms2 m"),
    testSupport("CTestJPEG", "CJPEG"),
    tests("ImageCore"),
    tests("RowCompression", "ImageCore CZlib", kernel),
    tests("ImageKernels", "", kernel),
    tests(
      "ImageOperations", "ImageKernels ImageCodecs ImageCore PictureTraits TextShaping VectorShapes Platform", kernel),
    tests("VectorShapes", "", kernel),
    tests("BookDesign", "LuaBindings PictureTraits"),
    tests("PictureTraits"),
    tests("ImageMetadata", "ImageCore"),
    tests(
      "ImageCodecs", "ImageCore ImageMetadata CReferencePNG CTestJPEG CZlib Platform", resources: [.copy("Fixtures")]),
    tests("JPEGDecoding", "JPEGTables ImageKernels", kernel),
    tests("Scheduling", "Platform"),
    tests("RunTrace", "Scheduling"),
    tests("RunRecords", "ImageCore"),
    tests("Sharding", "ImagePipeline ImageCore Platform"),
    tests("ImagePipeline", "ImageCore ImageMetadata ImageOperations PictureTraits Scheduling Platform"),
    tests("PluginHost", "PluginCodecs CProcesses CSandbox ImageCodecs ImageCore Platform", exclude: ["Fixtures"]),
    tests("BookExpectations", "ImageCore"),
    tests(
      "BookComposing",
      "BookDesign BookExpectations ImageCore ImagePipeline PDFBook PictureTraits Platform Scheduling"),
    tests("PDFBook", "BookDesign BookExpectations PDFTestSupport ImageCore PictureTraits TextShaping"),
    tests("PDFVerify", "BookExpectations PDFBook PDFTestSupport ImageCodecs ImageCore TextShaping COpenJPEG"),
    tests("LuaRuntime"),
    tests("LuaBindings", "LuaRuntime BookComposing ImagePipeline ImageCodecs ImageOperations ImageCore Scheduling"),
    tests("BenchReport"),
    tests("CommandInterface", "ImageCore"),
    tests("OneLiners", "CommandInterface ImageCore ImagePipeline"),
    tests("Reporting", "CommandInterface ImageCore ImagePipeline PictureTraits Scheduling"),
    tests("ClusterRuns", "CommandInterface Sharding ImageCore ImagePipeline Platform"),
    .testTarget(
      name: "EndToEndTests",
      dependencies: targets("CReferenceColour ImageCore ImageCodecs Platform PictureTestSupport TestSupport"),
      swiftSettings: strict),
  ],
  cLanguageStandard: .gnu17
)

package.products += package.targets.map(\.name).filter { $0.hasSuffix("Plugin") }.map {
  .library(name: $0, type: .dynamic, targets: [$0])
}

// The fuzzed parsers of untrusted bytes. Usually a test replays the files of the corpus. Scripts/dev/fuzz builds a
// program instead, because libFuzzer has its own main function.
let fuzzed =
  "BookComposing BookExpectations ClusterRuns ImageCodecs ImageCore ImageMetadata ImagePipeline LuaBindings PDFBook "
  + "PDFVerify PluginHost Reporting RowCompression Sharding CZlib Platform"
package.targets.append(
  Context.environment["IMGHOST_FUZZ"] == nil
    ? .testTarget(
      name: "FuzzersTests", dependencies: targets(fuzzed), path: "Tests/Fuzzers", exclude: ["Corpus", "Program"],
      swiftSettings: strict)
    : .executableTarget(
      name: "imghost-fuzzer", dependencies: targets(fuzzed), path: "Tests/Fuzzers", exclude: ["Corpus", "Replay"],
      swiftSettings: strict, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]))

// Scripts/dev/quick and Scripts/dev/check-scheduling build only one module, its dependencies and its tests.
if let module = Context.environment["IMGHOST_MODULE"] {
  var wanted: Set<String> = []
  func want(_ name: String) {
    guard let target = package.targets.first(where: { $0.name == name }), wanted.insert(name).inserted else { return }
    for case .byNameItem(let dependency, _) in target.dependencies { want(dependency) }
  }
  // The programs and plugins that the tests of a module start.
  let workers =
    ["imghost-plugin-worker", "CIsolationProbe"] + package.targets.map(\.name).filter { $0.hasSuffix("Plugin") }
  let started = [
    "EndToEnd": workers + ["imghost", "imghost-verify"], "PDFVerify": ["imghost-verify"], "PluginHost": workers,
  ]
  ([module, module + "Tests"] + (started[module] ?? [])).forEach(want)
  package.targets.removeAll { !wanted.contains($0.name) }
  package.products.removeAll { product in
    !((product as? Product.Library)?.targets ?? []).allSatisfy(wanted.contains)
  }
}
