import ImageCore

/// Decides how each picture is made, knowing all pictures that are made together, such as those of a unit.
///
/// A file whose decoder can shrink is decoded at a fraction before a resize: a JPEG at 1/2, 1/4 or 1/8. Usually, at
/// least twice the size that the resize needs is decoded, so that the antialiased kernel does at least the last factor
/// of 2; `PlanChain.shrink` describes the exceptions. Pictures of one file share its rows at the smallest of their
/// factors; see `SharedShrinks`. If all pictures that read a file at one fraction need only a part of it, only that
/// part is decoded. Orientation is applied when a file is opened. CMYK becomes sRGB then, or is kept until the
/// operation that converts it; see `PlanChain.cmykCount`. The order of operations is always the script's.
struct Planner {
  let opening: OpeningSteps
  /// The frames that several tasks need, by the picture that they show.
  let sharedFrames: [ObjectIdentifier: SharedFrame]
  /// The frames that were made before this plan, by the picture that they show.
  let keptFrames: [ObjectIdentifier: SharedFrame]
  private let sharedShrinks: SharedShrinks
  private let ends: [Picture]

  private struct Key: Hashable {
    let picture: ObjectIdentifier
    let shrink: Int
    var isInk = false
  }

  /// The node that makes a picture, and the position of the picture in the node's rows.
  private struct Rows {
    let node: PlanNode
    var shrink = ShrinkOnLoad.off

    /// Checks that the rows contain the whole picture, whose layout at full size is given.
    func checkHolds(_ nominal: PictureLayout) {
      let region = shrink.region(of: nominal)
      precondition(
        region.isInside(width: node.layout.width * shrink.factor, height: node.layout.height * shrink.factor),
        "less of a file is decoded than is needed")
    }
  }

  private var made: [Key: Rows] = [:]
  /// The region of each file that is needed at each fraction, in stored pixels; nil until a reader needs only a part.
  private var needs: [Key: Region]?
  /// The number of consumers of each node in this task.
  private(set) var consumers: [ObjectIdentifier: Int] = [:]

  /// - Parameter ends: all pictures to plan. A part of a file is decoded only if none of them needs more of it.
  init(
    opening: OpeningSteps, sharedFrames: [ObjectIdentifier: SharedFrame],
    keptFrames: [ObjectIdentifier: SharedFrame] = [:], sharedShrinks: SharedShrinks = SharedShrinks(), ends: [Picture]
  ) {
    self.sharedShrinks = sharedShrinks
    self.keptFrames = keptFrames
    self.opening = opening
    self.sharedFrames = sharedFrames
    self.ends = ends
  }

  /// Returns the node that makes `picture`, one of the ends, at full size.
  mutating func plan(_ picture: Picture) throws(Picture.Problem) -> PlanNode {
    let node = try chain(picture)
    consumers[ObjectIdentifier(node), default: 0] += 1
    return node
  }

  /// Plans the chain that ends with `picture`, and returns its last node. Only the further inputs of operations, such
  /// as overlays, are planned by recursion.
  private mutating func chain(_ picture: Picture) throws(Picture.Problem) -> PlanNode {
    let chain = try planChain(of: picture)
    var below: Rows?
    for (index, picture) in chain.pictures.enumerated() {
      let key = Key(picture: ObjectIdentifier(picture), shrink: chain.shrink, isInk: index < chain.cmykCount)
      if let known = made[key] {
        below = known
      } else {
        below = try make(picture, at: index, of: chain, on: below)
        made[key] = below
      }
    }
    precondition(below!.shrink == .off, "a picture that nothing shrinks was planned with shrink-on-load")
    return below!.node
  }

  /// Returns the chain of a picture. Kept pictures are no longer CMYK, so a chain that needs CMYK rows begins with its
  /// file instead.
  private func planChain(of picture: Picture) throws(Picture.Problem) -> PlanChain {
    if !keptFrames.isEmpty {
      let whole = try PlanChain(picture, kept: [:], shared: sharedShrinks)
      if whole.cmykCount > 0 { return whole }
    }
    return try PlanChain(picture, kept: keptFrames, shared: sharedShrinks)
  }

