extension Picture {
  /// Why the pixels of an untouched file cannot be had; nil where they can, and where its header cannot be read.
  package var reasonNotToDecode: String? {
    guard case .source(let file, _, _) = step else { return nil }
    return (try? file.read())?.codec.reasonNotToDecode
  }

  /// All files that a picture is made of, the one it begins with first, and whether any of it is made of none.
  package var sources: (files: [PictureFile], isDrawn: Bool) {
    var files: [PictureFile] = []
    var paths: Set<String> = []
    var isDrawn = false
    // Iterative: a script may chain thousands of operations.
    var pending = [self]
    var seen: Set<ObjectIdentifier> = []
    while let picture = pending.popLast() {
      guard seen.insert(ObjectIdentifier(picture)).inserted else { continue }
      switch picture.step {
      case .source(let file, _, _):
        if paths.insert(file.path).inserted { files.append(file) }
      case .canvas: isDrawn = true
      case .operation:
        if picture.inputs.isEmpty { isDrawn = true }
        pending += picture.inputs.reversed()
      case .invalid: break
      }
    }
    return (files, isDrawn)
  }
}
