/// The time, memory and quality of imghost or of a peer.
package struct Figures: Sendable, Equatable {
  /// The time in seconds, usually the median of several runs.
  package var seconds: Double
  /// The peak of the resident memory in bytes; nil if it was not measured.
  package var peakBytes: Double?
  /// The peak signal-to-noise ratio of the pictures, compared with pictures computed in 64-bit floating point, in dB.
  package var decibels: Double?

  package init(seconds: Double, peakBytes: Double? = nil, decibels: Double? = nil) {
    self.seconds = seconds
    self.peakBytes = peakBytes
    self.decibels = decibels
  }
}

/// A limit for the figures of imghost in one line of the table, and whether imghost meets it.
package struct Bar: Sendable, Equatable {
  package var text: String
  package var isMet: Bool

  package init(_ text: String, isMet: Bool) {
    self.text = text
    self.isMet = isMet
  }

  package static func ratio(_ ratio: Double, atMost limit: Double) -> Bar {
    Bar("time \u{2264} \(NumberText.decimal(limit, 2))", isMet: ratio <= limit)
  }

  package static func memory(_ bytes: Double, atMost megabytes: Double) -> Bar {
    Bar("\u{2264} \(Int(megabytes)) MB", isMet: bytes <= megabytes * 1e6)
  }

  package static func seconds(_ seconds: Double, atMost limit: Double) -> Bar {
    Bar("\u{2264} \(NumberText.time(limit))", isMet: seconds <= limit)
  }
}

/// One line of the table: imghost against one peer for one kind of work.
package struct ReportLine: Sendable {
  /// The name of the kind of work. Several lines may share it.
  package var work: String
  package var ours: Figures
  /// The peer's name and version.
  package var peer: String
  /// The peer's figures; nil if the peer is not installed, or if there is none.
  package var theirs: Figures?
  /// The median, over all pairs of measurements, of imghost's time divided by the peer's.
  package var ratio: Double?
  package var bars: [Bar]

  package init(
    work: String, ours: Figures, peer: String = "", theirs: Figures? = nil, ratio: Double? = nil, bars: [Bar] = []
  ) {
    self.work = work
    self.ours = ours
    self.peer = peer
    self.theirs = theirs
    self.ratio = ratio
    self.bars = bars
  }
}

/// The section of a Markdown file that contains the benchmark's report.
package enum ReportPlace {
  package static let begin = "<!-- imghost-bench writes from here -->"
  package static let end = "<!-- to here -->"

  /// Returns a file's text with the text between the two marks replaced by the report.
  ///
  /// - Parameter old: the file's text; nil for a new one. If the marks are missing or out of order, the result is the
  ///   report alone.
  package static func text(_ old: String?, report: String) -> String {
    guard let old, let start = old.ranges(of: begin).first?.upperBound,
      let stop = old[start...].ranges(of: end).first?.lowerBound
    else { return report }
    return old[..<start] + "\n" + report + old[stop...]
  }
}
