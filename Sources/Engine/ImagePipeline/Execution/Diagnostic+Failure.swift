import ImageCore

/// An output that could not be made.
package struct FailedOutput {
  /// The output's path, or that of the file it was made of.
  let path: String
  let picture: Picture
  let job: Job
  /// A clause about what becomes of the output.
  let consequence: String
  /// A clause about what else can be done, if a plugin's failure does not tell; nil for nothing.
  let wayOut: String?

  package init(path: String, picture: Picture, job: Job, consequence: String, wayOut: String? = nil) {
    self.path = path
    self.picture = picture
    self.job = job
    self.consequence = consequence
    self.wayOut = wayOut
  }
}

extension Diagnostic {
  /// Makes the message for a failed output: about the failed step and its source, with the consequence, or else about the
  /// output. Nil for a cancelled output.
  ///
  package init?(_ error: PictureError, at node: PlanNode?, of output: FailedOutput, _ run: RunProgress) {
    if error == .cancelled { return nil }
    guard let node else {
      self.init(
        .output, at: output.job.position, subject: output.job.kind.rawValue, file: output.path,
        message: error.description)
      if case .operation = error { cause = error.description }
      return
    }
    var clauses = [error.description, output.consequence]
    var wayOut = output.wayOut
    if case .plugin(let failure) = error {
      if let others = run.others(than: output.picture, of: output.job, failingFrom: node.path) {
        if run.options.onError != .continue { clauses.append(Self.wayOn(others)) }
        wayOut = nil
      }
      if let command = Self.repetition(failure, of: node) { clauses.append(command) }
    }
    if let wayOut { clauses.append(wayOut) }
    self.init(
      .output, at: node.position ?? output.job.position, subject: node.name,
      file: node.path.isEmpty ? nil : node.path, message: clauses.joined(separator: "; "))
    advice = node.advice(after: error)
    // Each call of a plugin has its own message, with the command that repeats it.
    if case .plugin = error { return }
    cause = error.description
  }

  /// The clause about the pictures that do not depend on the one that failed.
  private static func wayOn(_ count: Int) -> String {
    "--on-error continue goes on with the other \(count == 1 ? "picture" : "\(count) pictures")"
  }

  /// The command that repeats the call of a plugin; nil if one of its pictures is not from a file, and for a codec.
  private static func repetition(_ failure: PluginFailure, of node: PlanNode) -> String? {
    if case .decode = node.step { return nil }
    guard failure.inputs.allSatisfy(node.inputs.indices.contains) else { return nil }
    let inputs = failure.inputs.map { node.inputs[$0] }
    guard inputs.allSatisfy({ !$0.path.isEmpty }) else { return nil }
    let words =
      [failure.plugin] + failure.settings.flatMap { ["--set", $0] } + ["--"] + inputs.map(\.path)
      + ["repeated.png"]
    // There may be other steps between a file and the plugin.
    let isExact = inputs.allSatisfy { ["open", "auto_orient"].contains($0.name) }
    let how = isExact ? "to repeat" : "on the \(inputs.count == 1 ? "file itself" : "files themselves")"
    return "\(how): imghost plugin run " + words.map(shellWord).joined(separator: " ")
  }

  /// A word for a POSIX shell: quoted unless it has only letters, digits and a few signs.
  private static func shellWord(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
      byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
        || (0x61...0x7a).contains(byte) || "_-+./:,=@%".utf8.contains(byte)
    }
    return plain && !word.isEmpty
      ? word
      : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
