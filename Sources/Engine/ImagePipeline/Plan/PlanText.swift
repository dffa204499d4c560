import ImageCore

/// The text of a plan for `--dry-run`: one line for each output, from the file to the result.
///
/// `web/4.jpg <- photos/4.jpg 4000x3000 jpeg decoded at 1/2 > resize width=800 800x600 > sharpen; about 3 MB`
package enum PlanText {
  static func lines(_ tasks: [PictureTask]) -> [String] {
    tasks.flatMap { task in
      task.unit.copies.map { page in
        "\(page.document.title(of: page)) <- \(printable(page.copiesSource?.path ?? "")) stored as it is"
      }
        + task.plan().outputNodes.flatMap { output in
          let chain = chain(output.node)
          let memory = "; about \(megabytes(task.byteCount)) MB"
          return output.files.map { file in
            let how = chain + (use(of: file) ?? goal(of: file))
            return "\(printable(file.path)) <- \(how)\(memory)"
          }
            + output.entries.map { "\($0.document.title(of: $0)) <- \(chain)\(memory)" }
        }
    }
  }

  /// Returns the use of the source's bytes, such as ` > copied as it is`; nil for a picture that is encoded.
  private static func use(of file: FileOutput) -> String? {
    switch file.use {
    case .copied: " > copied as it is"
    case .wrapped: " > JPEG kept byte for byte"
    case .restored: " > its JPEG restored"
    case nil: nil
    }
  }

  /// Returns the goal of a file, such as ` > find quality max_bytes=81920`; empty if it has none.
  private static func goal(of file: FileOutput) -> String {
    guard file.goal != nil else { return "" }
    return " > find quality" + QualityGoal.given(file.format.arguments).map { " \($0.name)=\($0.value.text)" }.joined()
  }

  /// Returns the text of a chain, from its start to `end`. The chains of an operation's further inputs follow the
  /// operation in parentheses. An operation that occurs again is replaced by the path of its file, or by `canvas`.
  static func chain(_ end: PlanNode) -> String {
    var seen: Set<ObjectIdentifier> = []
    return chain(end, &seen)
  }

  private static func chain(_ end: PlanNode, _ seen: inout Set<ObjectIdentifier>) -> String {
    var nodes = [end]
    while nodes.last!.step.hasInput {
      guard seen.insert(ObjectIdentifier(nodes.last!)).inserted else { break }
      nodes.append(nodes.last!.inputs[0])
    }
    var parts = [source(nodes.removeLast())]
    for node in nodes.reversed() { parts.append(step(node, &seen)) }
    return parts.joined(separator: " > ")
  }

  private static func source(_ node: PlanNode) -> String {
    switch node.step {
    case .decode(let file, let contents, let options):
      let layout = contents.header.layout
      return "\(printable(file.path)) \(layout.width)x\(layout.height) \(contents.header.codec)"
        + decoding(options, layout)
    case .canvas:
      return "canvas \(node.layout.width)x\(node.layout.height)"
    case .shared, .operation, .cut:
      return node.path.isEmpty ? "canvas" : printable(node.path)
    }
  }

  /// Returns how a file is decoded, if not as a whole: ` decoded at 1/4, rows 200..599 and columns 1000..1899 only`.
  /// Rows and columns are those of the file.
  private static func decoding(_ options: DecodeOptions, _ layout: PictureLayout) -> String {
    guard options.shrink > 1 || options.region != nil else { return "" }
    let shrink = options.shrink > 1 ? " at 1/\(options.shrink)" : ""
    guard let region = options.region else { return " decoded" + shrink }
    func span(_ first: Int, _ end: Int, _ side: Int) -> String {
      "\(first * options.shrink)..\(min(end * options.shrink, side) - 1)"
    }
    return " decoded\(shrink), rows \(span(region.top, region.bottom, layout.height))"
      + " and columns \(span(region.left, region.right, layout.width)) only"
  }

  private static func step(_ node: PlanNode, _ seen: inout Set<ObjectIdentifier>) -> String {
    let (name, arguments): (String, Arguments?) =
      switch node.step {
      case .operation(let name, _, let arguments): (name, arguments)
      case .cut(let name, _, let arguments): (name, arguments)
      case .decode, .canvas, .shared:
        preconditionFailure("a source is only at the end of a chain")
      }
    var parts = [name]
    for argument in arguments?.given ?? [] {
      if case .picture = argument.value { continue }
      parts.append("\(argument.name)=\(argument.value.text)")
    }
    for other in node.inputs.dropFirst() { parts.append("(" + chain(other, &seen) + ")") }
    let size = "\(node.layout.width)x\(node.layout.height)"
    return (node.layout == node.inputs[0].layout ? parts : parts + [size]).joined(separator: " ")
  }

  package static func megabytes(_ bytes: Int) -> Int { max(1, (bytes + 500_000) / 1_000_000) }
}

extension PlanNode.Step {
  fileprivate var hasInput: Bool {
    switch self {
    case .operation, .cut: true
    case .decode, .canvas, .shared: false
    }
  }
}
