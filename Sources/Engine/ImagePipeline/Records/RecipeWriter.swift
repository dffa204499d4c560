import ImageCore
import ImageMetadata
import Platform

/// Writes the recipes of a plan's outputs and of a script's measurements. Only the script's thread uses it.
final class RecipeWriter {
  private let facts: RecipeFacts
  /// The shrink factors that outputs with the same source share; nil for pictures that are not outputs.
  private let sharedShrinks: SharedShrinks?
  private let locale: TimeLocale
  private let requests: [ObjectIdentifier: OutputRequest]
  private let environment: Environment
  private let operations: RecipeDefaults
  private var options: [OptionsKey: (parameters: [ParameterDescriptor], defaults: RecipeDefaults)] = [:]
  private let plugins: RecipePlugins
  private var texts: Set<String> = []
  /// The digests of recipes without the lines that affect only metadata, by recipe.
  private var pixels: [String: SHA256Digest] = [:]
  private var requestLines: [RequestKey: RequestLines] = [:]
  private lazy var build = Self.line("imghost", "build", facts.build())
  private lazy var converter = facts.colours()
  private lazy var colours = Self.line("colours", "plugin", converter?.code ?? "none")
  private lazy var environmentOfText = [
    Self.line("text", "fonts", facts.fonts()), Self.line("text", "time zone", Self.variable("TZ")),
    Self.line("text", "language", "\(localeMark) \(Self.variablesOfText.map(Self.variable).joined(separator: " "))"),
  ]
  private var localeMark: Substring { SHA256.digest(of: Array("\(locale)".utf8)).description.prefix(8) }
  private static let variablesOfText = ["LC_ALL", "LC_CTYPE", "LANG", "FC_LANG", "PANGO_LANGUAGE", "HB_SHAPER_LIST"]

  /// The paths of the plugins and programs that the recipes depend on.
  var read: Set<String> { plugins.read }

  convenience init(_ plan: Plan, _ environment: Environment) {
    self.init(environment, plan.locale, plan.requests, plan.facts.sharedShrinks)
  }

  init(
    _ environment: Environment, _ locale: TimeLocale, _ requests: [OutputRequest] = [],
    _ sharedShrinks: SharedShrinks? = nil
  ) {
    (facts, self.locale, self.sharedShrinks) = (environment.recipes, locale, sharedShrinks)
    self.requests = Dictionary(
      requests.map { (ObjectIdentifier($0.job), $0) }, uniquingKeysWith: { first, _ in first })
    self.environment = environment
    operations = RecipeDefaults(
      (environment.operations + [environment.textPicture].compactMap(\.self)).map(\.descriptor))
    plugins = RecipePlugins(facts, operations)
  }

  private struct Draft {
    var lines: [String] = []
    /// The indices of lines that affect only metadata.
    var metadataLines: Set<Int> = []
    /// The part of `metadataLines` that operations add. The line of the option `metadata` is not among them, because
    /// this option may change colours.
    var metadataOperationLines: Set<Int> = []
    var sources: [String] = []
    /// The versions of the sources when this run read them; nil if unknown.
    var versions: [FileVersion?] = []
    var numbers: [RealPaths.Path: Int] = [:]
    /// The arguments that name files. These are numbered after the pictures.
    var files: [FileArgument] = []
    var drawsText = false
    var convertsColours = false
    var reasonToMake: String?
    var defaults: RecipeDefaults?

    mutating func number(of path: String) -> Int {
      if let known = numbers[RealPaths.Path(path)] { return known }
      sources.append(path)
      versions.append(nil)
      numbers[RealPaths.Path(path)] = sources.count
      return sources.count
    }
  }

  func recipe(of file: FileOutput) -> OutputRecipe {
    var draft = Draft()
    describe(file.job, file.format.codec, [], &draft)
    let option = Self.line(file.job.kind.rawValue, MetadataChoice.parameter.name, "")
    for (index, line) in draft.lines.enumerated() where line.hasPrefix(option) { draft.metadataLines.insert(index) }
    add(file.format.codec, "save", &draft)
    describe(file.picture, isDecoded: file.use == nil, &draft)
    if let use = file.use { draft.lines.append(Self.line("save", "source", "\(use)")) }
    return finished(
      draft, hasOwnMetadata: file.use == nil && file.goal == nil,
      ignoresMetadata: file.use == nil && file.format.ignoresMetadata)
  }