  private mutating func make(_ picture: Picture, at index: Int, of chain: PlanChain, on first: Rows?)
    throws(Picture.Problem) -> Rows
  {
    if chain.cmykCount == 0, let frame = keptFrames[ObjectIdentifier(picture)] {
      return Rows(
        node: PlanNode(
          .shared(frame), layout: try picture.info().layout, position: picture.position,
          path: picture.origin?.path ?? ""))
    }
    switch picture.step {
    case .invalid:
      throw .reported
    case .source(let file, let orient, let acceptsDamage):
      return try decode(
        file, picture,
        options: DecodeOptions(shrink: chain.shrink, acceptsDamage: acceptsDamage, selection: file.selection),
        needed: needed(chain), orient: orient, isInk: chain.cmykCount > 0)
    case .canvas(let layout, let colour):
      return Rows(node: PlanNode(.canvas(colour), layout: layout, position: picture.position, path: ""))
    case .operation(let name, _, let arguments):
      let info = try picture.info()
      if index < chain.cutCount, let region = info.operation!.cutRegion {
        let layout = index < chain.cmykCount ? Self.ink(info.layout) : info.layout
        return cut(region, name, arguments, picture, layout, first!)
      }
      return try operation(picture, info, at: index, of: chain, on: first!)
    }
  }

  private mutating func operation(
    _ picture: Picture, _ info: Picture.Info, at index: Int, of chain: PlanChain, on first: Rows
  ) throws(Picture.Problem) -> Rows {
    guard case .operation(let name, _, let arguments) = picture.step, let operation = info.operation else {
      preconditionFailure("only operations are planned as such")
    }
    var nominal: [PictureLayout] = []
    for input in picture.inputs { nominal.append(try input.info().layout) }
    // A picture between a CMYK file and its conversion has one input.
    if index <= chain.cmykCount { nominal[0] = Self.ink(nominal[0]) }
    var inputs = [first.node]
    for (index, input) in picture.inputs.enumerated().dropFirst() {
      if let frame = sharedFrames[ObjectIdentifier(input)] {
        inputs.append(
          PlanNode(
            .shared(frame), layout: nominal[index], position: input.position,
            path: input.origin?.path ?? ""))
      } else {
        inputs.append(try self.chain(input))
      }
    }
    for node in inputs { consumers[ObjectIdentifier(node), default: 0] += 1 }
    var (layout, shrink) = (index < chain.cmykCount ? Self.ink(info.layout) : info.layout, ShrinkOnLoad.off)
    var adapted = operation
    if var profiled = operation as? any ProfiledOperation {
      if index <= chain.cmykCount, case .source(let file, _, _) = chain.pictures[0].step {
        profiled.profiles = Self.profile(of: file)
      } else {
        profiled.profiles = { picture.inputs[$0].metadata().iccProfile }
      }
      adapted = profiled
    }
    if first.shrink != .off {
      if let turning = operation.turning {
        layout = turning.upright(first.node.layout)
        shrink = first.shrink.turned(turning, nominal: nominal[0], rows: first.node.layout)
      } else {
        first.checkHolds(nominal[0])
        adapted = adapted.reading(first.shrink)
      }
    }
    return Rows(
      node: PlanNode(
        .operation(name: name, adapted, arguments), inputs: inputs, nominal: nominal, layout: layout,
        position: picture.position, path: picture.origin?.path ?? ""), shrink: shrink)
  }

  /// Returns the CMYK layout of a picture's rows, given its layout as scripts see it, which is RGB.
  private static func ink(_ layout: PictureLayout) -> PictureLayout {
    layout.with(format: layout.format.with(model: .cmyk))
  }

  /// Returns a function that ignores its argument, and returns the embedded profile of a file.
  private static func profile(of file: PictureFile) -> @Sendable (Int) -> [UInt8] {
    { _ in (try? file.wholeHeader())?.metadata.iccProfile ?? [] }
  }

  /// Crops a part of a file's rows, unless the decoder has made exactly this part.
  private mutating func cut(
    _ region: Region, _ name: String, _ arguments: Arguments, _ picture: Picture, _ nominal: PictureLayout,
    _ first: Rows
  ) -> Rows {
    let factor = first.shrink.factor
    let place = region.moved(across: first.shrink.left, down: first.shrink.top)
    // The decoder may have left out pixels that later crops do not need, so the part is limited to the decoded pixels.
    let rows = place.shrunk(by: factor, within: first.node.layout)
    let layout = nominal.with(width: rows.width, height: rows.height)
    let shrink = ShrinkOnLoad(
      factor: factor, left: place.left - rows.left * factor, top: place.top - rows.top * factor, lead: first.shrink.lead
    )
    if layout == first.node.layout { return Rows(node: first.node, shrink: shrink) }
    consumers[ObjectIdentifier(first.node), default: 0] += 1
    return Rows(
      node: PlanNode(
        .cut(name: name, rows, arguments), inputs: [first.node], layout: layout, position: picture.position,
        path: picture.origin?.path ?? ""), shrink: shrink)
  }

