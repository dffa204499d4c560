/// Names of files. Only the template makes folders: what a camera or a stranger wrote into a picture, or called it, does
/// not decide where files go.
extension NameTemplate {
  func path(for picture: Picture, info: Picture.Info?, index: Int) throws(TemplateError) -> String {
    var path = FilledPath()
    for part in parts {
      switch part {
      case .text(let text): path.add(text)
      case .field(let name, let style):
        let value = try value(name, style, picture, info, index)
        if value.isEmpty, ["stem", "name"].contains(name) { throw .noFile(name) }
        path.add(value: value, isOfStranger: name.hasPrefix("exif."))
      }
    }
    return path.text
  }
}

/// A path that is put together from a template's own text and from values.
private struct FilledPath {
  /// The part up to the template's last slash.
  private var folders = String.UnicodeScalarView()
  private var name = String.UnicodeScalarView()
  /// Whether a value is part of the name.
  private var hasValue = false

  var text: String { String(folders) + String(safeName) }

  mutating func add(_ text: String) {
    for scalar in text.unicodeScalars {
      guard scalar == "/" else {
        name.append(scalar)
        continue
      }
      // An empty value makes no folder, and no path from the root.
      if !(hasValue && name.isEmpty) { folders += safeName + [scalar] }
      name = String.UnicodeScalarView()
      hasValue = false
    }
  }

  /// - Parameter isOfStranger: whether it is no part of a file's name, and may be anything.
  mutating func add(value: String, isOfStranger: Bool) {
    let beginsName = name.isEmpty
    hasValue = true
    var isLeading = beginsName && isOfStranger
    for scalar in value.unicodeScalars {
      // Nobody looks for hidden files.
      isLeading = isLeading && scalar == "."
      let isControl = isOfStranger && (scalar.value < 0x20 || scalar.value == 0x7f)
      name.append(isLeading || isControl || scalar == "/" ? "_" : scalar)
    }
  }

  /// The name, which leads to no other folder.
  private var safeName: String.UnicodeScalarView {
    guard hasValue, name.allSatisfy({ $0 == "." }) else { return name }
    return String.UnicodeScalarView(name.map { _ in "_" })
  }
}
