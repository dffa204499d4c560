import ImageCore
import Platform
import Scheduling

/// Records what a script asks for. Nothing is read or decoded here.
extension Run {
  /// Records a picture file.
  ///
  /// - Parameters:
  ///   - raw: options, see `SourceParameters.open`.
  ///   - mayBeLink: whether the path may be a link, so that the system is asked.
  package func open(_ path: String, _ raw: RawArguments, mayBeLink: Bool = true, at position: ScriptPosition?)
    -> Picture
  {
    guard let (arguments, own) = openArguments(raw, SourceParameters.open, "open", position) else {
      return Picture(.invalid, position: position)
    }
    let place = InternedPath(path, in: &folders)
    let selection = PageSelection(page: arguments.integer("page"), options: own)
    let file = pictureFile(place, selection, readsSidecar: arguments.boolean("sidecar"))
    return source(file, arguments, mayBeLink: mayBeLink, at: position)
  }

  /// Whether a file looks like a picture in a format that can be read. True also for a file that cannot be opened, which
  /// is found out later.
  package func looksLikePicture(_ path: String) -> Bool {
    guard let file = try? InputFile(path: path) else { return true }
    do throws(PictureError) {
      _ = try environment.recognise(file)
      return true
    } catch .codec(.notRecognised) {
      return false
    } catch { return true }
  }

  /// Records all pages of a picture file, whose header is read now.
  package func pages(_ path: String, _ raw: RawArguments, at position: ScriptPosition?) throws(Picture.Problem)
    -> [Picture]
  {
    guard let (arguments, own) = openArguments(raw, SourceParameters.pages, "pages", position) else {
      throw .reported
    }
    let place = InternedPath(path, in: &folders)
    let readsSidecar = arguments.boolean("sidecar")
    func file(_ page: Int) -> PictureFile {
      pictureFile(place, PageSelection(page: page, options: own), readsSidecar: readsSidecar)
    }
    let first = file(1)
    let count: Int
    do throws(PictureError) {
      count = try first.read().header.pageCount
    } catch {
      throw .diagnostic(
        Diagnostic(.input, at: position, subject: "pages", file: path, message: error.description))
    }
    return (1...count).map { page in
      source(page == 1 ? first : file(page), arguments, mayBeLink: page == 1, at: position)
    }
  }

  /// Checks the options of `open` or `pages`. Those of codecs are returned apart: which codec reads the file is known
  /// when its header is read.
  private func openArguments(
    _ raw: RawArguments, _ parameters: [ParameterDescriptor], _ name: String, _ position: ScriptPosition?
  ) -> (arguments: Arguments, own: RawArguments)? {
    let known = Set(parameters.map(\.name))
    var (common, own) = (raw, RawArguments())
    if raw.named.contains(where: { !known.contains($0.name) }) {
      let codecs = Set(environment.allCodecs.flatMap(\.openParameters).map(\.name))
      own.named = raw.named.filter { codecs.contains($0.name) && !known.contains($0.name) }
      common.named = raw.named.filter { option in !own.named.contains { $0.name == option.name } }
    }
    do throws(ArgumentErrors) {
      return (try Arguments(common, parameters: parameters, positionalCount: 0), own)
    } catch {
      report(error, of: name, position)
      return nil
    }
  }

  private func pictureFile(_ place: InternedPath, _ selection: PageSelection, readsSidecar: Bool) -> PictureFile {
    guard selection != .first || readsSidecar else {
      if let known = files[place] { return known }
      let file = PictureFile(place, codecs: codecs)
      files[place] = file
      recordedByteCount += RecordedMemory.file + place.name.recordedByteCount
      if !otherSources.contains(place) { sourceCount += 1 }
      return file
    }
    let key = FilePage(place: place, selection: selection, readsSidecar: readsSidecar)
    if let known = filePages[key] { return known }
    let file = PictureFile(place, codecs: codecs, selection, readsSidecar: readsSidecar)
    if files[place] == nil, otherSources.insert(place).inserted { sourceCount += 1 }
    filePages[key] = file
    recordedByteCount += RecordedMemory.filePage + place.name.recordedByteCount + selection.options.recordedByteCount
    return file
  }

