/// The time, memory and quality of one side.
public struct Figures: Sendable, Equatable {
  /// The median, in seconds.
  public var seconds: Double
  /// The most that was resident, in bytes; nil where it was not measured.
  public var peakBytes: Double?
  /// How good the result was.
  public var quality: Quality?

  public init(seconds: Double, peakBytes: Double? = nil, quality: Quality? = nil) {
    self.seconds = seconds
    self.peakBytes = peakBytes
    self.quality = quality
  }
}

/// How far a picture is from the one that 64-bit floating point makes.
public struct Quality: Sendable, Equatable {
  /// The largest difference from the rounded reference, in levels of the samples; nil where it says
  /// nothing, as with lossy files.
  public var largestError: Int?
  /// Peak signal to noise ratio against the reference, in dB.
  public var decibels: Double

  public init(largestError: Int?, decibels: Double) {
    self.largestError = largestError
    self.decibels = decibels
  }

  public var text: String {
    let start = largestError.map { "max \($0), " } ?? ""
    return start + NumberText.decimal(decibels, decibels < 50 ? 2 : 1) + " dB"
  }
}

/// A limit that imghost must keep on a line, and whether it does.
public struct Bar: Sendable, Equatable {
  public var text: String
  public var isMet: Bool

  public init(_ text: String, isMet: Bool) {
    self.text = text
    self.isMet = isMet
  }

  public static func ratio(_ ratio: Double, atMost limit: Double) -> Bar {
    Bar("time \u{2264} \(NumberText.decimal(limit, 2))", isMet: ratio <= limit)
  }

  public static func memory(_ bytes: Double, atMost megabytes: Double) -> Bar {
    Bar("\u{2264} \(Int(megabytes)) MB", isMet: bytes <= megabytes * 1e6)
  }

  public static func seconds(_ seconds: Double, atMost limit: Double) -> Bar {
    Bar("\u{2264} \(NumberText.time(limit))", isMet: seconds <= limit)
  }
}

/// One line of the table: imghost against one peer on one piece of work.
public struct ReportLine: Sendable {
  /// The work, the same on all lines of it.
  public var work: String
  /// The variant of imghost, such as the instruction set; often empty.
  public var variant: String
  public var ours: Figures
  /// The peer's name and version.
  public var peer: String
  /// nil for a peer that is not installed.
  public var theirs: Figures?
  /// The median of the pairs' ratios, our time over the peer's.
  public var ratio: Double?
  public var bars: [Bar]

  public init(
    work: String, variant: String = "", ours: Figures, peer: String, theirs: Figures?, ratio: Double?, bars: [Bar] = []
  ) {
    self.work = work
    self.variant = variant
    self.ours = ours
    self.peer = peer
    self.theirs = theirs
    self.ratio = ratio
    self.bars = bars
  }
}
