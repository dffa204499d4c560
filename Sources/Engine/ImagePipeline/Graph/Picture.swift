import ImageCore
import ImageMetadata
import Synchronization

/// An immutable description of a picture: a file, or an operation on other pictures.
///
/// Making a picture decodes nothing. Two pictures with a common input share the work of making that input.
package final class Picture: Sendable {
  package enum Step: Sendable {
    /// A file, turned upright if `orient` is true.
    case source(PictureFile, orient: Bool, acceptsDamage: Bool)
    /// A plain area of one colour, without a source file.
    indirect case canvas(PictureLayout, Colour)
    /// An operation, with its checked arguments. Equal calls usually share one step.
    indirect case operation(name: String, any PictureOperation, Arguments)
    /// The result of a call with a mistake, which has been reported. Everything made from it is left out.
    case invalid
  }

  // Thousands of pictures may exist at once, so the stored properties are arranged to take only 56 bytes.
  package let step: Step
  private let storedDepth: Int32
  private let first: Picture?
  private let others: [Picture]
  /// The position in the script where the picture was made.
  package let position: ScriptPosition?
  /// The file that gives the picture its name, stem and path; by default the first input's.
  package let origin: PictureFile?
  /// The facts about the picture, if `keepsInfo` is true. Facts about a file are kept with the file.
  private let memo = AtomicLazyReference<PictureMemo>()

  /// The picture on which an operation is called, followed by the pictures among its arguments.
  package var inputs: [Picture] { first.map { [$0] + others } ?? [] }
  /// The file, if the picture is its first page, unmodified except that it may be turned upright; otherwise nil. Also
  /// nil for a file that was opened with `acceptsDamage` or an option of its codec.
  package var untouchedFile: PictureFile? {
    guard case .source(let file, _, false) = step, file.selection == .first else { return nil }
    return file
  }
  /// The number of pictures in the longest chain that ends with this one; 0 for an invalid one.
  package var depth: Int { Int(storedDepth) }

  /// The facts about a picture that are known without decoding it.
  package struct Info: Sendable {
    package let layout: PictureLayout
    /// The orientation and the resolution, and metadata that operations have added, such as a profile.
    /// `Picture.metadata()` returns all metadata.
    package let metadata: PictureMetadata
    /// The name of the codec of the file at the start of the picture's chain; `canvas` if a canvas is there.
    package let codec: String
    /// The operation, adapted to its first input; nil for a file or a canvas.
    package let operation: (any PictureOperation)?
  }

  /// The reason why there is no picture.
  package enum Problem: Error, Sendable {
    /// A problem that has been reported already.
    case reported
    case diagnostic(Diagnostic)
  }

  package init(_ step: Step, inputs: [Picture] = [], position: ScriptPosition?, origin: PictureFile? = nil) {
    self.step = step
    first = inputs.first
    others = inputs.count > 1 ? Array(inputs.dropFirst()) : []
    self.position = position
    self.origin = origin ?? inputs.first?.origin
    // An invalid picture does not extend the chain of its inputs.
    if case .invalid = step {
      storedDepth = 0
    } else {
      storedDepth = 1 + (inputs.map(\.storedDepth).max() ?? 0)
    }
  }

  /// The maximum depth that scripts may use. It is limited, because rows pass through a whole chain on one stack.
  static let maximumDepth = 10_000

  /// Returns the facts about the picture. Reads headers but decodes nothing. May be called from any thread.
  package func info() throws(Problem) -> Info {
    // A loop instead of recursion, because scripts may chain thousands of operations.
    var pending = [self]
    while let last = pending.last {
      if !last.keepsInfo || last.isMissing, let missing = last.missingInput {
        pending.append(missing)
        continue
      }
      pending.removeLast()
      if last.isMissing { _ = last.memo.storeIfNil(last.computed()) }
    }
    return try knownInfo()
  }

  /// Returns all metadata that operations preserve, read from the picture's file now. Unreadable metadata is left out,
  /// because decoding the file will report the error.
  package func metadata() -> PictureMetadata { metadata(ofSource: nil) }

  /// Returns all metadata that operations preserve, for an output that contains it.
  ///
  /// - Throws: an error if the picture's file cannot be opened or read now. Metadata that the codec cannot read is left
  ///   out.
  package func readMetadata() throws(PictureError) -> PictureMetadata {
    guard case .source(let file, let orient, _) = root.step else { return metadata() }
    do throws(PictureError) {
      return metadata(ofSource: Self.seen(try file.wholeHeader(), orient: orient).metadata)
    } catch {
      if case .file = error { throw error }
      return metadata(ofSource: PictureMetadata())
    }
  }

  /// Returns the ICC profile alone; empty for none.
  ///
  /// - Parameter known: a cache of profiles by the paths of animations, because the frames of a file share its profile.
  func iccProfile(_ known: inout [String: [UInt8]]) -> [UInt8] {
    let root = root
    guard case .source(let file, _, _) = root.step, (try? file.read())?.header.delay != nil else {
      return metadata().iccProfile
    }
    let shared = known[file.path] ?? root.metadata().iccProfile
    known[file.path] = shared
    return metadata(ofSource: PictureMetadata(iccProfile: shared)).iccProfile
  }

  /// - Parameter known: the metadata of the file; nil to read it.
  private func metadata(ofSource known: PictureMetadata?) -> PictureMetadata {
    var metadata = PictureMetadata()
    for picture in Array(chain).reversed() {
      switch picture.step {
      case .invalid, .canvas: break
      case .source(let file, let orient, _):
        if let known {
          metadata = known
          break
        }
        guard let header = try? file.wholeHeader() else { break }
        metadata = Self.seen(header, orient: orient).metadata
      case .operation:
        guard let info = try? picture.info(), let operation = info.operation, let input = try? picture.inputs[0].info()
        else { break }
        metadata = operation.outputMetadata(metadata)
          .describing(info.layout, madeOf: input.layout)
      }
    }
    return metadata
  }

  /// Returns the layout and metadata of a file's picture as scripts see them.
  private static func seen(_ header: PictureHeader, orient: Bool)
    -> (layout: PictureLayout, metadata: PictureMetadata)
  {
    var layout = header.layout
    var metadata = header.metadata
    // Scripts see a CMYK file as sRGB, even if its rows are converted only by a later operation, see `Planner`.
    if layout.format.model == .cmyk {
      layout = layout.with(format: layout.format.with(model: .rgb))
      metadata.iccProfile = []
    }
    guard orient else { return (layout, metadata) }
    if metadata.orientation.swapsSides {
      layout = layout.with(width: layout.height, height: layout.width)
      metadata.resolution = metadata.resolution.flatMap {
        Resolution(horizontal: $0.vertical, vertical: $0.horizontal)
      }
    }
    metadata.orientation = .upright
    return (layout, metadata)
  }

  /// Whether the picture keeps its info: at every fourth step of a chain, at operations on several pictures, and at
  /// texts with fields. The info of other pictures is derived from the nearest kept one, which costs less than keeping
  /// it for thousands of pictures.
  private var keepsInfo: Bool {
    if case .operation(_, let operation, _) = step {
      !others.isEmpty || storedDepth % 4 == 0 || operation is FieldText
    } else {
      false
    }
  }

  private var isMissing: Bool { keepsInfo && memo.load() == nil }

  /// A direct or indirect input whose info must be computed and kept before this picture's; nil for none.
  private var missingInput: Picture? {
    for input in inputs {
      var picture = input
      while case .operation = picture.step, !picture.keepsInfo, let next = picture.first { picture = next }
      if picture.isMissing { return picture }
    }
    return nil
  }

  /// Returns the info. `missingInput` must be nil.
  private func knownInfo() throws(Problem) -> Info {
    switch step {
    case .invalid:
      // For an invalid call on a file's picture, an unreadable file is reported, too.
      let root = root
      if case .source = root.step { _ = try root.knownInfo() }
      throw .reported
    case .canvas(let layout, _):
      return Info(layout: layout, metadata: PictureMetadata(), codec: "canvas", operation: nil)
    case .source(let file, let orient, _):
      do throws(PictureError) {
        let header = try file.read().header
        let (layout, metadata) = Self.seen(header, orient: orient)
        return Info(layout: layout, metadata: metadata, codec: header.codec, operation: nil)
      } catch {
        throw .diagnostic(Diagnostic(unreadable: file.path, error, at: position))
      }
    case .operation(_, let operation, _):
      return try (memo.load() ?? computed()).info(operation)
    }
  }

  /// Computes the facts about an operation's picture. The facts about its inputs must be known.
  private func computed() -> PictureMemo {
    guard case .operation(let name, let operation, _) = step else {
      preconditionFailure("only operations need working out")
    }
    do throws(Problem) {
      var inputInfos: [Info] = []
      for input in inputs { inputInfos.append(try input.knownInfo()) }
      let metadata = inputInfos[0].metadata
      var adapted = operation.adapted(to: metadata)
      if let reason = inputs.lazy.compactMap(\.reasonNotToDecode).first {
        throw .diagnostic(Diagnostic(.input, at: position, subject: name, file: origin?.path, message: reason))
      }
      if let text = operation as? FieldText { adapted = try filled(text, named: name, inputInfos[0]) }
      let info = try result(of: adapted ?? operation, named: name, on: inputInfos)
      return PictureMemo(info, isAdapted: adapted != nil)
    } catch {
      return PictureMemo(error)
    }
  }

  private func filled(_ text: FieldText, named name: String, _ input: Info) throws(Problem) -> any PictureOperation {
    do throws(OperationError) {
      return try text.filled(for: inputs[0], input)
    } catch {
      throw .diagnostic(Diagnostic(.input, at: position, subject: name, file: origin?.path, message: error.description))
    }
  }

  /// The reason why operations and measurements that depend on colours reject CMYK.
  static let inkRefusal = "does not work on CMYK; call it before 'to_profile'"

  private func result(
    of operation: any PictureOperation, named name: String, on inputs: [Info]
  ) throws(Problem) -> Info {
    do throws(OperationError) {
      if !operation.acceptsCMYK, inputs.contains(where: { $0.layout.format.model == .cmyk }) {
        throw .unsuitable(Self.inkRefusal)
      }
      let layout = try operation.outputLayout(of: inputs.map(\.layout))
      return Info(
        layout: layout,
        metadata: operation.outputMetadata(inputs[0].metadata)
          .describing(layout, madeOf: inputs[0].layout),
        codec: inputs[0].codec, operation: operation)
    } catch {
      // This is an error of the input and not of the script, because another picture may be large enough.
      throw .diagnostic(Diagnostic(.input, at: position, subject: name, file: origin?.path, message: error.description))
    }
  }
}