  private func source(_ file: PictureFile, _ arguments: Arguments, mayBeLink: Bool, at position: ScriptPosition?)
    -> Picture
  {
    let path = file.path
    if path == PipedInput.standardInput {
      if options.part.isDivided {
        report("open", "a shard cannot read standard input, which others need too; write it to a file first", position)
      }
    } else if let option = taken.addSource(path, mayBeLink: mayBeLink) {
      readsOwnFile = true
      report("open", "'\(printable(path))' is the file that \(option) writes; give that another name", position)
    }
    if options.part.isDivided, claimedPaths[realPaths.place(of: path)] != nil {
      report(
        "open",
        "'\(printable(path))' is an output of this script, which another shard may make; use the picture that it was "
          + "saved from, or 'imghost run' without --shard", position)
    }
    let source = Picture.Step.source(
      file, orient: arguments.boolean("orient"),
      acceptsDamage: arguments.text("damaged") == "accept")
    return Picture(source, position: position, origin: file)
  }

  /// Keeps outputs from replacing a file that the script is made of.
  package func addScript(_ path: String) {
    taken.addScript(path)
    if options.part.shard != nil { division.inputs.insert(path) }
  }

  /// Keeps outputs from replacing the library of a plugin that the script uses.
  package func addPlugin(named name: String) {
    guard namedPlugins.insert(name).inserted else { return }
    if let path = environment.pluginFile(name) { taken.addFile(path, for: .plugin) }
  }

  /// Records a plain area of one colour, opaque sRGB unless the colour is transparent.
  package func canvas(_ raw: RawArguments, at position: ScriptPosition?) -> Picture {
    do {
      let arguments = try Arguments(
        raw, parameters: SourceParameters.canvas, positionalCount: 2)
      let colour = arguments.colour("background")
      let layout = try PictureLayout.checked(
        width: arguments.integer("width"), height: arguments.integer("height"),
        format: colour.alpha < 1 ? .rgba8 : .rgb8)
      recordedByteCount += RecordedMemory.canvas
      return Picture(.canvas(layout, colour), position: position)
    } catch let errors as ArgumentErrors {
      report(errors, of: "canvas", position)
    } catch {
      report("canvas", "\(error)", position)
    }
    return Picture(.invalid, position: position)
  }

  /// Records an operation on a picture. Mistakes in the arguments are collected, not thrown.
  ///
  /// - Parameter pictures: the pictures among the arguments, in the order of their indices from 1.
  package func apply(
    _ definition: OperationDefinition, named name: String? = nil, to picture: Picture, pictures: [Picture] = [],
    _ raw: RawArguments, at position: ScriptPosition?
  ) -> Picture {
    let name = name ?? definition.descriptor.name
    let inputs = [picture] + pictures
    guard inputs.allSatisfy({ $0.depth < Picture.maximumDepth }) else {
      let most = Picture.maximumDepth
      report(name, "the picture is made by more than \(most) operations in a row; save it in between", position)
      return Picture(.invalid, inputs: inputs, position: position)
    }
    do {
      return Picture(
        try checkedCall(definition, name, raw), inputs: inputs, position: position)
    } catch let errors as ArgumentErrors {
      report(errors, of: name, position)
    } catch {
      report(name, "\(error)", position)
    }
    return Picture(.invalid, inputs: inputs, position: position)
  }

  /// Records a picture that a plugin makes out of nothing, at the `width` and `height` among its options.
  ///
  /// - Parameter definition: a source.
  package func make(
    _ definition: OperationDefinition, named name: String, _ raw: RawArguments, at position: ScriptPosition?
  ) -> Picture {
    precondition(definition.descriptor.isSource)
    do {
      let arguments = try Arguments(raw, for: definition.descriptor)
      let layout = try PictureLayout.checked(
        width: arguments.integer("width"), height: arguments.integer("height"), format: .rgb8)
      // It has the size of an area whose rows are never read.
      let area = Picture(.canvas(layout, .white), position: position)
      return Picture(try checkedCall(definition, name, raw), inputs: [area], position: position)
    } catch let errors as ArgumentErrors {
      report(errors, of: name, position)
    } catch {
      report(name, "\(error)", position)
    }
    return Picture(.invalid, position: position)
  }

