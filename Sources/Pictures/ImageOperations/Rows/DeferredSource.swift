import ImageCore

/// A source that is created when the first row is read. Operations that first read their whole input use it, because
/// opening a pipeline must not read anything.
final class DeferredSource: RowSource {
  let layout: PictureLayout
  private var make: (() throws(PictureError) -> any RowSource)?
  private var source: (any RowSource)?

  init(_ layout: PictureLayout, _ make: @escaping () throws(PictureError) -> any RowSource) {
    self.layout = layout
    self.make = make
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    if let make {
      self.make = nil
      source = try make()
    }
    try source?.read(count, into: destination, stride: stride)
  }
}
