/// Splits the fields of templates into names, and describes the names in messages.
enum FieldName {
  /// Splits `title,date:%B %Y` at its commas. A comma in a date's pattern is part of the pattern, unless a field
  /// follows.
  static func pieces(_ text: Substring, _ known: [String]) -> [Substring] {
    var pieces: [Substring] = []
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let plain = piece.drop { $0 == " " }
      let name = halves(plain).name
      if let last = pieces.last, last.contains("%"), !known.contains(name), !PictureFields.has(name) {
        pieces[pieces.count - 1] = text[last.startIndex..<piece.endIndex]
      } else {
        pieces.append(pieces.isEmpty ? piece : plain)
      }
    }
    return pieces
  }

  /// Splits a field into its name and style. Colons in the path of an XMP property are part of the name:
  /// `xmp.photoshop:DateCreated:%Y`.
  static func halves(_ text: Substring) -> (name: String, style: String?) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let most = text.hasPrefix("xmp.") ? 1 + parts.dropFirst().prefix(while: isName).count : 1
    guard parts.count > most else { return (String(text), nil) }
    return (parts[..<most].joined(separator: ":"), String(text[parts[most].startIndex...]))
  }

  private static func isName(_ text: Substring) -> Bool {
    (text.first?.isLetter ?? false) && text.allSatisfy { $0.isLetter || $0.isNumber || "_-./[]".contains($0) }
  }

  /// Returns the full name of a field, with the prefix `exif.` if only EXIF has a field of this name.
  static func whole(_ name: String) -> String { PictureFields.has(name) ? name : "exif." + name }

  /// Returns the names of fields as a phrase: `title, date or EXIF field 'Model'`.
  static func words(_ names: [String]) -> String {
    let words = names.map { name in
      let block = PictureFields.blocks.first(where: name.hasPrefix)
      return block.map { "\($0.dropLast().uppercased()) field '\(printable(String(name.dropFirst($0.count))))'" }
        ?? name
    }
    guard words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
  }
}
