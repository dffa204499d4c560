import ImagePipeline

/// Lists failures in the order of the script's lines. Failures with the same cause share a line.
package enum FailureList {
  package static func lines(_ failures: [Diagnostic]) -> [String] {
    var repetitions = RepeatedFailures()
    let first = Diagnostic.byPlace(failures).filter { repetitions.isNew($0) }
    return (first + repetitions.lines).map(\.text)
  }
}
