/// The place of a packet in the form of EXIF.
extension XMPPacket {
  /// Whether the packet says where the picture was taken.
  var hasPlace: Bool { text("GPSLatitude") != nil || text("GPSLongitude") != nil }

  /// The GPS directory of EXIF (Exif 3.0, 4.6.6): latitude, longitude and altitude. Nil for coordinates in another form
  /// than XMP's (XMP Specification Part 2, 3.3).
  var gpsDirectory: TIFFFields? {
    guard let latitude = coordinate("GPSLatitude", "N", "S", 90),
      let longitude = coordinate("GPSLongitude", "E", "W", 180)
    else { return nil }
    var fields: TIFFFields = [
      0: .value(type: 1, bytes: [2, 3, 0, 0]), 1: .text(latitude.side), 2: .rationals(latitude.parts),
      3: .text(longitude.side), 4: .rationals(longitude.parts),
    ]
    if let altitude = text("GPSAltitude").flatMap(Self.fraction) {
      fields[5] = .value(type: 1, bytes: [text("GPSAltitudeRef") == "1" ? 1 : 0])
      fields[6] = .rationals([altitude])
    }
    return fields
  }

  private func text(_ name: String) -> String? { self[XMPName(XMPSpace.exif, name)]?.texts.first }

  /// Reads `53,33.5N` and `53,33,30N`.
  private func coordinate(_ name: String, _ first: String, _ second: String, _ most: Double)
    -> (side: String, parts: [(Int, Int)])?
  {
    guard var text = text(name), let side = text.popLast().map(String.init), [first, second].contains(side)
    else { return nil }
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = words.compactMap { Double($0) }
    guard (1...3).contains(numbers.count), numbers.count == words.count,
      numbers.allSatisfy({ $0.isFinite && $0 >= 0 })
    else { return nil }
    let degrees = zip(numbers, [1.0, 60, 3600]).reduce(0) { $0 + $1.0 / $1.1 }
    guard degrees <= most else { return nil }
    // Thousandths of a second are 3 cm.
    let thousandths = Int((degrees * 3_600_000).rounded())
    return (side, [(thousandths / 3_600_000, 1), (thousandths / 60_000 % 60, 1), (thousandths % 60_000, 1000)])
  }

  /// Reads `12`, `12.5` and `25/2`.
  private static func fraction(_ text: String) -> (Int, Int)? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count < 3, let above = parts.first ?? nil, let below = parts.count == 2 ? parts[1] : 1, below > 0
    else { return nil }
    let value = above / below
    guard value.isFinite, (0...1e6).contains(value) else { return nil }
    return (Int((value * 1000).rounded()), 1000)
  }
}
