import BenchReport

/// A kind of work that is measured for imghost and for its peers.
protocol Work: Sendable {
  /// The name of the work on the command line.
  var name: String { get }
  var summary: String { get }
  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine]
}

/// The inputs and settings of a measurement.
struct Bench {
  let scratch: Scratch
  let peers: PeerFolder
  let inputs: Inputs
  /// The number of pairs of runs when whole programs are compared.
  let runs: Int
  /// Whether ImageMagick is also measured on the photo book; each of its runs takes half a minute.
  let usesImageMagick: Bool
  /// Whether to measure only a few files of each format, and to merge a shorter book.
  let isQuick: Bool
  let formats: [BenchFormat]

  func with(runs: Int) -> Bench {
    Bench(
      scratch: scratch, peers: peers, inputs: inputs, runs: runs, usesImageMagick: usesImageMagick, isQuick: isQuick,
      formats: formats)
  }
}

enum BenchFailure: Error {
  case failed(String)
  case noInput(String)
  case noPhotographs(String)
  case wrongResult(String)

  var text: String {
    switch self {
    case .failed(let what): "failed: \(what)"
    case .noInput(let what): "no input could be made for \(what)"
    case .noPhotographs(let folder):
      "no photographs in \(folder); Scripts/dev/bench-photos makes some"
    case .wrongResult(let what): "wrong result: \(what)"
    }
  }
}
