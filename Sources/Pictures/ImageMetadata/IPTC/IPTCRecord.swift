import ImageCore

/// The datasets of an IPTC-IIM block (Information Interchange Model 4.2), in their order.
package struct IPTCRecord: Sendable, Hashable {
  struct Dataset: Sendable, Hashable {
    /// The number of the record and of the dataset in it: 2 and 116 for the copyright notice.
    let record: UInt8
    let number: UInt8
    var bytes: [UInt8]
  }

  private(set) var datasets: [Dataset] = []
  /// Whether texts are UTF-8, according to dataset 1:90.
  private var isUTF8 = false

  /// The maximum number of bytes that are read or written.
  package static let maximumByteCount = 1 << 20
  private static let maximumCount = 10_000
  /// The escape sequence for UTF-8 in dataset 1:90.
  private static let utf8: [UInt8] = [0x1b, 0x25, 0x47]

  package init() {}

  /// Parses a block; nil if it ends inside a dataset or is not IPTC.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.maximumByteCount else { return nil }
    var offset = 0
    while offset < bytes.count {
      // Blocks are padded with zeros.
      if bytes[offset] == 0, bytes[offset...].allSatisfy({ $0 == 0 }) { break }
      guard bytes[offset] == 0x1c, offset + 5 <= bytes.count, datasets.count < Self.maximumCount else { return nil }
      var length = Int(bytes[offset + 3]) << 8 | Int(bytes[offset + 4])
      var start = offset + 5
      if length & 0x8000 != 0 {
        // In an extended dataset, the number of length bytes comes first, then the length.
        let size = length & 0x7fff
        guard size <= 4, start + size <= bytes.count else { return nil }
        length = bytes[start..<start + size].reduce(0) { $0 << 8 | Int($1) }
        start += size
      }
      guard length <= bytes.count - start else { return nil }
      datasets.append(
        Dataset(record: bytes[offset + 1], number: bytes[offset + 2], bytes: Array(bytes[start..<start + length])))
      offset = start + length
    }
    isUTF8 = datasets.contains { $0.record == 1 && $0.number == 90 && $0.bytes == Self.utf8 }
  }

  package var isEmpty: Bool { !datasets.contains { $0.record == 2 && $0.number != 0 } }

  /// The encoded block; empty if there is no dataset of the application record.
  package var bytes: [UInt8] {
    guard !isEmpty else { return [] }
    return datasets.flatMap { dataset -> [UInt8] in
      let count = dataset.bytes.count
      let head: [UInt8] = [0x1c, dataset.record, dataset.number]
      let length: [UInt8] =
        count < 0x8000
        ? [UInt8(count >> 8), UInt8(count & 0xff)]
        : [0x80, 4] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - $0 * 8)) }
      return head + length + dataset.bytes
    }
  }

  /// Removes datasets of the application record.
  package mutating func removeAll(where isUnwanted: (UInt8) -> Bool) {
    datasets.removeAll { $0.record == 2 && $0.number != 0 && isUnwanted($0.number) }
  }

  /// Replaces the texts of a dataset in the application record, and marks the block as UTF-8. Texts are truncated to
  /// the length that the standard allows.
  package mutating func set(_ number: UInt8, to texts: [String]) {
    becomeUTF8()
    removeAll { $0 == number }
    let limit = IPTCNames.limits[number] ?? 2_000
    datasets += texts.map { Dataset(record: 2, number: number, bytes: Self.cut($0, to: limit)) }
    // The sort must be stable, because repeated datasets keep their order.
    datasets = datasets.enumerated().sorted {
      ($0.element.record, $0.element.number, $0.offset) < ($1.element.record, $1.element.number, $1.offset)
    }.map(\.element)
  }

  /// Truncates a text at a character boundary.
  private static func cut(_ text: String, to limit: Int) -> [UInt8] {
    var bytes = Array(text.utf8.prefix(limit + 1))
    guard bytes.count > limit else { return bytes }
    while let last = bytes.popLast() {
      // The byte that was removed is the first one of a character.
      if last & 0xc0 != 0x80, bytes.count <= limit { break }
    }
    return bytes
  }

  private mutating func becomeUTF8() {
    guard !isUTF8 else { return }
    for index in datasets.indices where datasets[index].record == 2 && datasets[index].number != 0 {
      datasets[index].bytes = Array(text(datasets[index]).utf8)
    }
    datasets.removeAll { $0.record == 1 && $0.number == 90 }
    datasets.insert(Dataset(record: 1, number: 90, bytes: Self.utf8), at: 0)
    if !datasets.contains(where: { $0.record == 2 && $0.number == 0 }) {
      datasets.append(Dataset(record: 2, number: 0, bytes: [0, 4]))
    }
    isUTF8 = true
  }

  /// Returns the texts of a dataset in the application record.
  package func texts(_ number: UInt8) -> [String] {
    datasets.filter { $0.record == 2 && $0.number == number }.map(text)
  }

  /// Returns a dataset's text. Blocks that do not declare an encoding are UTF-8 or Latin-1.
  private func text(_ dataset: Dataset) -> String {
    String(validating: dataset.bytes, as: UTF8.self)
      ?? (isUTF8
        ? String(decoding: dataset.bytes, as: UTF8.self)
        : String(String.UnicodeScalarView(dataset.bytes.map { Unicode.Scalar($0) })))
  }

  /// The texts by ExifTool's names: `By-line`, `Keywords`. Datasets that may be repeated have lists.
  package var fields: [String: MetadataValue] {
    var fields: [String: MetadataValue] = [:]
    for (number, name) in IPTCNames.names {
      let texts = texts(number)
      guard !texts.isEmpty else { continue }
      fields[name] = IPTCNames.repeatable.contains(number) ? .texts(texts) : .text(texts[0])
    }
    return fields
  }
}