  /// - Parameter entries: the entries of the document, in their order.
  func recipe(of document: any Document, _ entries: [DocumentEntry]) -> OutputRecipe {
    var draft = Draft()
    describe(document.job, document.codec, document.optionsWithoutEffect, &draft)
    draft.drawsText = document.drawsText || draft.drawsText
    if let codec = document.codec {
      add(codec, document.job.kind.rawValue, &draft)
    } else {
      let date = Int(Self.variable("SOURCE_DATE_EPOCH")).map(String.init) ?? ""
      draft.lines.append(Self.line(document.job.kind.rawValue, "SOURCE_DATE_EPOCH", date))
    }
    for entry in entries {
      let page = "page \(entry.index + 1)"
      draft.lines.append(Self.line(page, "is", entry.copiesSource == nil ? "encoded" : "a copy"))
      // Texts may depend on the names of files, which the picture's lines do not contain.
      let texts = document.texts(of: entry)
      if !texts.isEmpty { draft.lines.append(Self.line(page, "text", texts)) }
      describe(entry.picture, isDecoded: entry.copiesSource == nil, &draft)
    }
    return finished(draft, ignoresMetadata: document.ignoresMetadata)
  }

  /// Returns the recipe of a pack, a shard's file of pages of a document.
  func recipe(ofPackOf document: any Document, _ entries: [DocumentEntry]) -> OutputRecipe {
    var draft = Draft()
    describe(document.job, document.codec, document.optionsWithoutEffect, &draft)
    draft.drawsText = document.drawsText || draft.drawsText
    for entry in entries {
      let facts = SHA256.digest(of: Array(document.packedFacts(of: entry).utf8))
      draft.lines.append(
        Self.line("page \(entry.index + 1)", entry.copiesSource == nil ? "encoded" : "a copy", facts.description))
      describe(entry.picture, isDecoded: entry.copiesSource == nil, &draft)
    }
    return finished(draft)
  }

  /// Returns the recipes of the pages that a later document could reuse.
  func recipes(ofPages entries: [DocumentEntry]) -> [EntryRecipe] {
    entries.compactMap { entry in
      guard let facts = entry.document.facts(of: entry) else { return nil }
      var draft = Draft()
      draft.lines.append(
        Self.line("page", entry.copiesSource == nil ? "encoded" : "a copy", RecipeText.escaped(facts)))
      describe(entry.picture, isDecoded: entry.copiesSource == nil, &draft)
      guard draft.reasonToMake == nil else { return nil }
      return EntryRecipe(index: entry.index, recipe: finished(draft), isEncoded: entry.copiesSource == nil)
    }
  }

  /// - Parameter measurement: the name of the measurement.
  func recipe(of measurement: String, _ arguments: Arguments, in picture: Picture) -> OutputRecipe {
    var draft = Draft()
    draft.lines.append(Self.line(measurement, "is", "measured"))
    add(measurement, arguments.given, operations, &draft)
    describe(picture, isDecoded: false, &draft)
    return finished(draft)
  }