  /// Records a picture that shows a text on a transparent ground.
  package func textPicture(_ raw: RawArguments, at position: ScriptPosition?) -> Picture {
    guard let definition = environment.textPicture else { return invalid(at: position) }
    let ground = Picture(
      .canvas(PictureLayout(width: 1, height: 1, format: .rgba8), .transparent), position: position)
    return apply(definition, named: "img.text", to: ground, raw, at: position)
  }

  /// Returns a placeholder for the result of a wrong call that names no picture. The call has been reported.
  package func invalid(at position: ScriptPosition?) -> Picture { Picture(.invalid, position: position) }

  /// Returns the operation that a call asks for, made once for equal calls.
  private func checkedCall(
    _ definition: OperationDefinition, _ name: String, _ raw: RawArguments
  ) throws -> Picture.Step {
    let key = Call(name: name, arguments: raw)
    if let known = knownCalls[key] { return known }
    let arguments = try Arguments(raw, for: definition.descriptor)
    let made = try definition.make(arguments)
    let operation: any PictureOperation = try FieldText(made, locale: languageOfDates) ?? made
    let call = Picture.Step.operation(name: name, operation, arguments)
    // A script that never says the same twice needs none of them.
    if knownCalls.count >= 256 { knownCalls = [:] }
    knownCalls[key] = call
    recordedByteCount += RecordedMemory.operation(
      operation, raw, parameterCount: definition.descriptor.parameters.count)
    return call
  }

  /// Returns a placeholder for the result of a wrong call, which has been reported.
  package func invalid(from picture: Picture, at position: ScriptPosition?) -> Picture {
    Picture(.invalid, inputs: [picture], position: position)
  }

  /// Sets the language of dates in names and texts. A script has one.
  package func setLocale(_ name: String, at position: ScriptPosition?) {
    if let locale, locale.name != name {
      return report("locale", "the script's locale is '\(printable(locale.name))' already; a script has one", position)
    }
    guard let words = TimeLocale(name) else {
      return report(
        "locale",
        "the locale '\(printable(name))' is not installed; see 'locale -a', and add it with 'dpkg-reconfigure locales'",
        position)
    }
    locale = (name, words)
  }

  /// Collects a mistake of the script.
  package func report(_ subject: String, _ message: String, _ position: ScriptPosition?) {
    note(Diagnostic(.script, at: position, subject: subject, message: message))
  }

  /// Collects the mistakes in one call's arguments.
  ///
  /// - Parameter subject: the function that was called, as `imghost ops` names it.
  package func report(_ errors: ArgumentErrors, of subject: String, _ position: ScriptPosition?) {
    let home = { OptionHome.call($0, self.environment) }
    for error in errors.errors {
      var mistake = Diagnostic(.script, at: position, subject: subject, message: error.text(in: subject, home: home))
      mistake.parameter = error.parameter
      note(mistake)
    }
    noted.addFurther(errors.further)
  }

  /// Reports a note, which stops nothing.
  package func tell(_ note: Diagnostic) { progress.observer(.note(note)) }

  /// Collects a mistake once.
  package func note(_ diagnostic: Diagnostic) {
    guard diagnostic.kind == .script, let clause = explain?(diagnostic), !clause.isEmpty,
      !diagnostic.message.hasSuffix(clause)
    else {
      noted.add(diagnostic)
      return
    }
    noted.add(
      Diagnostic(
        .script, at: diagnostic.position, subject: diagnostic.subject, file: diagnostic.file,
        message: diagnostic.message + clause))
  }

  /// Calls `body` and returns its mistakes with its result: they do not count as the script's.
  package func collectingMistakes<Result>(_ body: () -> Result) -> (Result, [Diagnostic]) {
    let before = noted
    noted = DiagnosticLog()
    defer { noted = before }
    return (body(), noted.all)
  }

