import BookExpectations
import ImageCore

/// Finds out whether a UserUnit (PDF 32000-1:2008, 14.11.2 and table 30) is why a page is not as large as it should be.
struct UnitCheck {
  let geometry: PageGeometry
  /// What the page was meant to be, where anybody says.
  let expected: PageExpectation?
  /// Likewise of its finished size.
  let wanted: Requirements.Size?

  /// What is wrong, and the unit that everything else is to be measured by; nil where nothing is.
  func run() -> (fault: Fault, unit: Double)? {
    if let expected { return check(against: expected) }
    if let wanted { return check(against: wanted) }
    let size = geometry.size
    guard max(size.width, size.height) > PageGeometry.mostUnits else { return nil }
    return (.userUnit(geometry.unit, size, meant: nil), geometry.unit)
  }

  /// One that was added or changed, or, of a page that is too large without, lost.
  private func check(against expected: PageExpectation) -> (fault: Fault, unit: Double)? {
    let (media, size) = (geometry.media, geometry.size)
    let meant = Requirements.Size(width: expected.width, height: expected.height)
    guard !Self.areEqual(size, meant) else { return nil }
    let unit = meant.width / media.width
    let isLarge = max(meant.width, meant.height) > PageGeometry.mostUnits
    guard geometry.unit != 1 || isLarge, isLarge || abs(meant.width - media.width) <= 0.01,
      Self.areEqual(
        Requirements.Size(width: media.width * unit, height: media.height * unit), meant)
    else { return nil }
    return (.userUnit(geometry.unit, size, meant: meant), unit)
  }

  private static func areEqual(_ size: Requirements.Size, _ meant: Requirements.Size) -> Bool {
    abs(size.width - meant.width) <= 0.01 && abs(size.height - meant.height) <= 0.01
  }

  private func check(against wanted: Requirements.Size) -> (fault: Fault, unit: Double)? {
    let trim = geometry.trim
    let plain = Requirements.Size(width: trim.width, height: trim.height)
    let size = Requirements.Size(
      width: trim.width * geometry.unit, height: trim.height * geometry.unit)
    guard geometry.unit != 1, !wanted.isMet(by: size), wanted.isMet(by: plain) else { return nil }
    return (.userUnit(geometry.unit, size, meant: wanted), 1)
  }
}
