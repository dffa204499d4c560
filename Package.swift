// swift-tools-version: 6.2
import PackageDescription

/// Whether this is a build of Scripts/dev/check-sanitizers. Its programs use Swift's shared library.
let isSanitized = Context.environment["IMGHOST_SANITIZED"] != nil
/// Whether this is a build of Scripts/dev/package for the portable files.
let isPortable = Context.environment["IMGHOST_PORTABLE"] != nil

/// The settings of the modules of the product `Scheduling`: Swift 6 language mode, and warnings as errors. They have no
/// unsafe flags, because other packages can then depend on a version of it.
let published: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
/// The settings of every other Swift module.
let strict = published + (isSanitized ? [.define("SANITIZED")] : [])
/// The settings of modules with pixel loops. Debug builds optimise them, too; otherwise they would be 100 times slower.
let kernel: [SwiftSetting] = strict + [.unsafeFlags(["-O"])]
/// The settings of every C module: warnings as errors.
let strictC: [CSetting] = [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]
/// These have an older format of debug information, because valgrind 3.19 of Debian 12 stops at the newer one.
let optimisedC = strictC + [.unsafeFlags(["-O2", "-gdwarf-4"])]

let linking = "\(Context.packageDirectory)/Sources/Programs/imghost/Linking"

/// Returns settings with these linker flags on Linux; none for sanitizers.
func linker(_ flags: String...) -> [LinkerSetting] {
  isSanitized ? [] : [.unsafeFlags(flags, .when(platforms: [.linux]))]
}

/// Links Swift's library statically, so that users need not install it, and does not export its 13,000 names, which the
/// loader would search for each name that a shared library imports.
let ownSwift = linker("-static-stdlib", "-use-ld=lld", "-Xlinker", "--no-export-dynamic")
/// Links the needed parts of the C++ library statically, too; see `Linking`. Programs that link C++ libraries must not
/// use this, because they would load a second C++ library.
let selfContained = ownSwift + linker("-L\(linking)")
/// Links no shared library that is needed at the start. If `/proc` is not mounted, the loader cannot find those of the
/// portable files. So `CLateLibraries` opens libraries when they are used, and Lua and zlib are linked statically.
let withoutLibraries =
  linker("-Xclang-linker", "-static-libgcc")
  + ["isal", "jpeg", "spng"].flatMap { linker("-Xlinker", "--remap-inputs=*/lib\($0).so=/dev/null") }
  + (isPortable ? ["lua5.4", "z"] : []).flatMap {
    linker("-Xlinker", "--remap-inputs=*/lib\($0).so=\(linking)/Portable/lib\($0).so")
  }
/// Links Swift's library into a plugin and hides it, so that a program can load several plugins, each with its own
/// copy. In the portable files, plugins share one library, which saves a seventh of the download.
let ownSwiftHidden = isPortable ? linker("-use-ld=lld") : selfContained + linker("-Xlinker", "--exclude-libs=ALL")
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
func libraries(_ list: String) -> [LinkerSetting] { words(list).map { .linkedLibrary($0) } }

/// Returns a Swift module, named like its folder in `Sources` or `Tests` unless `name` is given. It may import only the
/// modules in `dependencies`, which lie in its own layer or in one below it; `Scripts/dev/check-structure` checks this.
func module(
  _ path: String, _ dependencies: String = "", _ settings: [SwiftSetting] = strict, named name: String? = nil,
  exclude: [String] = [], linking: [LinkerSetting] = []
) -> Target {
  .target(
    name: name ?? String(path.split(separator: "/").last!), dependencies: targets(dependencies),
    path: path.hasPrefix("Tests/") ? path : "Sources/" + path, exclude: exclude, swiftSettings: settings,
    linkerSettings: linking)
}

/// Returns a C module, for code that Swift cannot express.
func shim(
  _ path: String, _ dependencies: String = "", _ settings: [CSetting] = optimisedC, named name: String? = nil,
  exclude: [String] = [], linking: [LinkerSetting] = []
) -> Target {
  let shim = module(path, dependencies, [], named: name, exclude: exclude, linking: linking)
  shim.cSettings = settings
  return shim
}

/// Returns a module for a library of the system. `config` is its name for pkg-config, or a file in the module's folder;
/// `package` is Debian's package.
func library(_ name: String, _ config: String, _ package: String) -> Target {
  let path = "Sources/System/\(name)"
  let file = config.hasSuffix(".pc") ? "\(Context.packageDirectory)/\(path)/\(config)" : config
  return .systemLibrary(name: name, path: path, pkgConfig: file, providers: [.apt([package])])
}