extension Result where Failure: Error {
  /// Like the standard library's `init(catching:)`, but with a typed error.
  init(_ body: () throws(Failure) -> Success) {
    do throws(Failure) {
      self = .success(try body())
    } catch {
      self = .failure(error)
    }
  }
}

extension Picture {
  /// The chain of first inputs, from this picture to its root.
  var chain: some Sequence<Picture> { sequence(first: self, next: \.first) }

  /// The start of the chain of first inputs.
  var root: Picture {
    var picture = self
    while let first = picture.first { picture = first }
    return picture
  }
}

/// The steps of a picture, for display.
extension Picture {
  /// This picture and all pictures from which it is made, each after its inputs.
  package var stepsInOrder: [Picture] {
    var order: [Picture] = []
    var seen: Set<ObjectIdentifier> = []
    var pending = [(self, false)]
    while let (picture, areInputsDone) = pending.popLast() {
      if areInputsDone {
        order.append(picture)
      } else if seen.insert(ObjectIdentifier(picture)).inserted {
        pending.append((picture, true))
        pending += picture.inputs.map { ($0, false) }
      }
    }
    return order
  }

  /// The picture of the file at the start of the chain; nil if the chain does not start with a file.
  package var start: Picture? {
    let root = root
    if case .source = root.step { return root }
    return nil
  }

