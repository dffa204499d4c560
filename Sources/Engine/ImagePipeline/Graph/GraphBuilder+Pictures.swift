import ImageCore
import Platform

extension GraphBuilder {
  // MARK: - Files

  /// Records a picture file.
  ///
  /// - Parameters:
  ///   - raw: options, see `SourceParameters.open`.
  ///   - function: the function that the script has called, for messages.
  ///   - mayBeLink: whether the path itself may be a link, which then has to be looked up.
  package func open(
    _ path: String, _ raw: RawArguments, by function: String = "open", mayBeLink: Bool = true,
    at position: ScriptPosition?
  ) -> Picture {
    guard let (arguments, own) = openArguments(raw, SourceParameters.open, function, position) else {
      return Picture(.invalid, position: position)
    }
    let selection = PageSelection(page: arguments.integer("page"), options: own)
    let file = pictureFile(sources.place(path), selection, readsSidecar: arguments.boolean("sidecar"))
    return source(file, arguments, mayBeLink: mayBeLink, at: position)
  }

  /// Returns the reason why no codec recognises a file; nil if a codec does, or if the file cannot be opened or read,
  /// which is reported later.
  package func unrecognised(_ path: String) -> CodecError? {
    guard let file = try? InputFile(path: path) else { return nil }
    do throws(PictureError) {
      _ = try environment.recognise(file)
    } catch .codec(let error) {
      if case .notRecognised = error { return error }
    } catch {}
    return nil
  }

  /// Records all pages of a picture file. Reads the header immediately, to count the pages.
  package func pages(_ path: String, _ raw: RawArguments, at position: ScriptPosition?) throws(Picture.Problem)
    -> [Picture]
  {
    guard let (arguments, own) = openArguments(raw, SourceParameters.pages, "pages", position) else {
      throw .reported
    }
    let place = sources.place(path)
    let readsSidecar = arguments.boolean("sidecar")
    func file(_ page: Int) -> PictureFile {
      pictureFile(place, PageSelection(page: page, options: own), readsSidecar: readsSidecar)
    }
    let first = file(1)
    let count: Int
    do throws(PictureError) {
      count = try first.read().header.pageCount
    } catch {
      throw .diagnostic(Diagnostic(unreadable: path, error, as: "pages", at: position))
    }
    return (1...count).map { page in
      source(page == 1 ? first : file(page), arguments, mayBeLink: page == 1, at: position)
    }
  }

  /// Checks and returns the options of `open` or `pages`; nil if there are mistakes, which are reported. Options of
  /// codecs are returned separately, because the file's codec is known only when its header is read.
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
    let (file, byteCount) = sources.file(place, selection, readsSidecar: readsSidecar)
    recordedByteCount += byteCount
    return file
  }

  private func source(_ file: PictureFile, _ arguments: Arguments, mayBeLink: Bool, at position: ScriptPosition?)
    -> Picture
  {
    let path = file.path
    if options.keepsDependencies || options.records != nil { inputs.add(file) }
    if path == PipedInput.standardInput {
      if options.part.isDivided {
        report("open", "a shard cannot read standard input, which others need too; write it to a file first", position)
      }
    } else if let option = paths.reserved.addSource(path, mayBeLink: mayBeLink) {
      readsOwnFile = true
      report("open", "'\(printable(path))' is the file that \(option) writes; give that another name", position)
    }
    if options.part.isDivided, paths.claim(of: path) != nil {
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

  // MARK: - Pictures

  /// Records a plain area of one colour in sRGB. The area has alpha only if the colour is not opaque.
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
    } catch { report(error, of: "canvas", position) }
    return Picture(.invalid, position: position)
  }

  /// Records an operation on a picture. Mistakes in the arguments are collected, not thrown.
  ///
  /// - Parameter pictures: the pictures among the arguments. `ParameterValue.picture(1)` in `raw` is the first of them.
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
    } catch { report(error, of: name, position) }
    return Picture(.invalid, inputs: inputs, position: position)
  }

  /// Records a picture that a plugin generates, with the size in the options `width` and `height`.
  ///
  /// - Parameter definition: the definition of an operation that generates pictures (`isSource`).
  package func make(
    _ definition: OperationDefinition, named name: String, _ raw: RawArguments, at position: ScriptPosition?
  ) -> Picture {
    precondition(definition.descriptor.isSource)
    do {
      let arguments = try Arguments(raw, for: definition.descriptor)
      let layout = try PictureLayout.checked(
        width: arguments.integer("width"), height: arguments.integer("height"), format: .rgb8)
      // The input only provides the size; its rows are never read.
      let area = Picture(.canvas(layout, .white), position: position)
      return Picture(try checkedCall(definition, name, raw), inputs: [area], position: position)
    } catch { report(error, of: name, position) }
    return Picture(.invalid, position: position)
  }

  /// Records a picture that shows a text on a transparent background.
  package func textPicture(_ raw: RawArguments, at position: ScriptPosition?) -> Picture {
    guard let definition = environment.textPicture else { return invalid(at: position) }
    let ground = Picture(
      .canvas(PictureLayout(width: 1, height: 1, format: .rgba8), .transparent), position: position)
    return apply(definition, named: definition.descriptor.name, to: ground, raw, at: position)
  }

  /// Returns a placeholder for the result of an invalid call without pictures. The mistake has been reported.
  package func invalid(at position: ScriptPosition?) -> Picture { Picture(.invalid, position: position) }

  /// Returns the step for a call. Equal calls usually share one step.
  private func checkedCall(
    _ definition: OperationDefinition, _ name: String, _ raw: RawArguments
  ) throws -> Picture.Step {
    let key = Call(name: name, arguments: raw)
    if let known = knownCalls[key] { return known }
    let arguments = try Arguments(raw, for: definition.descriptor)
    let made = try definition.make(arguments)
    let operation: any PictureOperation = try FieldText(made, locale: languageOfDates) ?? made
    let call = Picture.Step.operation(name: name, operation, arguments)
    inputs.add(arguments, of: definition.descriptor)
    if operation.drawsText || operation is FieldText { inputs.drawsText = true }
    // The limit is for scripts that never repeat a call, and so never reuse one.
    if knownCalls.count >= 256 { knownCalls = [:] }
    knownCalls[key] = call
    recordedByteCount += RecordedMemory.operation(
      operation, raw, parameterCount: definition.descriptor.parameters.count)
    return call
  }

  /// Returns a placeholder for the result of an invalid call on a picture. The mistake has been reported.
  package func invalid(from picture: Picture, at position: ScriptPosition?) -> Picture {
    Picture(.invalid, inputs: [picture], position: position)
  }
}
