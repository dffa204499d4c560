enum BenchFormat: String, CaseIterable {
  case webp, tiff, avif, gif, heic, jxl, jp2, pdf, raw

  var title: String {
    switch self {
    case .webp: "WebP"
    case .tiff: "TIFF"
    case .avif: "AVIF"
    case .gif: "GIF"
    case .heic: "HEIC"
    case .jxl: "JPEG XL"
    case .jp2: "JPEG 2000"
    case .pdf: "PDF"
    case .raw: "RAW"
    }
  }

  /// The folder of the format's files, which Scripts/dev/bench-formats creates.
  var folder: String { self == .raw ? "dng" : rawValue }

  /// Whether libvips and Pillow from PyPI read the format, too.
  var isCommon: Bool { [.webp, .tiff, .avif, .gif].contains(self) }

  /// The options for opening a file at 4000x3000 pixels, as Lua text. A PDF has this size at 96 pixels per inch.
  var options: String { self == .pdf ? "{ dpi = 96 }" : "{}" }
}

extension Bench {
  /// Returns the files of a format, six with `--quick`, and creates them if they are missing. If they cannot be
  /// created, or imghost has no plugin for them, prints a message and returns no files.
  func files(_ folder: String, _ title: String) throws(BenchFailure) -> [String] {
    let path = inputs.folder + "/formats/" + folder
    if Folder.files(path, suffix: "." + suffix(folder)).count < 48 {
      BenchProgram.message("making files of \(title)")
      _ = try inputs.neededPhotos()
      let script = Folder.build + "/../Scripts/dev/bench-formats"
      _ = Measurement([script, inputs.folder + "/formats", inputs.photoFolder, folder])
    }
    let files = Folder.files(path, suffix: "." + suffix(folder))
    guard let first = files.first else {
      BenchProgram.message("\(title) is left out: Scripts/dev/bench-formats says why it makes no files")
      return []
    }
    guard Measurement([Folder.sibling("imghost"), "info", first]) != nil else {
      BenchProgram.message("\(title) is left out: imghost does not read \(first)")
      return []
    }
    return isQuick ? Array(files.prefix(6)) : files
  }

  private func suffix(_ folder: String) -> String { String(folder.prefix { $0 != "-" }) }

  /// Returns at most `count` photographs; two with `--quick`.
  func somePhotos(_ count: Int) throws(BenchFailure) -> [String] {
    Array(try inputs.neededPhotos().prefix(isQuick ? 2 : count))
  }
}
