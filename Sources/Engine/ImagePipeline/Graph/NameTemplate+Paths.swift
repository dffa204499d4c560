import ImageCore
import Platform

/// Fills in names of files. Only the template's own text creates folders. A picture's metadata or name, which may come
/// from a stranger, cannot decide where files go.
extension NameTemplate {
  /// Returns the path of a file, and its hashed name if there is a `{hash}`, which stays in the path unchanged.
  package func fileName(for picture: Picture, info: Picture.Info?, index: Int) throws(TemplateError)
    -> (path: String, hashed: HashedName?)
  {
    var path = FilledPath()
    let fields = PictureFields(picture, info)
    for part in parts {
      switch part {
      case .text(let text): path.add(text)
      case .field(HashedName.field, let style): path.add(digits: style.hashDigits)
      case .field(let name, let style):
        let value = try value(name, style, fields, picture, info, index)
        if value.isEmpty, ["stem", "name", "label"].contains(name) { throw .noFile(name) }
        // Names of files already have the form of `PathBytes`; metadata does not.
        let isOfStranger = part.names.contains(where: PictureFields.has)
        path.add(value: isOfStranger ? PathBytes.text(of: value) : value, isOfStranger: isOfStranger)
      }
    }
    return (path.text, path.hashedName)
  }
}

/// A path composed of a template's own text and values.
private struct FilledPath {
  /// The part up to the template's last slash.
  private var folders = String.UnicodeScalarView()
  private var name = String.UnicodeScalarView()
  /// Whether the name contains a value.
  private var hasValue = false
  /// The start and the end of each `{hash}` in the name, in scalars, and its number of digits. Folders contain none.
  private var hashes: [(start: Int, end: Int, digits: Int)] = []

  var text: String { String(folders) + String(safeName) }

  mutating func add(_ text: String) {
    for scalar in text.unicodeScalars {
      guard scalar == "/" else {
        name.append(scalar)
        continue
      }
      // An empty value must neither create a folder nor make the path absolute.
      if !(hasValue && name.isEmpty) { folders += safeName + [scalar] }
      name = String.UnicodeScalarView()
      hasValue = false
    }
  }

  mutating func add(digits: Int) {
    let text = HashedName.text(digits: digits).unicodeScalars
    hashes.append((name.count, name.count + text.count, digits))
    name += text
  }

  /// The name with digests to be filled in later; nil if it has none.
  var hashedName: HashedName? {
    if hashes.isEmpty { return nil }
    let scalars = Array(name)
    var parts: [HashedName.Part] = []
    var place = 0
    for hash in hashes {
      parts += [.text(Self.text(scalars[place..<hash.start])), .digits(hash.digits)]
      place = hash.end
    }
    return HashedName(parts: parts + [.text(Self.text(scalars[place...]))])
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }

  /// - Parameter isOfStranger: whether the value comes from a picture's metadata, so that it may contain anything.
  mutating func add(value: String, isOfStranger: Bool) {
    let beginsName = name.isEmpty
    hasValue = true
    var isLeading = beginsName && isOfStranger
    for scalar in value.unicodeScalars {
      // A leading dot would hide the file.
      isLeading = isLeading && scalar == "."
      let isControl = isOfStranger && (scalar.value < 0x20 || scalar.value == 0x7f)
      name.append(isLeading || isControl || scalar == "/" ? "_" : scalar)
    }
  }

  /// The name. A name of dots, such as `..`, is replaced by underscores if it contains a value.
  private var safeName: String.UnicodeScalarView {
    guard hasValue, name.allSatisfy({ $0 == "." }) else { return name }
    return String.UnicodeScalarView(name.map { _ in "_" })
  }
}

/// A file's name or a text of a picture's metadata, as a part of a URL. The document's writer encodes spaces and other
/// characters.
enum AddressPart {
  /// Percent-encodes control characters (RFC 3986, 2.1) and bytes that are not UTF-8, because file names may contain
  /// any byte except U+0000.
  static func encoded(_ value: String) -> String {
    guard value.unicodeScalars.contains(where: { isControl($0) || PathBytes.byte(of: $0) != nil }) else { return value }
    return value.unicodeScalars.map { scalar in
      if let byte = PathBytes.byte(of: scalar) { return percents([byte]) }
      return isControl(scalar) ? percents(String(scalar).utf8) : String(scalar)
    }.joined()
  }

  /// Percent-encodes white space at the end.
  static func withEncodedEnd(_ address: String) -> String {
    let end = address.reversed().prefix(while: \.isWhitespace)
    guard !end.isEmpty else { return address }
    return address.dropLast(end.count) + end.reversed().map { percents($0.utf8) }.joined()
  }

  /// Returns whether a scalar is from U+0000 to U+001F, or from U+007F to U+009F.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
  }

  private static func percents(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { "%" + Hexadecimal.text([$0]).uppercased() }.joined()
  }
}