/// Returns the settings of pixel loops for the oldest processor with an instruction set, by LLVM's name for it.
/// InstructionSets/Baseline/Vector.swift explains why each set is compiled separately.
func kernel(_ instructionSet: String, _ processor: String) -> [SwiftSetting] {
  #if arch(x86_64)
    kernel + [.unsafeFlags(["-D", "ISA_\(instructionSet)", "-target-cpu", processor])]
  #else
    kernel
  #endif
}

func program(_ name: String, _ dependencies: String, exclude: [String] = [], linking: [LinkerSetting]) -> Target {
  .executableTarget(
    name: name, dependencies: targets(dependencies), path: "Sources/Programs/\(name)", exclude: exclude,
    swiftSettings: strict, linkerSettings: linking)
}

/// Returns a plugin that ships with imghost, as a shared library `lib<Name>Plugin.so`. `modules` are those that a
/// plugin in Swift uses, or the libraries whose headers need flags.
func plugin(_ name: String, inSwift: Bool = false, using modules: String = "", linking names: String = "") -> Target {
  .target(
    name: "\(name)Plugin", dependencies: targets("CPluginABI " + modules), path: "Plugins/\(name)",
    exclude: ["README.md"], cSettings: optimisedC,
    swiftSettings: inSwift ? kernel + [.unsafeFlags(["-dwarf-version=4"])] : [],
    linkerSettings: libraries(names) + (inSwift ? ownSwiftHidden : noSwift))
}

/// Returns the tests of a module. They may also import what the module imports, and the modules in `dependencies`.
func tests(
  _ module: String, _ dependencies: String = "", _ settings: [SwiftSetting] = strict, exclude: [String] = [],
  resources: [Resource] = []
) -> Target {
  .testTarget(
    name: "\(module)Tests", dependencies: targets("TestSupport " + dependencies), exclude: exclude,
    resources: resources, swiftSettings: settings)
}

// MARK: The package

