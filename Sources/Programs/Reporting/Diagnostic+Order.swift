import ImageCore
import ImagePipeline

extension Diagnostic {
  /// Returns diagnostics in the order of their lines; those of the same line in natural order.
  package static func byPlace(_ all: [Diagnostic]) -> [Diagnostic] {
    let keyed = all.map { (line: $0.position?.line ?? 0, text: Array($0.text.utf8), $0) }
    return keyed.sorted { left, right in
      left.line == right.line ? naturalOrder(left.text, right.text) : left.line < right.line
    }.map { $0.2 }
  }
}
