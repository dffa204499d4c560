/// The bits of the coefficients that the scans of a progressive JPEG have defined so far (ITU-T T.81, G.1.1.1).
struct JPEGProgression: Sendable {
  /// The lowest known bit of each coefficient by component identifier; nil for none.
  private var known: [UInt8: [UInt8?]] = [:]

  /// Adds the next scan. AC bands must follow the DC coefficients, and a refining scan must continue where
  /// the one before stopped.
  mutating func add(_ scan: JPEGScan) throws(JPEGFault) {
    let band = scan.first...scan.last
    for component in scan.components {
      let bits = known[component.frame.id] ?? Self.nothing
      guard scan.first == 0 || bits[0] != nil, band.allSatisfy({ Int(bits[$0] ?? 0) == scan.high }) else {
        throw .damaged("scans in the wrong order")
      }
    }
    for component in scan.components {
      for place in band { known[component.frame.id, default: Self.nothing][place] = UInt8(scan.low) }
    }
  }

  private static let nothing = [UInt8?](repeating: nil, count: 64)
}
