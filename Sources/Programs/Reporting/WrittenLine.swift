import ImageCore
import ImagePipeline

/// The line about one output: `web/a.jpg: 1600x1067, 210.4 kB, quality 81`.
enum WrittenLine {
  static func text(_ path: String, _ byteCount: Int, _ layout: PictureLayout?, quality: Int?) -> String {
    let facts = [
      layout.map { "\($0.width)x\($0.height)" }, SummaryLine.size(byteCount), quality.map { "quality \($0)" },
    ]
    return printable(path) + ": " + facts.compactMap(\.self).joined(separator: ", ")
  }
}
