import ImageCore
import PictureTraits
import Platform

/// A graph whose requests have been checked.
package struct CheckedGraph: Sendable {
  package let outputs: CheckedOutputs
  let requests: [OutputRequest]
  let locale: TimeLocale
  /// The number of paths that this graph has claimed.
  let claimCount: Int
}

/// The sinks of a run, by the kinds of their outputs.
struct Sinks {
  let save: SaveSink
  /// The sinks that other modules provide.
  let others: [(kind: Job.Kind, sink: any Sink)]
  /// All sinks, in the order in which `checkTogether` is called.
  let all: [any Sink]
  private let byKind: [Job.Kind: any Sink]

  init(_ environment: Environment) {
    save = SaveSink()
    let multipage = MultipageSink(save)
    others = environment.sinks.map { ($0.kind, $0.makeSink()) }
    let tiles = TilesSink(save)
    all = [save, multipage, tiles] + others.map(\.sink)
    byKind = Dictionary(
      uniqueKeysWithValues: [(.save, save), (.animation, multipage), (.multipage, multipage), (.tiles, tiles)]
        + others.map { ($0.kind, $0.sink) })
  }

  subscript(kind: Job.Kind) -> any Sink {
    guard let sink = byKind[kind] else { preconditionFailure("no sink writes '\(kind.rawValue)'") }
    return sink
  }
}

extension Graph {
  /// Checks every request without making an output. Headers that have not been read before are read now.
  ///
  /// - Parameter traits: measures pictures for sinks that arrange them.
  func checked(
    by sinks: Sinks, _ environment: Environment, _ options: RunOptions, paths: PathClaims,
    traits: @escaping ([Picture]) -> [PictureTraits?]
  ) -> CheckedGraph {
    let before = paths.claims.count
    let context = CheckContext(
      environment: environment, options: options, paths: paths, locale: locale, traits: traits,
      lacksPictures: lacksPictures)
    var outputs = CheckedOutputs()
    for request in requests { outputs.append(sinks[request.job.kind].check(request, in: context)) }
    for sink in sinks.all { outputs.append(sink.checkTogether(in: context)) }
    return CheckedGraph(
      outputs: outputs, requests: requests, locale: locale, claimCount: max(0, paths.claims.count - before))
  }
}
