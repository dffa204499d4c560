/// libvips' programs of Debian's package libvips-tools.
enum VipsPrograms {
  /// Their version; nil where they are not installed.
  static func version(_ bench: Bench) -> String? {
    let output = bench.scratch.path + "/version.txt"
    guard Measurement(["vips", "--version"], output: output) != nil else { return nil }
    return TextFile.read(output)?.split { $0 == " " || $0 == "\n" }.first { $0.hasPrefix("vips-") }
      .map { String($0.dropFirst(5)) }
  }
}
