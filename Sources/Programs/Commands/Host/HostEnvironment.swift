import BookComposing
import CommandInterface
import ImageCodecs
import ImageCore
import ImageOperations
import ImagePipeline
import LuaBindings
import Platform
import PluginCodecs
import PluginHost
import Reporting
import Scheduling

/// The environment in which the engine runs: all codecs, operations, sinks and plugins of this program.
final class HostEnvironment: Sendable {
  let plugins: PluginHost
  /// The codec plugins; `recognise` also returns built-in codecs.
  let codecs: CodecRegistry
  let environment: Environment
  /// The identities of this build, of plugin libraries and of fonts that the recipes of outputs contain; see
  /// `RecipeFacts`.
  let answers = RecipeFacts.Answers()
  /// The Lua plugins: those in `pluginFolders`, and then those in the folder `plugins` beside the script.
  let luaPlugins: LuaPluginFiles

  /// - Parameters:
  ///   - workers: the maximum number of concurrent calls of a plugin that is not a codec, and of the verifier's
  ///     threads.
  ///   - memory: the maximum number of bytes for the verifier's pages.
  ///   - pluginsInProcess: whether plugins run in this process, without isolation.
  ///   - isolation: the decoders that run in worker processes.
  ///   - pluginDeadline: the time limit of a plugin call for each started 100 megapixels, unless a codec declares its
  ///     own; nil for the default.
  ///   - workerCommand: the command under which the workers of plugins run, see `WorkerCommand`; nil for none.
  ///   - onPluginEvent: called with the messages and the progress of each plugin, on the thread that waits for the
  ///     plugin, or on any thread of a plugin that runs in this process.
  init(
    workers: Int = Machine.detect().effectiveCores,
    memory: Int = 2 << 30, pluginsInProcess: Bool = false, isolation: CodecIsolation = .codecs,
    pluginDeadline: Duration? = nil, workerCommand: String? = nil,
    onPluginEvent: @escaping @Sendable (PluginEvent) -> Void = { _ in }
  ) {
    let folders = Self.pluginFolders
    var configuration = PluginHost.Configuration(
      searchPath: folders
        + PluginFolder.frei0r(
          path: Executable.environment("FREI0R_PATH"), home: Executable.environment("HOME")),
      worker: Executable.worker)
    configuration.workersPerPlugin = workers
    if let pluginDeadline { configuration.deadline = pluginDeadline }
    configuration.cacheFolder = Self.descriptionFolder
    configuration.inProcess = pluginsInProcess
    configuration.verdicts = .standard
    configuration.workerCommand = workerCommand
    let plugins = PluginHost(configuration, onEvent: onPluginEvent)
    self.plugins = plugins
    let registry = CodecRegistry(plugins, isolation: isolation)
    codecs = registry
    luaPlugins = LuaPluginFiles(
      paths: { script in
        let beside = (script ?? "").isEmpty ? "plugins" : script! + "/plugins"
        return (folders + [PluginFolder(path: beside, isExpected: false)])
          .flatMap { $0.luaFiles() }
      },
      native: { plugins.path(ofPlugin: $0, before: $1) })
    let verifier = VerifierProgram(
      path: VerifierProcess.path, jobs: workers, memory: memory,
      beforeEnding: { Terminal.progress("") })
    let colours = ProfileConverter(registry)
    let tools = Self.bookTools(verifier, colours)
    var environment = Environment(
      codecs: CodecList.all,
      recognise: { file throws(PictureError) in try registry.recognise(file) },
      operations: OperationList.all,
      opening: Self.opening,
      sinks: [BookSink.definition(tools)])
    environment.measurements = MeasurementList.all
    environment.measureTraits = MeasurementList.traits
    environment.traitsFolder = Self.cacheFolder("traits")
    environment.colours = colours
    environment.showPart = { PartResize($0, width: $1, height: $2) }
    environment.textPicture = OperationList.textPicture
    environment.reduce = { side, isCoarse in
      Self.resize([("width", .integer(side)), ("height", .integer(side)), ("fit", .text("inside"))]) {
        arguments throws(OperationError) in
        var resize = try Resize(arguments)
        resize.isCoarse = isCoarse
        return resize
      }
    }
    environment.scale = { Self.resize([("width", .integer($0)), ("height", .integer($1)), ("fit", .text("fill"))]) }
    environment.moreCodecs = { registry.all }
    environment.codecRemedy = { registry.remedy(writing: $0) }
    environment.plugin = { Self.plugin($0, plugins) }
    environment.pluginNames = { plugins.names() }
    environment.documents = DocumentVerifier(verifier)
    environment.pluginRefusals = { name in
      let refusals = plugins.refusals(ofPlugin: name).compactMap(\.refusal)
      return refusals.isEmpty ? ShippedPlugins.remedy(name).map { [$0] } ?? [] : refusals
    }
    environment.pluginVersion = { plugins.version(ofPlugin: $0) }
    environment.pluginFile = { plugins.path(ofPlugin: $0) }
    environment.recipes = CodeFacts.recipes(plugins).noting(in: answers)
    self.environment = environment
  }

