/// Passes rows through and takes their fingerprint on the way: what a page is meant to show.
public final class FingerprintingSource: RowSource {
  private let source: any RowSource
  private var accumulator: PixelFingerprint.Accumulator

  public var layout: PictureLayout { source.layout }

  public init(_ source: any RowSource) {
    self.source = source
    self.accumulator = PixelFingerprint.Accumulator(source.layout)
  }

  public func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int)
    throws(PictureError)
  {
    try source.read(count, into: destination, stride: stride)
    accumulator.add(count, from: destination, stride: stride)
  }

  /// What was read, nil until the last row was.
  public var fingerprint: PixelFingerprint? { accumulator.finish() }
}