let imageKernels = "Pictures/ImageKernels/InstructionSets/"
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
  targets: words("CEmbeddedFiles CPopplerData CProcessor CSandbox CThreadSanitizer CWebServer CWorkerMemory").map {
    shim("System/\($0)")
  } + [
    library("CLua", "lua5.4", "liblua5.4-dev"),
    library("CJPEG", "libjpeg", "libjpeg62-turbo-dev"),
    library("CFrei0r", "frei0r", "frei0r-plugins-dev"),
    library("CISAL", "libisal", "libisal-dev"),
    library("COpenJPEG", "libopenjp2", "libopenjp2-7-dev"),
    library("CPNG", "spng", "libspng-dev"),
    library("CPoppler", "poppler.pc", "libpoppler-glib-dev"),
    library("CGLib", "glib.pc", "libcairo2-dev"),
    library("CZlib", "zlib", "zlib1g-dev"),
    shim("System/CPlatform", "", strictC),
    shim("System/CExitCleanup", "", strictC),
    shim("System/CJPEGFence", "CJPEG"),
    shim("System/CLuaFence", "CLua"),
    shim("System/CProcesses", linking: shownToPlugins),
    shim("System/CMemoryGuard", "CExitCleanup"),
    shim("System/CText", "CExitCleanup"),
    shim("System/CLateLibraries", "CExitCleanup CISAL CJPEG CPNG"),
    module("System/Platform", "CPlatform", published),
    shim("Pictures/CInkProfile", exclude: ["FOGRA39.icc", "LICENSE"]),
    module("Pictures/ImageCore", "CExitCleanup CInkProfile CProcessor CThreadSanitizer Platform", kernel),
    shim("Pictures/ImageKernels/Requests", named: "CKernels"),
    module(imageKernels + "Baseline", "CKernels CProcessor", kernel, named: "ImageKernelsBaseline"),
    module(imageKernels + "V3", "CKernels CProcessor", kernel("V3", "haswell"), named: "ImageKernelsV3"),
    module(imageKernels + "V4", "CKernels CProcessor", kernel("V4", "cascadelake"), named: "ImageKernelsV4"),
    module(
      "Pictures/ImageKernels", "CKernels CProcessor ImageKernelsBaseline ImageKernelsV3 ImageKernelsV4 Platform",
      kernel, exclude: ["InstructionSets", "Requests"]),
    module("Pictures/PictureTraits", "ImageCore Platform", kernel),
    module("Pictures/JPEGDecoding/Tables", "", kernel, named: "JPEGTables"),
    module("Pictures/JPEGDecoding/InstructionSets/Baseline", "JPEGTables", kernel, named: "JPEGKernelsBaseline"),
    module("Pictures/JPEGDecoding/InstructionSets/V3", "JPEGTables", kernel("V3", "haswell"), named: "JPEGKernelsV3"),
    module(
      "Pictures/JPEGDecoding", "ImageKernels JPEGTables JPEGKernelsBaseline JPEGKernelsV3 Platform", kernel,
      exclude: ["Tables", "InstructionSets"]),
    module("Pictures/RowCompression", "ImageCore CZlib", kernel),
    module("Pictures/ImageMetadata", "ImageCore"),
    module("Pictures/VectorShapes", "", kernel),
    module("Pictures/TextShaping", "ImageCore VectorShapes CText Platform"),
    module(
      "Pictures/ImageOperations",
      "ImageCore ImageKernels ImageMetadata PictureTraits RowCompression TextShaping VectorShapes Platform", kernel),
    module(
      "Pictures/ImageCodecs",
      "ImageCore ImageKernels ImageMetadata RowCompression JPEGDecoding JPEGTables CJPEGFence "
        + "CPNG CISAL Platform", kernel),
    module("Engine/Scheduling", "CExitCleanup CPlatform Platform", published),
    module("Engine/RunTrace", "ImageCore Scheduling"),
    module("Engine/VerifierOptions", "ImageCore"),
    module(
      "Engine/ImagePipeline", "VerifierOptions CExitCleanup ImageCore ImageMetadata PictureTraits Scheduling Platform"
    ),
    module("Engine/Sharding", "ImageCore ImagePipeline Scheduling Platform"),
    module("Engine/RunRecords", "ImageCore ImagePipeline Sharding Scheduling Platform"),
    shim("Engine/CPluginABI"),
    shim("Engine/CGLibMessages", "CPluginABI CGLib"),
    shim("Engine/CIsolationProbe", "", strictC, linking: noSwift),
    module("Engine/PluginHost", "ImageCore CPluginABI CFrei0r CPlatform CProcesses CSandbox Platform"),
    module("Engine/CodecExport", "CPluginABI ImageCore"),
    module("Engine/OperationExport", "CPluginABI"),
    module("Engine/PluginCodecs", "ImageCore ImageCodecs ImageMetadata PluginHost"),
    module("Books/BookDesign", "CEmbeddedFiles ImageCore PictureTraits Platform", exclude: ["Styles"]),
    module("Books/BookExpectations", "ImageCore"),
    module(
      "Books/PDFBook",
      "BookDesign BookExpectations ImageCore PictureTraits RowCompression TextShaping CISAL CText CZlib Platform"),
    module(
      "Books/BookComposing",
      "BookDesign BookExpectations VerifierOptions ImageCore ImagePipeline PDFBook PictureTraits "
        + "TextShaping CExitCleanup Platform Scheduling"),
    module(
      "Books/PDFVerify", "BookExpectations ImageCore RowCompression COpenJPEG CPoppler CPopplerData CZlib Platform"),
    module("Scripting/LuaRuntime", "CEmbeddedFiles CLua CLuaFence Platform", exclude: ["Sandbox/Sandbox.lua"]),
    module(
      "Scripting/LuaBindings",
      "LuaRuntime BookComposing BookDesign ImagePipeline PictureTraits Scheduling ImageCore Platform",
      exclude: ["Prelude", "Testing/Test.lua"]),
    module("Programs/CommandInterface", "ImageCore ImagePipeline Scheduling Platform"),
    module(
      "Programs/Reporting",
      "BookComposing CommandInterface ImageCore ImagePipeline PluginHost RunTrace Scheduling Platform"),
    module(
      "Programs/Preview", "BookComposing CEmbeddedFiles CWebServer ImageCore ImagePipeline Platform Scheduling",
      named: "PreviewServer", exclude: ["Page"]),
    module("Programs/ClusterRuns", "CommandInterface Reporting Sharding ImageCore ImagePipeline Scheduling Platform"),
    module("Programs/OneLiners", "BookComposing CommandInterface ImageCore ImagePipeline PictureTraits Platform"),
    module(
      "Programs/Commands",
      "ImageCore ImageKernels ImageMetadata ImageOperations ImageCodecs Scheduling RunTrace "
        + "ImagePipeline PluginCodecs PluginHost CPluginABI CommandInterface Reporting RunRecords Sharding VerifierOptions "
        + "BookComposing BookDesign ClusterRuns OneLiners PreviewServer LuaBindings LuaRuntime TextShaping CExitCleanup "
        + "CProcesses Platform"),
    program(
      "imghost", "Commands CommandInterface ImageCore CLateLibraries CMemoryGuard Platform",
      exclude: ["Linking"], linking: selfContained + withoutLibraries),
    program(
      "imghost-verify",
      "VerifierOptions BookExpectations ImageCore ImageCodecs PDFVerify CMemoryGuard Platform", linking: ownSwift),
    program(
      "imghost-plugin-worker", "CPluginABI CProcesses CSandbox CWorkerMemory PluginHost ImageCore Platform",
      // Authors of plugins run it under Debian's valgrind and gdb, which cannot read Swift's debug information.
      linking: selfContained + linker("-Xlinker", "--strip-debug")),
    module("Programs/BenchReport", "ImageCore"),
    program("imghost-bench", "BenchReport ImageCodecs ImageCore Scheduling Platform", linking: []),
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
    plugin("SVG", using: "CGLibMessages CGLib", linking: "rsvg-2 gio-2.0 gobject-2.0 glib-2.0 cairo"),
    // Under the GPL, because poppler is; shipped separately, like imghost-verify.
    plugin(
      "PDF", using: "CGLibMessages CPoppler CPopplerData",
      linking: "poppler-glib gio-2.0 gobject-2.0 glib-2.0 cairo m"),
    // Tests, and modules that they share.
    module("Tests/TestSupport", "", kernel),
    module("Tests/PictureTestSupport", "ImageCore ImageCodecs", kernel),
    shim("Tests/CTestJPEG", "CJPEG"),
    module("Tests/PDFTestSupport", "CTestJPEG PDFBook ImageCore"),
    shim("Tests/CReferencePNG", linking: libraries("png16")),
    shim("Tests/CReferenceColour", linking: libraries("lcms2 m")),
    tests("ImageOperations", "ImageCodecs", kernel),
    tests("BookDesign", "LuaBindings"),
    tests("ImageCodecs", "CReferencePNG CTestJPEG CZlib", resources: [.copy("Fixtures")]),
    tests("ImagePipeline", "ImageOperations"),
    tests("PluginHost", "PluginCodecs ImageCodecs", exclude: ["Fixtures"]),
    tests("PDFBook", "PDFTestSupport"),
    tests("PDFVerify", "PDFBook PDFTestSupport ImageCodecs TextShaping"),
    tests("LuaBindings", "ImageCodecs ImageOperations"),
    tests("Reporting", "PictureTraits"),
    tests("EndToEnd", "CReferenceColour ImageCore ImageCodecs Platform PictureTestSupport"),
  ],
  cLanguageStandard: .gnu17
)