  /// - Parameters:
  ///   - hasOwnMetadata: whether the output's metadata can be replaced while its coded pixels stay the same.
  ///   - ignoresMetadata: whether the output carries over no metadata of its sources.
  private func finished(_ draft: Draft, hasOwnMetadata: Bool = false, ignoresMetadata: Bool = false) -> OutputRecipe {
    var draft = draft
    for file in draft.files {
      let number = draft.number(of: file.path)
      draft.versions[number - 1] = draft.versions[number - 1] ?? file.version
      draft.lines.append(Self.line(file.subject, file.name, "source \(number)"))
    }
    if draft.convertsColours, let converter { plugins.read.insert(converter.path) }
    let end = (draft.convertsColours ? [colours] : []) + (draft.drawsText ? environmentOfText : [])
    let own =
      ignoresMetadata
      ? draft.lines.enumerated().filter { !draft.metadataOperationLines.contains($0.offset) }.map(\.element)
      : draft.lines
    let lines = [build] + own + end
    // Thousands of outputs may have the same recipe, so its text is shared.
    let text = lines.joined(separator: "\n")
    let shared = texts.insert(text).memberAfterInsert
    if hasOwnMetadata, pixels[shared] == nil {
      let others = draft.lines.enumerated().filter { !draft.metadataLines.contains($0.offset) }.map(\.element)
      pixels[shared] = SHA256.digest(of: Array(([build] + others + end).joined(separator: "\n").utf8))
    }
    return OutputRecipe(
      text: shared, sources: draft.sources, versions: draft.versions, reasonToMake: draft.reasonToMake,
      pixels: hasOwnMetadata ? pixels[shared] : nil, ignoresMetadata: ignoresMetadata,
      defaults: draft.defaults ?? operations)
  }

  // MARK: - Requests

  /// - Parameters:
  ///   - codec: the codec that encodes the job's outputs; nil if they are written without a codec.
  ///   - idle: the options that do not affect this output.
  private func describe(_ job: Job, _ codec: (any PictureCodec)?, _ idle: Set<String>, _ draft: inout Draft) {
    let key = RequestKey(job: ObjectIdentifier(job), codec: codec?.name)
    let request = requests[key.job]
    let (parameters, defaults) = options(of: job.kind, request?.options, codec)
    if draft.defaults == nil { draft.defaults = defaults }
    if requestLines[key] == nil {
      requestLines[key] = request.map { lines(of: $0, codec, parameters, defaults, idle) } ?? RequestLines()
    }
    guard let own = requestLines[key] else { return }
    let facts = own.facts
    draft.lines += own.lines
    draft.files += own.files
    if facts.convertsColours { draft.convertsColours = true }
    draft.reasonToMake = draft.reasonToMake ?? facts.reasonToMake
    // A document that depends on another document also depends on that document's pictures and the lengths of its
    // texts.
    for other in facts.jobs where other !== job {
      draft.drawsText = true
      describe(other, nil, [], &draft)
      for picture in requests[ObjectIdentifier(other)]?.pictures ?? [] { describe(picture, isDecoded: false, &draft) }
    }
  }

  private static let optionsWithoutEffect: Set = [
    SinkParameters.qos.name, SinkParameters.after.name, SinkParameters.note.name,
  ]

  /// A job may write files of several formats, each with other defaults.
  private struct RequestKey: Hashable {
    let job: ObjectIdentifier
    let codec: String?
  }

  private struct OptionsKey: Hashable {
    let kind: Job.Kind
    let layout: TileLayout?
    let codec: String?
  }

  private func options(of kind: Job.Kind, _ given: RawArguments?, _ codec: (any PictureCodec)?) -> (
    parameters: [ParameterDescriptor], defaults: RecipeDefaults
  ) {
    let layout = kind == .tiles ? given.flatMap(TileLayout.init) : nil
    let key = OptionsKey(kind: kind, layout: layout, codec: codec?.name)
    if let known = options[key] { return known }
    let own = layout.map(SinkParameters.tiles) ?? SinkParameters.all(of: kind, environment)
    let parameters = own + (codec?.saveParameters ?? [])
    let known = (parameters, operations.adding(kind.rawValue, parameters))
    options[key] = known
    return known
  }