  /// - Parameter isInk: whether CMYK rows are kept, because a later operation converts them.
  private func decode(
    _ file: PictureFile, _ picture: Picture, options: DecodeOptions, needed: Region?, orient: Bool, isInk: Bool
  ) throws(Picture.Problem) -> Rows {
    let contents: PictureFile.Contents
    do throws(PictureError) {
      contents = try file.read()
    } catch {
      throw .diagnostic(Diagnostic(unreadable: file.path, error, at: picture.position))
    }
    let stored = contents.header.layout
    let factor = options.shrink
    var (layout, options) = (stored.shrunk(by: factor), options)
    let lead = contents.header.hasCositedShrinks ? ShrinkOnLoad.Lead.cosited(factor: factor) : .init()
    var shrink = ShrinkOnLoad(factor: factor, lead: lead)
    if let rows = needed?.shrunk(by: factor, within: layout),
      (rows.width, rows.height) != (layout.width, layout.height)
    {
      options.region = rows
      layout = layout.with(width: rows.width, height: rows.height)
      shrink = ShrinkOnLoad(factor: factor, left: -rows.left * factor, top: -rows.top * factor, lead: lead)
    }
    var node = PlanNode(.decode(file, contents, options), layout: layout, position: picture.position, path: file.path)
    if stored.format.model == .cmyk, !isInk {
      node = try converted(node, file, picture, stored)
      layout = node.layout
    }
    let orientation = contents.header.metadata.orientation
    guard orient, orientation != .upright else { return Rows(node: node, shrink: shrink) }
    return Rows(
      node: PlanNode(
        .operation(name: opening.orientName, opening.orient(orientation), nil), inputs: [node],
        nominal: [stored.with(format: layout.format)],
        layout: orientation.upright(layout), position: picture.position, path: file.path),
      shrink: shrink.turned(orientation, nominal: stored, rows: layout))
  }

  /// Returns a node that converts the CMYK pixels of `node` to sRGB. The source profile is taken from the file.
  private func converted(_ node: PlanNode, _ file: PictureFile, _ picture: Picture, _ stored: PictureLayout)
    throws(Picture.Problem) -> PlanNode
  {
    var operation = opening.convert
    if var profiled = operation as? any ProfiledOperation {
      profiled.profiles = Self.profile(of: file)
      operation = profiled
    }
    let layout: PictureLayout
    do throws(OperationError) { layout = try operation.outputLayout(of: [node.layout]) } catch {
      throw .diagnostic(
        Diagnostic(
          .input, at: picture.position, subject: opening.convertName, file: file.path,
          message: error.description))
    }
    return PlanNode(
      .operation(name: opening.convertName, operation, nil), inputs: [node], nominal: [stored], layout: layout,
      position: picture.position, path: file.path)
  }

  /// Returns the smallest region of a chain's file that contains everything that the ends of the plan need of it; nil
  /// for the whole file.
  private mutating func needed(_ chain: PlanChain) -> Region? {
    guard chain.region != nil else { return nil }
    let known = needs ?? allNeeds()
    needs = known
    return known[Key(picture: ObjectIdentifier(chain.pictures[0]), shrink: chain.shrink)]
  }

  private func allNeeds() -> [Key: Region] {
    var parts: [Key: Region] = [:]
    var wholes: Set<Key> = []
    var seen: Set<ObjectIdentifier> = []
    var pending = ends
    while let end = pending.popLast() {
      guard seen.insert(ObjectIdentifier(end)).inserted, let chain = try? planChain(of: end) else { continue }
      for picture in chain.pictures {
        pending += picture.inputs.dropFirst().filter { sharedFrames[ObjectIdentifier($0)] == nil }
      }
      let key = Key(picture: ObjectIdentifier(chain.pictures[0]), shrink: chain.shrink)
      if let region = chain.region {
        parts[key] = parts[key]?.union(region) ?? region
      } else {
        wholes.insert(key)
      }
    }
    return parts.filter { !wholes.contains($0.key) }
  }
}