package.targets += words(
  "BenchReport BookComposing BookExpectations ClusterRuns CommandInterface ImageCore ImageMetadata LuaRuntime OneLiners "
    + "PictureTraits RunRecords RunTrace Scheduling Sharding"
).map { tests($0) }
// These have slow reference implementations.
package.targets += words("ImageKernels JPEGDecoding RowCompression VectorShapes").map { tests($0, "", kernel) }
for tests in package.targets where tests.type == .test {
  guard let module = package.targets.first(where: { $0.name + "Tests" == tests.name }) else { continue }
  tests.dependencies += module.dependencies + [.byName(name: module.name)]
}
let plugins = package.targets.map(\.name).filter { $0.hasSuffix("Plugin") }
package.products += plugins.map { .library(name: $0, type: .dynamic, targets: [$0]) }

// The fuzzed parsers of untrusted bytes. Usually a test replays the files of the corpus. Scripts/dev/fuzz builds a
// program instead, because libFuzzer has its own main function.
let fuzzed = targets(
  "BookComposing BookExpectations ClusterRuns ImageCodecs ImageCore ImageMetadata ImagePipeline LuaBindings PDFBook "
    + "PDFVerify PluginHost Reporting RowCompression Sharding CZlib Platform")
package.targets.append(
  Context.environment["IMGHOST_FUZZ"] == nil
    ? .testTarget(
      name: "FuzzersTests", dependencies: fuzzed, path: "Tests/Fuzzers", exclude: ["Corpus", "Program"],
      swiftSettings: strict)
    : .executableTarget(
      name: "imghost-fuzzer", dependencies: fuzzed, path: "Tests/Fuzzers",
      exclude: ["Corpus", "Replay"], swiftSettings: strict,
      linkerSettings: linker("-sanitize=fuzzer,address", "-use-ld=lld")))

// Scripts/dev/quick and Scripts/dev/check-scheduling build only one module, its tests, the programs and plugins that
// the tests start, and the dependencies of all these. A target is listed after its dependencies.
if let module = Context.environment["IMGHOST_MODULE"] {
  let workers = ["imghost-plugin-worker", "CIsolationProbe", "imghost-isolation-probe"] + plugins
  let started = [
    "EndToEnd": workers + ["imghost", "imghost-verify"], "PDFVerify": ["imghost-verify"], "PluginHost": workers,
  ]
  var wanted = Set([module, module + "Tests"] + (started[module] ?? []))
  for target in package.targets.reversed() where wanted.contains(target.name) {
    for case .byNameItem(let name, _) in target.dependencies { wanted.insert(name) }
  }
  package.targets.removeAll { !wanted.contains($0.name) }
  package.products.removeAll { !wanted.contains($0.name) }
}
