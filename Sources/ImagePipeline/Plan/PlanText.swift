import ImageCore

/// A plan as `--dry-run` prints it: a line an output, from the file to the result.
///
/// `web/4.jpg <- photos/4.jpg 4000x3000 jpeg at 1/2 > resize 800x600 > sharpen; 3 MB`
enum PlanText {
  static func lines(_ tasks: [PictureTask]) -> [String] {
    tasks.flatMap { task in
      task.copies.map { page in
        "\(page.place) <- \(printable(page.copiesSource?.path ?? "")) stored as it is"
      }
        + task.terminals.flatMap { terminal in
          let chain = chain(terminal.node)
          let memory = "; about \(megabytes(task.byteCount)) MB"
          return terminal.files.map { file in
            let how = file.copiesSource == nil ? chain : chain + " > copied as it is"
            return "\(printable(file.path)) <- \(how)\(memory)"
          }
            + terminal.pages.map { "\($0.place) <- \(chain)\(memory)" }
        }
    }
  }

  static func chain(_ node: PlanNode) -> String {
    switch node.step {
    case .decode(let file, let contents, let options):
      let layout = contents.header.layout
      let shrink = options.shrink > 1 ? " decoded at 1/\(options.shrink)" : ""
      return "\(printable(file.path)) \(layout.width)x\(layout.height) \(contents.header.codec)"
        + shrink
    case .canvas:
      return "canvas \(node.layout.width)x\(node.layout.height)"
    case .shared:
      return printable(node.path)
    case .operation(let name, _, let arguments):
      let first = chain(node.inputs[0])
      let others = node.inputs.dropFirst().map { "(" + chain($0) + ")" }
      let given = (arguments?.given ?? []).compactMap { argument -> String? in
        if case .picture = argument.value { return nil }
        return "\(argument.name)=\(argument.value.text)"
      }
      let size = " \(node.layout.width)x\(node.layout.height)"
      let changes = node.layout != node.inputs[0].layout ? size : ""
      return ([first + " > " + name] + given + others).joined(separator: " ") + changes
    }
  }

  private static func megabytes(_ bytes: Int) -> Int { max(1, (bytes + 500_000) / 1_000_000) }
}

extension PageOutput {
  fileprivate var place: String { "\(printable(assembler.path)) page \(index + 1)" }
}