  /// - Parameters:
  ///   - codec: the codec that encodes the outputs; nil if they are written without a codec. In that case, values that
  ///     equal the defaults have lines, too, because other options may change the defaults.
  ///   - defaults: the values that options have if they are not given.
  ///   - idle: the options that do not affect the outputs.
  private func lines(
    of request: OutputRequest, _ codec: (any PictureCodec)?, _ parameters: [ParameterDescriptor],
    _ defaults: RecipeDefaults, _ idle: Set<String>
  ) -> RequestLines {
    let kind = request.job.kind.rawValue
    let hasGoal = QualityGoal.isSet(in: request.options)
    let options: [(name: String, value: ParameterValue)] = request.options.named.compactMap { option in
      guard let parameter = parameters.first(where: { $0.isNamed(option.name) }) else { return option }
      let name = parameter.name
      if Self.optionsWithoutEffect.contains(name) || idle.contains(name) { return nil }
      let value = parameter.normalised(option.value)
      guard codec != nil else { return (name, value) }
      // The line of the codec already contains the format. With a goal, a given quality limits the search, so the
      // quality is written even if it is the default.
      let isSpecial = hasGoal && name == QualityGoal.parameter
      return name == "format" || !isSpecial && defaults.has(value, of: name, kind) ? nil : (name, value)
    }
    var facts = request.details?.facts(for: request) ?? RequestFacts()
    if options.contains(where: { RecipeText.isPassword($0.name) }) { facts.reasonToMake = "it has a password" }
    let name = Self.line(kind, "format", RecipeText.escaped(codec?.name ?? PathName.fileExtension(request.name)))
    var draft = Draft(lines: [name])
    add(kind, options.filter { !RecipeText.isPassword($0.name) }, defaults, &draft)
    let programs = facts.programs.map { Self.line(kind, "program", plugins.library($0)) }
    return RequestLines(lines: draft.lines + facts.lines + programs, files: draft.files, facts: facts)
  }

  private func add(_ codec: any PictureCodec, _ subject: String, _ draft: inout Draft) {
    if let path = codec.libraryPath {
      draft.lines.append(Self.line(subject, "plugin '\(codec.name)'", plugins.library(path)))
    }
  }

  // MARK: - Pictures

  private func describe(_ picture: Picture, isDecoded: Bool, _ draft: inout Draft) {
    let order = picture.stepsInOrder
    var places: [ObjectIdentifier: Int] = [:]
    for (place, step) in order.enumerated() {
      places[ObjectIdentifier(step)] = place + 1
      // A simple chain is written without numbers, so that an added step does not change the other lines.
      if step.inputs.count > 1 || place > 0 && (step.inputs.isEmpty || step.inputs[0] !== order[place - 1]) {
        let inputs = step.inputs.map { String(places[ObjectIdentifier($0)] ?? 0) }
        draft.lines.append(Self.line("picture \(place + 1)", "made of", inputs.joined(separator: " ")))
      }
      describe(step, &draft)
    }
    // A decoded picture in other colours also needs the converter, because its steps convert the script's colours to
    // the picture's profile.
    if isDecoded, order.contains(where: \.mayConvertColours) { draft.convertsColours = true }
    if isDecoded, let factor = sharedFactor(of: picture) {
      draft.lines.append(Self.line("open", "decoded at", "1/\(factor)"))
    }
  }

  private func describe(_ step: Picture, _ draft: inout Draft) {
    switch step.step {
    case .invalid: draft.reasonToMake = "it is not known how it is made"
    case .canvas(let layout, let colour):
      draft.lines.append(
        Self.line(
          "canvas", "is",
          "\(layout.width)x\(layout.height) \(layout.format) \(RecipeText.text(of: colour))"))
    case .source(let file, let orient, let acceptsDamage): describe(file, orient, acceptsDamage, &draft)
    case .operation(let name, let operation, let arguments):
      let start = draft.lines.count
      draft.lines.append(Self.line(name, "is", "used"))
      let plugin = operations.has(name) ? nil : plugins.plugin(name)
      let defaults = plugin?.defaults ?? operations
      let given = arguments.given.map { ($0.name, defaults.canonical($0.value, of: $0.name, name)) }
      add(name, given.filter { !defaults.has($0.1, of: $0.0, name) }, defaults, &draft, operation.readVersion)
      if operation.changesOnlyMetadata {
        draft.metadataLines.formUnion(start..<draft.lines.count)
        draft.metadataOperationLines.formUnion(start..<draft.lines.count)
      }
      if let text = operation as? FieldText {
        draft.lines.append(Self.line(name, "as drawn", RecipeText.escaped(text.text(for: step))))
        draft.drawsText = true
      }
      if operation.drawsText { draft.drawsText = true }
      if let plugin {
        for (parameter, value) in arguments.given.sorted(by: { $0.name < $1.name }) {
          // A plugin may read any file that a text names.
          guard case .text(let path) = value, FileIdentity.isFile(path) else { continue }
          draft.files.append(FileArgument(subject: name, name: "file of '\(parameter)'", path: path, version: nil))
        }
        draft.lines.append(Self.line(name, "plugin", plugin.identity.code))
        if !plugin.identity.isDeterministic {
          draft.reasonToMake = "plugin '\(name)' may give another result each time"
        }
      }
    }
  }

