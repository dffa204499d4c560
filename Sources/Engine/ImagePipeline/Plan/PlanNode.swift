import ImageCore

/// One step of a row plan: a file and how it is decoded, or an operation on the rows of other steps.
///
/// The nodes of a task form a graph without cycles. A node with more than one consumer is computed once, and kept as a
/// whole until all consumers have read it.
package final class PlanNode: Sendable {
  enum Step: Sendable {
    case decode(PictureFile, PictureFile.Contents, DecodeOptions)
    case operation(name: String, any PictureOperation, Arguments?)
    /// A part of the input, in pixels of the input's rows. The part is a separate step only if other steps need more of
    /// the file; otherwise the decoder decodes only the part.
    case cut(name: String, Region, Arguments)
    /// A plain area.
    case canvas(Colour)
    /// A picture that several tasks need. It is computed once for the run.
    case shared(SharedFrame)
  }

  let step: Step
  let inputs: [PlanNode]
  /// The inputs' layouts as the script sees them.
  let nominal: [PictureLayout]
  /// The layout of the node's rows. It is smaller than the nominal one if the decoder shrinks or crops.
  package let layout: PictureLayout
  package let position: ScriptPosition?
  /// The path of the file at the start of the chain; empty if there is none.
  package let path: String

  init(
    _ step: Step, inputs: [PlanNode] = [], nominal: [PictureLayout] = [], layout: PictureLayout,
    position: ScriptPosition?, path: String
  ) {
    self.step = step
    self.inputs = inputs
    self.nominal = nominal
    self.layout = layout
    self.position = position
    self.path = path
  }

  /// The name of the step in scripts.
  package var name: String {
    switch step {
    case .decode, .shared: "open"
    case .operation(let name, _, _), .cut(let name, _, _): name
    case .canvas: "canvas"
    }
  }

  /// The node's name in a trace.
  var traceName: String {
    switch step {
    case .decode(_, let contents, _): "decode " + contents.header.codec
    case .shared: "shared picture"
    case .operation, .cut, .canvas: name
    }
  }

  /// The predicted memory in bytes while rows are read from this node, without the memory of its inputs.
  var ownByteCount: Int {
    switch step {
    case .decode(_, let contents, _):
      return contents.header.decoderByteCount + layout.rowByteCount * 32 + (256 << 10)
    case .operation(_, let operation, _):
      return operation.workingByteCount(for: inputs.map(\.layout))
    case .cut:
      return CroppedSource.byteCount(from: inputs[0].layout)
    case .canvas:
      return layout.rowByteCount
    case .shared(let frame):
      return frame.isComputed ? 0 : PixelBuffer.byteCount(layout)
    }
  }
}
