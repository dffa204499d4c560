import ImageCore

/// A picture with its own row plan, outside a run's plan. It is used to measure a picture, to show it on a screen, or
/// to find the part that is worth showing.
package struct DirectPicture {
  /// An error, and the step where it occurred. `step` is nil if the error occurred outside any step.
  package struct Failure: Error {
    package let error: PictureError
    package let step: PlanNode?
  }

  private let node: PlanNode
  private let consumers: [ObjectIdentifier: Int]

  package var layout: PictureLayout { node.layout }

  /// Plans the picture.
  ///
  /// - Parameter kept: the pixels of steps that have already been computed.
  package init(_ picture: Picture, _ environment: Environment, kept: [(picture: Picture, pixels: PixelBuffer)] = [])
    throws(Picture.Problem)
  {
    var frames: [ObjectIdentifier: SharedFrame] = [:]
    for (picture, pixels) in kept { frames[ObjectIdentifier(picture)] = SharedFrame(made: pixels, of: picture) }
    try self.init(picture, environment.opening, keptFrames: frames)
  }

  init(_ picture: Picture, _ opening: OpeningSteps, keptFrames: [ObjectIdentifier: SharedFrame] = [:])
    throws(Picture.Problem)
  {
    var planner = Planner(opening: opening, sharedFrames: [:], keptFrames: keptFrames, ends: [picture])
    node = try planner.plan(picture)
    consumers = planner.consumers
  }

  /// The predicted memory in bytes for making the picture, without its own pixels.
  package var byteCount: Int {
    var memory = PlanMemory(consumers: consumers)
    let flow = memory.add(node)
    return memory.keptByteCount + max(flow, memory.flowByteCount)
  }

  /// Opens the picture's rows for `body`. For a long chain, the caller must provide a larger stack, see `withStack`.
  ///
  /// - Parameter note: receives each operation's note, and the path of the file at the start of the operation's chain.
  package func read<Value>(
    _ context: OperationContext, note: (@Sendable (OperationNote, String) -> Void)? = nil,
    _ body: (any RowSource) throws(PictureError) -> Value
  ) throws(Failure) -> Value {
    let chain = RowChain(consumers: consumers, context: context, note: note)
    do throws(PictureError) {
      return try body(try chain.open(node))
    } catch {
      throw Failure(error: error, step: chain.failure.node)
    }
  }
}
