import BenchReport
import Platform

/// `imghost-bench WORK… [OPTIONS]`.
enum BenchProgram {
  static let works: [any Work] =
    [
      Thumbnails(), LinearThumbnails(), ProfileThumbnails(), PhotoBook(), DesignedBook(), PassThrough(), Embedding(),
      LargePicture.jpeg, LargePicture.png, StartUp(), Scaling(), RestartMarkers(), Memory(), QualityOfServiceWork(),
      QueueWork(), UrgentJobs(), PluginWork(), FormatsWork(), OperationsWork(), Merging(),
    ]

  static func run(_ arguments: [String]) -> Int32 {
    let options: BenchOptions
    do {
      options = try BenchOptions(arguments)
    } catch {
      message("\(error.text); see --help")
      return 2
    }
    if options.wantsHelp {
      print(BenchOptions.help)
      return 0
    }
    let scratch = Scratch()
    defer { scratch.remove() }
    do {
      try measure(options, scratch)
      return 0
    } catch {
      message(error.text)
      return 1
    }
  }

  private static func measure(_ options: BenchOptions, _ scratch: Scratch) throws(BenchFailure) {
    guard Folder.make(options.inputs) else { throw .failed("folder \(options.inputs)") }
    let bench = Bench(
      scratch: scratch, peers: PeerFolder(path: options.peers),
      inputs: Inputs(folder: options.inputs, photoFolder: options.photos), runs: options.runs,
      usesImageMagick: options.usesImageMagick, isQuick: options.isQuick, formats: options.formats)
    var table = ReportTable()
    for work in works where !Set(options.names).isDisjoint(with: [work.name, "all"]) {
      message(work.name)
      table.lines += try work.lines(bench)
    }
    if table.lines.contains(where: { $0.theirs == nil && !$0.peer.isEmpty }) {
      message("Scripts/dev/peers installs what is not installed")
    }
    let text = Machine.description(runs: options.runs) + "\n\n" + table.text + "\n"
    print(text, terminator: "")
    if let path = options.markdown {
      let whole = ReportPlace.text(TextFile.read(path), report: text)
      guard RawFile.write(whole, to: path) else { throw .failed("writing \(path)") }
    }
    if let path = options.plot, !RawFile.write(Plot(table.lines).svg, to: path) {
      throw .failed("writing \(path)")
    }
  }

  static func message(_ text: String) {
    let line = Array("imghost-bench: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
