struct BenchOptions {
  var names: [String] = []
  var photos = Folder.build + "/bench-inputs/photos"
  var inputs = Folder.build + "/bench-inputs"
  var peers = Folder.build + "/peers"
  var runs = 5
  var markdown: String?
  var plot: String?
  var usesImageMagick = false
  var isQuick = false
  var formats = BenchFormat.allCases
  var wantsHelp = false

  struct Misuse: Error {
    let text: String
  }

  init(_ arguments: [String]) throws(Misuse) {
    var rest = arguments[...]
    func value(_ option: String) throws(Misuse) -> String {
      guard let value = rest.popFirst() else { throw Misuse(text: "\(option) lacks its value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": wantsHelp = true
      case "--imagemagick": usesImageMagick = true
      case "--quick": isQuick = true
      case "--photos": photos = try value(argument)
      case "--inputs": inputs = try value(argument)
      case "--peers": peers = try value(argument)
      case "--markdown": markdown = try value(argument)
      case "--svg": plot = try value(argument)
      case "--formats": formats = try Self.formats(try value(argument))
      case "--runs":
        let text = try value(argument)
        guard let count = Int(text), count >= 1 else {
          throw Misuse(text: "--runs takes a number from 1, not '\(text)'")
        }
        runs = count
      case _ where argument.hasPrefix("-"):
        throw Misuse(text: "unknown option '\(argument)'")
      default: names.append(argument)
      }
    }
    if wantsHelp { return }
    if names.isEmpty { throw Misuse(text: "which work?") }
    let known = BenchProgram.works.map(\.name) + ["all"]
    for name in names where !known.contains(name) { throw Misuse(text: "there is no work '\(name)'") }
  }

  private static func formats(_ text: String) throws(Misuse) -> [BenchFormat] {
    var formats: [BenchFormat] = []
    for name in text.split(separator: ",") {
      guard let format = BenchFormat(rawValue: String(name)) else {
        let known = BenchFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw Misuse(text: "invalid value '\(name)' for --formats: expected some of \(known)")
      }
      formats.append(format)
    }
    return formats
  }

  static var help: String {
    let rows = BenchProgram.works.map { ($0.name, $0.summary) } + [("all", "every one of them")]
    let width = rows.map(\.0.count).max() ?? 0
    let lines = rows.map {
      "  \($0.0)" + String(repeating: " ", count: width - $0.0.count + 2) + $0.1
    }
    return """
      Measures imghost against its peers: alternating pairs in one run, medians and ratios.

      usage: imghost-bench WORK… [OPTIONS]

      \(lines.joined(separator: "\n"))

      options:
        --runs N         pairs of programs, 5 if nothing is said
        --photos FOLDER  photographs; if nothing is said .build/bench-inputs/photos, made by
                         Scripts/dev/bench-photos where it is missing
        --inputs FOLDER  where other inputs are kept, .build/bench-inputs
        --peers FOLDER   what Scripts/dev/peers has installed, .build/peers
        --imagemagick    lets ImageMagick make the photo book, too: half a minute each time
        --quick          of the files of 'formats' six of each format, and two photographs; for
                         'merge' 1,000 pages
        --formats A,B    of 'formats' only these: \(BenchFormat.allCases.map(\.rawValue).joined(separator: ", "))
        --markdown FILE  writes the table there, too, between its marks if it has them
        --svg FILE       draws the table

      Use a release build, on a machine that does nothing else.
      """
  }
}