  /// Records a `save`.
  ///
  /// - Parameter jobs: the jobs that must be done before.
  package func save(
    _ pictures: [Picture], to template: String, after jobs: [Job] = [], _ raw: RawArguments,
    at position: ScriptPosition?
  ) -> Job {
    record(template, .save, pictures, jobs, raw, position)
  }

  /// Records a `book`.
  ///
  /// - Parameters:
  ///   - groups: the groups of all pictures in their order; empty for none.
  ///   - pages: the declared pages in order.
  ///   - coverOf: the book inside a cover.
  ///   - isContactSheet: whether nobody binds it.
  package func book(
    _ path: String, of pictures: [Picture], in groups: [PictureGroup] = [], pages: [PlacedPage] = [],
    after jobs: [Job] = [], coverOf: Job? = nil, isContactSheet: Bool = false, _ raw: RawArguments,
    at position: ScriptPosition?
  ) -> Job {
    let job = record(path, .book, pictures, jobs, raw, position)
    pending[pending.count - 1].groups = groups
    pending[pending.count - 1].pages = pages
    pending[pending.count - 1].coverOf = coverOf
    pending[pending.count - 1].isContactSheet = isContactSheet
    books[ObjectIdentifier(job)] = pending[pending.count - 1]
    recordedByteCount += RecordedMemory.book
    return job
  }

  /// Records an `animation` or a `multipage`.
  package func multipage(
    _ path: String, of pictures: [Picture], isAnimation: Bool, after jobs: [Job] = [], _ raw: RawArguments,
    at position: ScriptPosition?
  ) -> Job {
    record(path, isAnimation ? .animation : .multipage, pictures, jobs, raw, position)
  }

  /// Records a `tiles`.
  package func tiles(
    _ pictures: [Picture], to template: String, after jobs: [Job] = [], _ raw: RawArguments,
    at position: ScriptPosition?
  ) -> Job {
    record(template, .tiles, pictures, jobs, raw, position)
  }

  private func record(
    _ name: String, _ kind: Job.Kind, _ pictures: [Picture], _ after: [Job],
    _ given: RawArguments, _ position: ScriptPosition?
  ) -> Job {
    let (raw, note) = takingNote(given, of: kind.rawValue, position)
    var qos = currentQoS
    if case .text(let name)? = raw.named.first(where: { $0.name == "qos" })?.value,
      let named = QualityOfService(name: name)
    {
      qos = named
    }
    options.requested.add(kind == .save || kind == .tiles ? pictures.count : 1)
    if !after.isEmpty { options.part.needScript("'after'", position) }
    if name == OutputPipe.standardOutput { options.standardOutput.claim() }
    let job = Job(kind, position: position, qos: qos, after: after, parent: cancellation)
    if let note { notes[ObjectIdentifier(job)] = note }
    // A script that saves each picture by itself repeats the words thousands of times.
    let words = SinkCall.Target(name: name, options: raw)
    let known = pending.last.flatMap { $0.target == words ? $0.target : nil }
    recordedByteCount += RecordedMemory.job + RecordedMemory.pictureOfJob * pictures.count
    if known == nil { recordedByteCount += name.recordedByteCount + raw.recordedByteCount }
    pending.append(
      SinkCall(target: known ?? words, pictures: pictures, job: job, position: position))
    return job
  }

  /// Takes the note for the manifest out of the options of a call: no file depends on it.
  private func takingNote(_ raw: RawArguments, of subject: String, _ position: ScriptPosition?)
    -> (rest: RawArguments, note: ParameterValue?)
  {
    let name = SinkParameters.note.name
    guard raw.named.contains(where: { $0.name == name }) else { return (raw, nil) }
    var rest = raw
    rest.named.removeAll { $0.name == name }
    let own = RawArguments(named: raw.named.filter { $0.name == name })
    do throws(ArgumentErrors) {
      return (rest, try Arguments(own, parameters: [SinkParameters.note], positionalCount: 0)[name])
    } catch {
      report(error, of: subject, position)
      return (rest, nil)
    }
  }
}
