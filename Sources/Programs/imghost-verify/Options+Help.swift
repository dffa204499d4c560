import VerifierOptions

extension Options {
  /// `--help`, made from the table of options.
  static var help: String {
    """
    usage: imghost-verify [options] PDF...

    Proves PDFs: structure, stored pictures, and every rendered page pixel by pixel.

    \(table(VerifyOption.workings))
      --help
          print this and exit

    What the PDF must be, beside what its writer says of it:

    \(table(VerifyOption.requirements))

    exit status: 0 nothing is wrong, 1 a file cannot be read, or the
    limit of memory is too low to check it, 2 wrong usage, 4 something is wrong

    """
  }

  private static func table(_ options: [VerifyOption]) -> String {
    options.filter { $0.places.contains(.program) }.map { option in
      "  \(option.flag)\(option.placeholder.map { " " + $0 } ?? "")\n"
        + wrapped(option.programHelp, width: 80).map { "      " + $0 }.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// Breaks a text at spaces.
  private static func wrapped(_ text: String, width: Int) -> [String] {
    text.split(separator: " ").reduce(into: []) { lines, word in
      if let line = lines.last, line.count + 1 + word.count <= width {
        lines[lines.count - 1] = line + " " + word
      } else {
        lines.append(String(word))
      }
    }
  }
}
