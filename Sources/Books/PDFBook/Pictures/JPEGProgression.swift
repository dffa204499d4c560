/// Which bits of its coefficients the scans of a progressive JPEG have given so far (ITU-T T.81, G.1.1.1).
struct JPEGProgression: Sendable {
  /// By a component's identifier, of each coefficient: the lowest bit that is known; nil for none.
  private var known: [UInt8: [UInt8?]] = [:]

  /// Takes the next scan: bands come after direct current, and a scan that refines begins where the one before
  /// stopped.
  mutating func add(_ scan: JPEGScan) throws(JPEGFault) {
    let band = scan.first...scan.last
    for component in scan.components {
      let bits = known[component.frame.id] ?? Self.nothing
      guard scan.first == 0 || bits[0] != nil, band.allSatisfy({ Int(bits[$0] ?? 0) == scan.high })
      else {
        throw .damaged("its scans do not follow each other")
      }
    }
    for component in scan.components {
      for place in band {
        known[component.frame.id, default: Self.nothing][place] = UInt8(scan.low)
      }
    }
  }

  private static let nothing = [UInt8?](repeating: nil, count: 64)
}
