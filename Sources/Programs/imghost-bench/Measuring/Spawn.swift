import Platform

/// Starting programs by `posix_spawn(3)`.
enum Spawn {
  /// - Returns: the process; nil when it could not be started.
  static func start(
    _ command: [String], environment: [String: String],
    actions: UnsafePointer<posix_spawn_file_actions_t>
  ) -> pid_t? {
    var pointers = command.map { strdup($0) } + [nil]
    var variables = inherited(without: environment).map { strdup($0) }
    variables += environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (pointers + variables).forEach { free($0) } }
    var process = pid_t()
    let code = posix_spawnp(&process, command[0], actions, nil, &pointers, &variables)
    return code == 0 ? process : nil
  }

  private static func inherited(without names: [String: String]) -> [String] {
    var result: [String] = []
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if names[String(text.prefix { $0 != "=" })] == nil { result.append(text) }
      next += 1
    }
    return result
  }
}
