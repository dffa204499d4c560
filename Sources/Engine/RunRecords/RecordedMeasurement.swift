import ImageCore
import ImagePipeline

/// A value that a script has measured in a picture. It is stored so that the next run need not decode the picture.
struct RecordedMeasurement: Sendable {
  /// The identity of a measurement: its recipe and the paths of its sources.
  struct Key: Hashable, Sendable {
    let recipe: SHA256Digest
    let paths: [RealPaths.Path]

    init(_ recipe: OutputRecipe) { self.init(recipe: recipe.digest, paths: recipe.sources) }

    init(recipe: SHA256Digest, paths: [String]) {
      (self.recipe, self.paths) = (recipe, paths.map { RealPaths.Path($0) })
    }
  }

  let recipe: SHA256Digest
  var sources: [RecordedSource]
  let value: ParameterValue

  var key: Key { Key(recipe: recipe, paths: sources.map(\.path)) }
}

extension RunRecords {
  package func measurement(_ recipe: OutputRecipe, digest: @escaping @Sendable (String) -> PictureDigest?)
    -> ParameterValue?
  {
    guard recipe.reasonToMake == nil else { return nil }
    let key = RecordedMeasurement.Key(recipe)
    let known = earlierMeasurements[key]
    // The stamps have to be taken before the picture is decoded, even if nothing is recorded.
    look(at: [(recipe, known?.sources ?? [])], digest)
    guard let known, !options.makesAll, zip(known.sources, recipe.sources).allSatisfy({ change(of: $0, at: $1) == nil })
    else { return nil }
    state.withLock { $0.measured[key] = known.value }
    return known.value
  }

  package func keep(_ value: ParameterValue, of recipe: OutputRecipe) {
    guard recipe.reasonToMake == nil, value.isPlain else { return }
    state.withLock { $0.measured[RecordedMeasurement.Key(recipe)] = value }
  }

  /// Returns the measurements that the script has requested in this run, with the known stamps and digests of their
  /// sources.
  func measurements(_ now: State) -> [RecordedMeasurement] {
    now.measured.map { key, value in
      RecordedMeasurement(recipe: key.recipe, sources: sources(key.paths.map(\.text), now), value: value)
    }
  }
}

// MARK: - Encoding values

extension WireWriter {
  /// Appends a plain value: see `ParameterValue.isPlain`.
  mutating func append(_ value: ParameterValue) {
    switch value {
    case .boolean(let value):
      append(UInt8(0))
      append(UInt8(value ? 1 : 0))
    case .integer(let value):
      append(UInt8(1))
      append(UInt64(bitPattern: Int64(value)))
    case .number(let value):
      append(UInt8(2))
      append(value)
    case .text(let text):
      append(UInt8(3))
      append(text)
    case .list(let items):
      append(UInt8(4))
      append(list: items) { $0.append($1) }
    case .fields(let fields):
      append(UInt8(5))
      append(list: fields.sorted { $0.key < $1.key }) { writer, field in
        writer.append(field.key)
        writer.append(field.value)
      }
    case .picture, .jobs, .colour, .other: preconditionFailure("only plain values are recorded")
    }
  }
}

extension WireReader {
  /// - Parameter depth: the maximum depth of nested lists and tables.
  mutating func value(depth: Int = 16) throws(WireError) -> ParameterValue {
    switch try integer(UInt8.self) {
    case 0: return .boolean(try integer(UInt8.self) != 0)
    case 1: return .integer(Int(Int64(bitPattern: try integer(UInt64.self))))
    case 2: return .number(try number())
    case 3: return .text(try string())
    case 4 where depth > 0: return .list(try list { (reader) throws(WireError) in try reader.value(depth: depth - 1) })
    case 5 where depth > 0:
      let fields = try list { (reader) throws(WireError) in
        (try reader.string(), try reader.value(depth: depth - 1))
      }
      return .fields(Dictionary(fields, uniquingKeysWith: { $1 }))
    default: throw WireError()
    }
  }
}