  /// The picture's `step` in a script's terms: the step's name, and its file or arguments.
  package var stepText: (name: String, detail: String) {
    switch step {
    case .invalid: ("invalid", "")
    case .source(let file, _, _):
      ("open", file.path + (file.selection.page > 1 ? ", page \(file.selection.page)" : ""))
    case .canvas(let layout, let colour):
      ("canvas", "\(layout.width) x \(layout.height), \(ParameterValue.colour(colour).text)")
    case .operation(let name, _, let arguments):
      (name, arguments.given.map { "\($0.name) = \($0.value.text)" }.joined(separator: ", "))
    }
  }
}

// MARK: - Sources

extension Picture {
  /// The reason why a file's picture cannot be decoded; nil if it can, if its header is unreadable, or if this is not a
  /// file's picture.
  package var reasonNotToDecode: String? {
    guard case .source(let file, _, _) = step else { return nil }
    return (try? file.read())?.codec.reasonNotToDecode
  }

  /// All files that the picture is made from, beginning with the file of its `root`, if any, and whether a part of the
  /// picture comes from no file.
  package var sources: (files: [PictureFile], isDrawn: Bool) {
    var files: [PictureFile] = []
    var paths: Set<RealPaths.Path> = []
    var isDrawn = false
    // A loop instead of recursion, because scripts may chain thousands of operations.
    var pending = [self]
    var seen: Set<ObjectIdentifier> = []
    while let picture = pending.popLast() {
      guard seen.insert(ObjectIdentifier(picture)).inserted else { continue }
      switch picture.step {
      case .source(let file, _, _):
        if paths.insert(RealPaths.Path(file.path)).inserted { files.append(file) }
      case .canvas: isDrawn = true
      case .operation:
        if picture.inputs.isEmpty { isDrawn = true }
        pending += picture.inputs.reversed()
      case .invalid: break
      }
    }
    return (files, isDrawn)
  }
}

