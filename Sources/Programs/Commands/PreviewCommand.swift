import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PreviewServer
import Reporting
import Scheduling

enum PreviewCommand: Command {
  static let name = "preview"
  static let summary = "show a script's pictures and pages in a browser while you edit it"
  static let operands = "SCRIPT [ARGS…]"
  static let leavesRestToScript = true
  static let options =
    ScriptOptions.all.filter { !["--timeout", "--script-time"].contains($0.name) } + [
      CommandOption(
        name: "--script-time", value: "SECONDS", help: "time limit of the script itself", defaultValue: "5"),
      CommandOption(name: "--no-browser", value: nil, help: "print the address only"),
      CommandOption(
        name: "--port", value: "N", help: "port of the page, on this machine only",
        defaultValue: "that of the last time, or any"),
    ]
  static let details = """
    The page shows what the script would make, at the size of the screen, and changes whenever the
    script or one of its pictures is saved. No output is written until you press 'Run script' on the page.

    Only programs of this machine that know the address can see the page. It has a random word, which is
    new each time; only the port stays.
    Ctrl-C ends the preview.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let script = try line.operand(0, "SCRIPT")
    guard script != "-" else { throw .other("a script from standard input cannot be edited; give a file") }
    do throws(FileError) { _ = try ScriptRunner.readScript(script) } catch {
      throw .other("\(printable(script)): \(error)")
    }
    let port = try line.count("--port", atMost: 65_535)
    Interruption.block()
    Lifeline.prepare()
    let preview = try ScriptPreview(line, script: script)
    let server: PreviewServer
    let address: String
    do throws(PreviewServer.Failure) {
      server = try PreviewServer(preview.parts, port: port)
      address = try server.start()
    } catch {
      preview.invalidate()
      throw .other(error.reason)
    }
    Terminal.output("\(printable(script)): preview at \(address)")
    if !line.has("--no-browser"), !preview.isRestart { openBrowser(server.browserAddress) }
    preview.onRestart = { server.keepForRestart() }
    let cause = Interruption.waitForSignal()
    server.end()
    preview.invalidate()
    return .interrupted(by: cause)
  }

  /// Opens the user's browser. Without a browser, the user can open the printed address.
  ///
  /// - Parameter address: the address of a private file that redirects to the page; nil if that file could not be
  ///   created.
  private static func openBrowser(_ address: String?) {
    guard let address else {
      Terminal.error(
        "imghost: note: there is no folder of yours for a link to the page; open the address in a browser yourself")
      return
    }
    _ = try? ChildProcess(
      "env", ["-u", Lifeline.variable, "xdg-open", address],
      descriptors: [
        .open("/dev/null", flags: O_RDWR, as: 0), .duplicate(0, as: 1), .duplicate(0, as: 2), .closed(from: 3),
      ], signals: .ownGroup, outlives: true)
  }
}