  /// Returns the functions of other modules that the code for books needs.
  private static func bookTools(_ verifier: VerifierProgram, _ colours: ProfileConverter) -> BookTools {
    let jpeg = JPEGCodec()
    return BookTools(
      resize: { resize($0) }, focusSearch: focusSearch, pageCodec: jpeg,
      pageArguments: { pageArguments(jpeg, quality: $0, subsampling: $1) },
      decodePage: { bytes throws(PictureError) in
        try jpeg.makeDecoder(bytes.withUnsafeBytes { Array($0) })
      },
      verifier: verifier, colours: colours,
      templates: { source in
        try TemplateFile.value(of: source) { reason in
          Terminal.error("imghost: the templates: " + reason)
          _exit(ExitStatus.scriptFailed.rawValue)
        }
      })
  }

  private static let opening = OpeningSteps(
    orient: { AutoOrient($0) }, named: AutoOrient.descriptor.name, convert: OperationList.toSRGB,
    named: ToProfile.descriptor.name)

  /// The folder of cached plugin descriptions; nil if there is none.
  static var descriptionFolder: String? {
    PluginHost.standardCacheFolder(
      cacheHome: Executable.environment("XDG_CACHE_HOME"), home: Executable.environment("HOME"))
  }

  /// Returns the user's folder for one kind of cached files; nil if there is none.
  static func cacheFolder(_ name: String) -> String? {
    CacheFolder.standardPath(
      name, cacheHome: Executable.environment("XDG_CACHE_HOME"), home: Executable.environment("HOME"))
  }

  /// The folders of native and Lua plugins, in order of precedence.
  static var pluginFolders: [PluginFolder] {
    PluginFolder.standard(
      pluginPath: Executable.environment("IMGHOST_PLUGIN_PATH"), userFolder: userPlugins,
      executableFolder: Executable.folder)
  }

  /// The folder of the plugins that the user has installed; nil for none.
  static var userPlugins: String? {
    PluginFolder.userPath(
      dataHome: Executable.environment("XDG_DATA_HOME"), home: Executable.environment("HOME"))
  }

  /// Returns an operation that converts its inputs to colours that a plugin accepts, and calls the plugin. Nil if there
  /// is no such plugin.
  private static func plugin(_ name: String, _ plugins: PluginHost) -> OperationDefinition? {
    guard let definition = plugins.definition(named: name) else { return nil }
    if definition.descriptor.isSource { return definition }
    let takesAnyRGB = plugins.description(named: name)?.takesAnyRGB ?? false
    return OperationDefinition(definition.descriptor, scaled: definition.scaled) { (arguments) throws(OperationError) in
      PluginColours(try definition.make(arguments), takesAnyRGB: takesAnyRGB)
    }
  }

