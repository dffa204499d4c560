import BenchReport

struct Command {
  let words: [String]
  var environment: [String: String] = [:]
  /// Whether the memory of the processes that the command starts counts, too.
  var countsChildren = false

  func run(output: String) -> Measurement? {
    Measurement(words, environment: environment, output: output, countsChildren: countsChildren)
  }
}

/// A command of a peer; `command` is nil if the peer is not installed.
struct PeerCommand {
  let name: String
  let command: Command?
}

/// Runs imghost and its peers in alternation, so that the machine's state is the same for all.
struct ProgramContest {
  let ours: Command
  let peers: [PeerCommand]
  /// The folders for the output of imghost and of its peers. They are emptied before each run, because the time for
  /// replacing a file depends on what else the disk has to write.
  var folders: (ours: [String], peers: [String]) = ([], [])
  let bench: Bench
  /// Whether processor time is compared instead of elapsed time.
  var comparesProcessorTime = false

  struct Result {
    let peer: String
    let ours: Figures
    let theirs: Figures?
    let ratio: Double?
  }

  func results() throws(BenchFailure) -> [Result] {
    var results: [Result] = []
    for peer in peers { results.append(try pairs(peer)) }
    return results
  }

  private func pairs(_ peer: PeerCommand) throws(BenchFailure) -> Result {
    let output = bench.scratch.path + "/output.txt"
    var (own, other): ([Measurement], [Measurement]) = ([], [])
    // The first pair does not count: it fills caches.
    for run in 0...bench.runs {
      for folder in folders.ours { try Folder.empty(folder) }
      guard let one = ours.run(output: output) else { throw .failed(text(ours)) }
      var two: Measurement?
      if let command = peer.command {
        for folder in folders.peers { try Folder.empty(folder) }
        two = command.run(output: output)
        if two == nil { throw .failed(text(command)) }
      }
      guard run > 0 else { continue }
      own.append(one)
      if let two { other.append(two) }
    }
    tellProcessorTime(peer.name, own, other)
    return Result(
      peer: peer.name, ours: figures(own), theirs: other.isEmpty ? nil : figures(other),
      ratio: other.isEmpty ? nil : zip(own, other).map { time($0) / time($1) }.median)
  }

  /// Prints the processor time, which says more than the elapsed time on a busy machine.
  private func tellProcessorTime(_ peer: String, _ own: [Measurement], _ other: [Measurement]) {
    guard !other.isEmpty else { return }
    let times = [own, other].map { $0.map(\.processorSeconds).median }
    BenchProgram.message("processor time: \(NumberText.time(times[0])), \(peer) \(NumberText.time(times[1]))")
  }

  private func time(_ run: Measurement) -> Double { comparesProcessorTime ? run.processorSeconds : run.seconds }

  private func figures(_ runs: [Measurement]) -> Figures {
    Figures(seconds: runs.map(time).median, peakBytes: runs.map { Double($0.peakBytes) }.median)
  }

  private func text(_ command: Command) -> String { command.words.prefix(8).joined(separator: " ") }
}
