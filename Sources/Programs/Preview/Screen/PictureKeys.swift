import ImageCore
import ImagePipeline

/// Computes the keys of pictures: digests of their descriptions. Pictures with the same key look the same, in one run
/// or in several.
///
/// A file is described by its path, size and modification time, and a plugin by its name and the modification time of
/// its library.
struct PictureKeys {
  private let environment: Environment
  /// The known keys, by the identity of the picture. The pictures are kept alive, so that no other one gets the same
  /// identity.
  private var known: [ObjectIdentifier: (picture: Picture, key: SHA256Digest)] = [:]
  private var plugins: [String: String] = [:]
  private let operations: Set<String>

  init(_ environment: Environment) {
    self.environment = environment
    operations = Set(environment.operations.map(\.descriptor.name))
  }

  /// Returns the key of a picture, in hexadecimal digits.
  mutating func key(of picture: Picture) -> String { Self.text(digest(of: picture)) }

  /// Returns the key of something that consists of pictures. `identity` describes everything else about it.
  mutating func key(_ identity: String, of pictures: [Picture]) -> String {
    var text = Array(identity.utf8)
    for picture in pictures { text += digest(of: picture).bytes }
    return Self.text(SHA256.digest(of: text))
  }

  private static func text(_ digest: SHA256Digest) -> String { String(digest.description.prefix(32)) }

  private mutating func digest(of picture: Picture) -> SHA256Digest {
    // This is a loop and not a recursion, because a script may chain thousands of operations.
    var pending = [picture]
    while let last = pending.last {
      let missing = last.inputs.filter { known[ObjectIdentifier($0)] == nil }
      if missing.isEmpty {
        pending.removeLast()
        if known[ObjectIdentifier(last)] == nil { known[ObjectIdentifier(last)] = (last, computed(last)) }
      } else {
        pending += missing
      }
    }
    return known[ObjectIdentifier(picture)]!.key
  }

  /// Returns the digest of a picture whose inputs have known keys.
  private mutating func computed(_ picture: Picture) -> SHA256Digest {
    var text: String
    switch picture.step {
    case .invalid: text = "invalid"
    case .canvas(let layout, let colour): text = "canvas\0\(layout)\0\(colour)"
    case .source(let file, let orient, let acceptsDamage):
      let version = FileVersion(path: file.path)
      text =
        "file\0\(file.path)\0\(version?.byteCount ?? -1)\0\(version?.modified ?? 0)\0\(file.selection)\0"
        + "\(file.readsSidecar)\0\(orient)\0\(acceptsDamage)"
    case .operation(let name, let operation, let arguments):
      text = "\(name)\0\(operation.template ?? "")\0\(arguments.allValues())\0\(version(ofPlugin: name))"
      // A text with fields looks different for each file, so its key differs from that of the same text without fields.
      if operation is FieldText { text += "\0fields" }
    }
    var bytes = Array(text.utf8)
    for input in picture.inputs { bytes += known[ObjectIdentifier(input)]!.key.bytes }
    return SHA256.digest(of: bytes)
  }

  private mutating func version(ofPlugin name: String) -> String {
    if operations.contains(name) { return "" }
    if let version = plugins[name] { return version }
    let version = environment.pluginFile(name).flatMap { FileVersion(path: $0) }.map { "\($0.modified)" } ?? ""
    plugins[name] = version
    return version
  }
}
