import Foundation

/// The processes of this machine, from proc(5).
enum Processes {
  /// Returns the children of a process that have not ended.
  static func children(of process: Int32) -> [Int32] {
    Built.files(in: "/proc").compactMap { Int32($0) }.filter { child in
      let fields = stat(child)
      return fields.count > 1 && Int32(fields[1]) == process && isRunning(child)
    }
  }

  /// Whether a process exists and has not ended. A zombie has ended.
  static func isRunning(_ process: Int32) -> Bool { !["", "Z", "X"].contains(stat(process).first ?? "") }

  /// The words of a program's command line.
  static func commandLine(of process: Int32) -> [String] {
    let text = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
    return text.split(separator: "\0").map(String.init)
  }

  /// Returns the fields after the program's name, which is in parentheses: the state, the parent, and more.
  private static func stat(_ process: Int32) -> [Substring] {
    let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return text.split(separator: ")").last?.split(separator: " ") ?? []
  }
}
