#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Work to be measured: ours, and a peer's that does the same.
protocol Work: SendableMetatype {
  static var name: String { get }
  static var summary: String { get }
  /// Whether it works on the folder of photographs.
  static var needsPhotos: Bool { get }
  /// Pairs of commands; the peer's is nil where there is none to compare with.
  static func rows(photos: String, scratch: String) -> [Row]
}

/// One line of the table.
struct Row {
  let name: String
  let ours: [String]
  let peerName: String
  let peer: [String]?
}

/// `imghost-bench WORK… [--photos FOLDER] [--runs N]`.
enum BenchProgram {
  static var works: [any Work.Type] { [Thumbnails.self, PhotoBook.self, StartUp.self] }

  static func run(_ arguments: [String]) -> Int32 {
    var names: [String] = []
    var photos: String?
    var runs = 5
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--photos": photos = rest.popFirst()
      case "--runs":
        guard let count = rest.popFirst().flatMap(Int.init), count >= 1 else { return usage() }
        runs = count
      case "--help", "-h":
        print(help)
        return 0
      default: names.append(argument)
      }
    }
    let known = works.map { $0.name }
    guard !names.isEmpty, names.allSatisfy({ known.contains($0) || $0 == "all" }) else {
      return usage()
    }
    let chosen = works.filter { names.contains($0.name) || names.contains("all") }
    if photos == nil, chosen.contains(where: { $0.needsPhotos }) {
      message("imghost-bench: --photos FOLDER is missing; Scripts/dev/bench-photos makes one")
      return 2
    }
    let scratch = Scratch()
    defer { scratch.remove() }
    var table = Table()
    for work in chosen {
      for row in work.rows(photos: photos ?? "", scratch: scratch.path) {
        guard let line = Comparison(row, runs: runs).measure() else { return 1 }
        table.add(line)
      }
    }
    print(table.text)
    return 0
  }

  private static var help: String {
    let lines = works.map {
      "  \($0.name)" + String(repeating: " ", count: 14 - $0.name.count) + $0.summary
    }
    return """
      Measures imghost against its peers: alternating pairs in one run, medians and ratios.

      usage: imghost-bench WORK… [--photos FOLDER] [--runs N]

      \(lines.joined(separator: "\n"))
        all           every one of them

      Use a release build. Scripts/dev/bench-photos makes the folder of photographs.
      """
  }

  private static func usage() -> Int32 {
    message("imghost-bench: which work? see --help")
    return 2
  }

  static func message(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
