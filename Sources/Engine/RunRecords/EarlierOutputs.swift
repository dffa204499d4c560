import ImageCore

/// The outputs that earlier runs have recorded. Outputs from the journal and from other runs replace the record's
/// outputs with the same keys.
struct EarlierOutputs: Sendable {
  private let record: StoredRecord?
  private var others: [String: RecordedOutput] = [:]

  init(_ record: StoredRecord? = nil) { self.record = record }

  init(_ outputs: [RecordedOutput]) {
    record = nil
    others = Dictionary(outputs.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
  }

  /// The checksum of the record; nil if there is no record, or if other outputs have been added.
  var checksum: SHA256Digest? { others.isEmpty ? record?.checksum : nil }

  var isEmpty: Bool { others.isEmpty && record?.outputs.isEmpty ?? true }

  var count: Int { (record?.outputs.count ?? 0) + others.keys.count { record?.find($0) == nil } }

  /// Returns an output, and its number in the record if it is from there; nil if the output is unknown.
  func find(_ key: String) -> (number: Int?, output: RecordedOutput)? {
    if let other = others[key] { return (nil, other) }
    return record?.find(key).map { ($0.number, $0.output) }
  }

  /// Returns an output by its number in the record; nil if it cannot be read.
  subscript(number number: Int) -> RecordedOutput? {
    record.flatMap { $0.outputs.indices.contains(number) ? $0.outputs[number] : nil }
  }

  subscript(key: String) -> RecordedOutput? { find(key)?.output }

  mutating func add(_ output: RecordedOutput) { others[output.key] = output }

  /// All outputs with their numbers in the record. The record's outputs are read one at a time, during the iteration.
  var all: some Sequence<(number: Int?, output: RecordedOutput)> {
    let recorded = 0..<(record?.outputs.count ?? 0)
    return [
      AnySequence(others.values.lazy.map { (nil, $0) }),
      AnySequence(
        recorded.lazy.compactMap { number -> (number: Int?, output: RecordedOutput)? in
          guard let output = record?.outputs[number], others[output.key] == nil else { return nil }
          return (number, output)
        }),
    ].joined()
  }
}
