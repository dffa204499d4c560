import ImageCore

/// Finds the part to be shown of a picture whose file's own bytes are stored, on a small version of it.
struct FocusFinder {
  private let node: PlanNode
  private let consumers: [ObjectIdentifier: Int]
  private let search: FocusSearch
  private let strategy: SmartCropStrategy
  private let keepsHeads: Bool
  /// The shares of the picture that stay.
  private let width: Double
  private let height: Double

  /// Nil where nothing is looked for.
  init?(_ page: PageOutput, _ environment: Environment) {
    guard let cut = page.cut, !cut.changesPixels(ofFile: page.copiesSource != nil),
      case .smart(let strategy) = cut.position,
      let search = environment.focusSearch, let whole = try? page.picture.info().layout
    else { return nil }
    let preview = Picture(search.preview, inputs: [page.picture], position: nil)
    var planner = Planner(orient: environment.orient, sharedFrames: [:], ends: [preview])
    guard let node = try? planner.plan(preview) else { return nil }
    self.node = node
    consumers = planner.consumers
    self.search = search
    self.strategy = strategy
    keepsHeads = cut.keepsHeads
    width = Double(cut.width) / Double(whole.width)
    height = Double(cut.height) / Double(whole.height)
  }

  /// Bytes that it takes.
  var byteCount: Int {
    var memory = PlanMemory(consumers: consumers)
    let flow = memory.add(node)
    return memory.keptByteCount + max(flow, memory.flowByteCount)
  }

  /// Nil for a picture that is only ever stored, such as JPEG 2000: its middle is shown.
  func focus(_ context: OperationContext) throws(PictureError) -> CropFocus? {
    do throws(PictureError) {
      let rows = try RowChain(consumers: consumers, context: context).open(node)
      return try search.find(rows, width, height, strategy, keepsHeads, context)
    } catch {
      if case .codec(.unsupported) = error { return nil }
      throw error
    }
  }
}