  /// Returns the file of a native or Lua plugin; nil if there is none.
  func file(ofPlugin name: String) -> String? {
    let lua = LuaPluginCatalog.list(self).first { (try? $0.outcome.get())?.name == name }?.path
    return lua ?? plugins.discover().first { $0.name == name }?.path
  }

  /// Returns the declaration of a native or Lua plugin; nil if there is none.
  func descriptor(ofPlugin name: String) -> OperationDescriptor? {
    let lua = LuaPluginCatalog.list(self).lazy.compactMap { try? $0.outcome.get() }.first { $0.name == name }
    return lua ?? plugins.definition(named: name)?.descriptor
  }

  /// Ends the plugins' workers.
  func invalidate() { plugins.invalidate() }

  private static func resize(_ cut: BookCut) -> Picture.Step {
    var options: [(String, ParameterValue)] = [("width", .integer(cut.width)), ("height", .integer(cut.height))]
    if case .focus(let focus) = cut.position {
      return resize(options + [("x", .number(focus.x)), ("y", .number(focus.y))], FocusFill.descriptor, FocusFill.init)
    }
    if cut.position != .gravity(.centre) { options.append(("position", .text(cut.position.name))) }
    if cut.way != .scaled { options.append(("reduce", .boolean(false))) }
    return cut.keepsHeads ? resize(options, Resize.descriptor, BookFill.init) : resize(options)
  }

  private static func resize(
    _ options: [(String, ParameterValue)], _ descriptor: OperationDescriptor = Resize.descriptor,
    _ make: (Arguments) throws -> any PictureOperation = Resize.init
  ) -> Picture.Step {
    do {
      let arguments = try Arguments(RawArguments(named: options), for: descriptor)
      return .operation(name: "resize", try make(arguments), arguments)
    } catch {
      preconditionFailure("resize does not take what a book asks for: \(error)")
    }
  }

  /// The search for the focus of a picture, in a small version that is never larger than the picture.
  private static let focusSearch = FocusSearch(
    preview: resize([
      ("width", .integer(FocusPreview.side)), ("height", .integer(FocusPreview.side)),
      ("fit", .text("inside")), ("enlarge", .boolean(false)),
    ]),
    find: { rows, width, height, strategy, keepsHeads, context throws(PictureError) in
      try FocusPreview.focus(of: rows, width: width, height: height, strategy, keepsHeads: keepsHeads, context)
    })

  private static func pageArguments(_ codec: JPEGCodec, quality: Int, subsampling: String) -> Arguments {
    let raw = RawArguments(named: [("quality", .integer(quality)), ("subsampling", .text(subsampling))])
    do {
      return try Arguments(raw, parameters: codec.saveParameters, positionalCount: 0)
    } catch {
      preconditionFailure("the page codec does not take a quality and subsampling: \(error)")
    }
  }
}

/// The image plugins that ship with imghost, for messages about missing files.
enum ShippedPlugins {
  /// The file of each plugin, by the plugin's name.
  private static let files = [
    "duotone": "duotone.lua", "film_grain": "libFilmGrainPlugin.so", "halftone": "libHalftonePlugin.so",
    "luma_sharpen": "libLumaSharpenPlugin.so", "mask_blend": "libMaskBlendPlugin.so",
    "test_card": "libTestCardPlugin.so", "vignette": "libVignettePlugin.so",
  ]

  /// Returns advice on what to install if a plugin was not found; nil for a plugin that does not ship with imghost.
  static func remedy(_ name: String) -> String? {
    files[name].map {
      "its file \($0) is missing; install the package imghost, or name the file's folder in IMGHOST_PLUGIN_PATH"
    }
  }
}

extension ScriptReference {
  /// The reference for this program's codecs and operations.
  static var own: ScriptReference {
    ScriptReference(
      operations: OperationList.all.map(\.descriptor), codecs: CodecList.all, measurements: MeasurementList.all,
      textPicture: OperationList.textPicture.descriptor, bookParameters: BookOptions.all)
  }
}