// MARK: - Shown

extension Picture {
  /// The part of a file's picture that a result shows.
  struct Shown {
    let file: PictureFile
    let part: ShownPart
    /// The size of the file's picture after the rotations of `part`.
    let width: Int
    let height: Int
  }

  /// The part of a file that this picture shows in the file's own colours, at any size; nil if operations have changed
  /// colours or added anything. Also nil without a file, for an unreadable header, for CMYK, for pages after the first,
  /// and for a file that was opened with `acceptsDamage`, an option of its codec or a sidecar.
  var shown: Shown? {
    let chain = Array(chain)
    guard case .source(let file, let orient, false) = chain.last!.step, file.selection == .first, !file.readsSidecar,
      let header = try? file.read().header, header.layout.format.model != .cmyk
    else { return nil }
    var part = ShownPart(turning: orient ? header.metadata.orientation : .upright)
    for picture in chain.dropLast().reversed() {
      guard picture.inputs.count == 1, let operation = try? picture.info().operation,
        let input = try? picture.inputs[0].info().layout, let next = operation.shownPart(of: input)
      else { return nil }
      part = part.showing(next)
    }
    let stored = header.layout
    let isSwapped = part.turns.filter(\.swapsSides).count % 2 == 1
    return Shown(
      file: file, part: part, width: isSwapped ? stored.height : stored.width,
      height: isSwapped ? stored.width : stored.height)
  }
}
