import BookExpectations
import ImageCore

/// Determines whether the UserUnit (PDF 32000-1:2008, 14.11.2 and table 30) is the cause of a page's wrong size.
struct UnitCheck {
  let geometry: PageGeometry
  /// The expectation of the page; nil if there is none.
  let expected: PageExpectation?
  /// The required finished size; nil for any.
  let wanted: PageSize?

  /// Returns the fault, and the correct unit for all other measurements; nil if the unit is right.
  func run() -> (fault: Fault, unit: Double)? {
    if let expected { return check(against: expected) }
    if let wanted { return check(against: wanted) }
    let size = geometry.size
    guard max(size.width, size.height) > PageGeometry.mostUnits else { return nil }
    return (.page(.userUnit(geometry.unit, size, meant: nil)), geometry.unit)
  }

  /// Looks for a unit that was added or changed, or that was removed although the page is too large to do without one.
  private func check(against expected: PageExpectation) -> (fault: Fault, unit: Double)? {
    let (media, size) = (geometry.media, geometry.size)
    let meant = PageSize(width: expected.width, height: expected.height)
    guard !Self.areEqual(size, meant) else { return nil }
    let unit = meant.width / media.width
    let isLarge = max(meant.width, meant.height) > PageGeometry.mostUnits
    guard geometry.unit != 1 || isLarge, isLarge || abs(meant.width - media.width) <= 0.01,
      Self.areEqual(
        PageSize(width: media.width * unit, height: media.height * unit), meant)
    else { return nil }
    return (.page(.userUnit(geometry.unit, size, meant: meant)), unit)
  }

  private static func areEqual(_ size: PageSize, _ meant: PageSize) -> Bool {
    abs(size.width - meant.width) <= 0.01 && abs(size.height - meant.height) <= 0.01
  }

  private func check(against wanted: PageSize) -> (fault: Fault, unit: Double)? {
    let trim = geometry.trim
    let plain = PageSize(width: trim.width, height: trim.height)
    let size = PageSize(
      width: trim.width * geometry.unit, height: trim.height * geometry.unit)
    guard geometry.unit != 1, !wanted.isMet(by: size), wanted.isMet(by: plain) else { return nil }
    return (.page(.userUnit(geometry.unit, size, meant: wanted)), 1)
  }
}
