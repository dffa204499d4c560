/// The size of a page in points (1/72 inch).
public struct PageSize: Sendable, Hashable {
  public var width: Double
  public var height: Double

  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// Returns whether another page has this size, to within a point, in either orientation.
  func isMet(by other: PageSize) -> Bool {
    abs(other.width - width) <= 1 && abs(other.height - height) <= 1
      || abs(other.width - height) <= 1 && abs(other.height - width) <= 1
  }

  var text: String { FaultText.size(width, height) }
}