  private func describe(_ file: PictureFile, _ orient: Bool, _ acceptsDamage: Bool, _ draft: inout Draft) {
    if file.path == PipedInput.standardInput { draft.reasonToMake = "it is made of standard input" }
    let number = draft.number(of: file.path)
    draft.versions[number - 1] = file.version
    let ways = (orient ? "" : " as stored") + (acceptsDamage ? " despite damage" : "")
    draft.lines.append(Self.line("open", "source \(number)", "used" + ways))
    if file.selection.page != 1 { draft.lines.append(Self.line("open", "page", String(file.selection.page))) }
    // A missing sidecar is a source, too, because it may be created later.
    for path in file.sidecarPaths {
      draft.lines.append(Self.line("open", "sidecar \(draft.number(of: path))", "read"))
    }
    if let codec = try? file.read().codec {
      add(codec, "open", &draft)
      if codec.drawsPictures { draft.drawsText = true }
      addOptions(of: file, codec, &draft)
    }
    if PipedInput.isPipe(file.path) { draft.reasonToMake = "it is made of a pipe" }
  }

  private func addOptions(of file: PictureFile, _ codec: any PictureCodec, _ draft: inout Draft) {
    let given = file.selection.options.named
    guard !given.isEmpty else { return }
    let defaults = (draft.defaults ?? operations).adding("open", codec.openParameters)
    draft.defaults = defaults
    if given.contains(where: { RecipeText.isPassword($0.name) }) { draft.reasonToMake = "a picture has a password" }
    let options = given.filter { !RecipeText.isPassword($0.name) }.map { name, value in
      (name, codec.openParameters.first { $0.isNamed(name) }?.normalised(value) ?? value)
    }
    add("open", options.filter { !defaults.has($0.1, of: $0.0, "open") }, defaults, &draft)
  }

  /// Returns the shrink factor used to decode the picture's file, if it differs from the picture's own factor because
  /// other outputs share the decoding; otherwise nil.
  private func sharedFactor(of picture: Picture) -> Int? {
    guard let factor = sharedShrinks?.factor(of: picture.root),
      let own = try? PlanChain(picture, kept: [:]), own.region == nil, own.shrink != factor
    else { return nil }
    return factor
  }

  // MARK: - Lines

  /// Adds arguments. A file that an argument names is a source of the output.
  private func add(
    _ subject: String, _ arguments: [(name: String, value: ParameterValue)], _ defaults: RecipeDefaults,
    _ draft: inout Draft, _ version: FileVersion? = nil
  ) {
    for (name, value) in arguments.sorted(by: { $0.name < $1.name }) {
      if case .text(let path) = value, defaults.isFile(path, of: name, subject), FileIdentity.isFile(path) {
        draft.files.append(FileArgument(subject: subject, name: name, path: path, version: version))
      } else {
        draft.lines.append(Self.line(subject, name, RecipeText.text(of: value)))
      }
    }
  }

  private static func line(_ subject: String, _ name: String, _ value: String) -> String {
    [subject, name, value].map { $0.contains { $0.isNewline || $0 == "\t" } ? RecipeText.escaped($0) : $0 }.joined(
      separator: "\t")
  }

  private static func variable(_ name: String) -> String {
    getenv(name).map { RecipeText.escaped(PathBytes.text($0)) } ?? ""
  }
}
