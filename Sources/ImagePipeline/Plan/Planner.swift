import ImageCore

/// Decides, knowing the whole graph, how each picture is made.
///
/// A JPEG in front of a resize is decoded at 1/2, 1/4 or 1/8, never below twice the size the resize
/// needs, so that the last factor of 2 or more is the antialiased kernel's. A decoder makes only what a crop
/// leaves of a file. Orientation is applied where
/// a file is opened. The order of operations stays the script's.
struct Planner {
  /// Makes the operation that turns a picture upright.
  let orient: @Sendable (Orientation) -> any PictureOperation
  /// Frames that several tasks need, by the picture that describes them.
  let sharedFrames: [ObjectIdentifier: SharedFrame]
  /// How often each picture is wanted, where that is known.
  private let uses: [ObjectIdentifier: Int]

  private struct Key: Hashable {
    let picture: ObjectIdentifier
    let shrink: Int
  }
  private var nodes: [Key: PlanNode] = [:]
  /// How many consumers each node has in this task.
  private(set) var consumers: [ObjectIdentifier: Int] = [:]

  /// - Parameter ends: all that will be planned; a part of a file is only decoded on its own where nobody
  ///   needs more of it.
  init(
    orient: @escaping @Sendable (Orientation) -> any PictureOperation,
    sharedFrames: [ObjectIdentifier: SharedFrame], ends: [Picture] = []
  ) {
    self.orient = orient
    self.sharedFrames = sharedFrames
    var uses: [ObjectIdentifier: Int] = [:]
    var pending = ends
    while let picture = pending.popLast() {
      let key = ObjectIdentifier(picture)
      uses[key, default: 0] += 1
      if uses[key] == 1 { pending += picture.inputs }
    }
    self.uses = uses
  }

  /// The node that makes `picture` at its full size.
  mutating func plan(_ picture: Picture) throws(Picture.Problem) -> PlanNode {
    let node = try plan(picture, tolerance: 1)
    consumers[ObjectIdentifier(node), default: 0] += 1
    return node
  }

  /// Plans a chain from its file up. A loop, not a recursion, and one look at the chain to decide how its
  /// file is decoded: a script may chain thousands of operations. Recursion goes only as deep as pictures
  /// are arguments of arguments.
  private mutating func plan(_ picture: Picture, tolerance: Double) throws(Picture.Problem)
    -> PlanNode
  {
    var chain: [(picture: Picture, tolerance: Double)] = [(picture, tolerance)]
    while let operation = try chain.last!.picture.info().operation {
      let first = chain.last!.picture.inputs[0]
      chain.append(
        (
          first,
          Self.tolerance(operation, try first.info().layout, passing: chain.last!.tolerance)
        ))
    }
    let shrink = Self.shrink(of: chain.last!.picture, tolerance: chain.last!.tolerance)
    var below: PlanNode?
    for link in chain.reversed() {
      let key = Key(picture: ObjectIdentifier(link.picture), shrink: shrink)
      if let known = nodes[key] {
        below = known
      } else {
        below = try make(link.picture, on: below, shrink: shrink)
        nodes[key] = below
      }
    }
    return below!
  }

  private mutating func make(_ picture: Picture, on first: PlanNode?, shrink: Int)
    throws(Picture.Problem) -> PlanNode
  {
    switch picture.step {
    case .invalid:
      throw .reported
    case .source(let file, let orient, let acceptsDamage):
      return try decode(
        file, picture, options: DecodeOptions(shrink: shrink, acceptsDamage: acceptsDamage),
        orient: orient)
    case .canvas(let layout, let colour):
      return PlanNode(.canvas(colour), layout: layout, position: picture.position, path: "")
    case .operation(let name, _, let arguments):
      return try operation(name, arguments, picture, on: first!)
    }
  }

  private mutating func operation(
    _ name: String, _ arguments: Arguments, _ picture: Picture, on first: PlanNode
  ) throws(Picture.Problem) -> PlanNode {
    let operation = try picture.info().operation!
    if let part = cut(operation, picture, first) { return part }
    var nominal: [PictureLayout] = []
    for input in picture.inputs { nominal.append(try input.info().layout) }
    var inputs = [first]
    for (index, input) in picture.inputs.enumerated().dropFirst() {
      if let frame = sharedFrames[ObjectIdentifier(input)] {
        inputs.append(
          PlanNode(
            .shared(frame), layout: nominal[index], position: input.position,
            path: input.origin?.path ?? ""))
      } else {
        inputs.append(try plan(input, tolerance: 1))
      }
    }
    for node in inputs { consumers[ObjectIdentifier(node), default: 0] += 1 }
    var layout = try picture.info().layout
    if inputs[0].layout != nominal[0], operation.isShrinkTransparent {
      let factor = ShrunkScale.factor(nominal: nominal[0], actual: inputs[0].layout)
      layout = layout.shrunk(by: factor)
    }
    return PlanNode(
      .operation(name: name, operation, arguments), inputs: inputs, nominal: nominal,
      layout: layout, position: picture.position, path: picture.origin?.path ?? "")
  }

  /// A decoder of what an operation cuts out of a file, where nobody needs the rest.
  private func cut(_ operation: any PictureOperation, _ picture: Picture, _ first: PlanNode)
    -> PlanNode?
  {
    guard let region = operation.cutRegion, uses[ObjectIdentifier(picture.inputs[0])] == 1,
      case .decode(let file, let contents, var options) = first.step, options.shrink == 1,
      options.region == nil
    else { return nil }
    options.region = region
    return PlanNode(
      .decode(file, contents, options),
      layout: first.layout.with(width: region.width, height: region.height),
      position: first.position, path: first.path)
  }

  private func decode(
    _ file: PictureFile, _ picture: Picture, options: DecodeOptions, orient: Bool
  ) throws(Picture.Problem) -> PlanNode {
    let contents: PictureFile.Contents
    do throws(PictureError) {
      contents = try file.read()
    } catch {
      throw .diagnostic(
        Diagnostic(
          .input, at: picture.position, subject: "open", file: file.path,
          message: error.description))
    }
    let stored = contents.header.layout
    let node = PlanNode(
      .decode(file, contents, options), layout: stored.shrunk(by: options.shrink),
      position: picture.position, path: file.path)
    let orientation = contents.header.metadata.orientation
    guard orient, orientation != .upright else { return node }
    let turned = try picture.info().layout
    return PlanNode(
      .operation(name: "auto_orient", self.orient(orientation), nil), inputs: [node],
      nominal: [stored], layout: turned.shrunk(by: options.shrink), position: picture.position,
      path: file.path)
  }

  /// How much smaller the first input may come: what the operation allows, or, where it works on a
  /// shrunk picture just as well, what its own reader allows.
  private static func tolerance(
    _ operation: any PictureOperation, _ nominal: PictureLayout, passing tolerance: Double
  ) -> Double {
    operation.isShrinkTransparent ? tolerance : operation.shrinkTolerance(of: nominal)
  }

  /// The factor the file at the start of a chain is decoded by.
  private static func shrink(of picture: Picture, tolerance: Double) -> Int {
    guard case .source(let file, _, _) = picture.step, let contents = try? file.read() else {
      return 1
    }
    return contents.header.shrinkFactors.filter { Double($0 * 2) <= tolerance }.max() ?? 1
  }
}

extension PictureLayout {
  /// The layout a decoder gives when it shrinks by a whole factor: sides rounded up.
  func shrunk(by factor: Int) -> PictureLayout {
    with(width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
  }
}
