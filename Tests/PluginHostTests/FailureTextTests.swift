import ImageCore
import Platform
import Testing

@testable import PluginHost

/// Every text for a refused file, a failed call and a fault, a row for each case.
///
/// The functions `number` have a switch over all cases: a new case does not compile until it has a number there, and
/// the test fails until it has a row.
@Suite struct FailureTextTests {
  private func check<Failure: CustomStringConvertible>(
    _ rows: [(Failure, String)], count: Int, number: (Failure) -> Int
  ) {
    for (failure, text) in rows { #expect(failure.description == text) }
    #expect(Set(rows.map { number($0.0) }) == Set(0..<count), "a case has no row")
  }

  @Test func refusals() {
    let rows: [(PluginRefusal, String)] = [
      (
        .file(FileError(.open, path: "a.so", code: ENOENT)), "cannot be read: the file does not exist"
      ),
      (.emptyFile, "is not an imghost plugin: the file is empty"),
      (.notALibrary, "is not an imghost plugin: it is not a shared library (no ELF header)"),
      (.truncated, "is truncated: its ELF headers name bytes beyond its end"),
      (.otherMachine("aarch64"), "is for another machine (aarch64)"),
      (.notASharedLibrary, "is not an imghost plugin: it is a program or an object file"),
      (.cannotLoad("undefined symbol: f"), "cannot be loaded: undefined symbol: f"),
      (.noEntry, "is not an imghost plugin: no symbol imghost_plugin_entry"),
      (
        .noDescription, "does not work with this imghost: imghost_plugin_entry returned NULL"
      ),
      (
        .wrongVersion(2), "was built for version 2 of imghost_plugin.h; this imghost supports version 1"
      ),
      (.invalid(.noFunctions), "describes itself wrongly: create, destroy or process is missing"),
      (.frei0r("f0r_init failed"), "is not a working frei0r plugin: f0r_init failed"),
      (
        .frei0rFolder, "is a frei0r plugin in a folder of native plugins; add the folder to FREI0R_PATH"
      ),
      (.worker("crashed"), "could not be described: it crashed"),
      (
        .remembered("crashed"),
        "could not be described in an earlier run: it crashed; to try again: imghost plugin check"
      ),
      (.hidden(name: "blur", by: "/a/b.so"), "is not used: 'blur' is already defined by /a/b.so"),
    ]
    check(rows, count: 16) { refusal in
      switch refusal {
      case .file: 0
      case .emptyFile: 1
      case .notALibrary: 2
      case .truncated: 3
      case .otherMachine: 4
      case .notASharedLibrary: 5
      case .cannotLoad: 6
      case .noEntry: 7
      case .noDescription: 8
      case .wrongVersion: 9
      case .invalid: 10
      case .frei0r: 11
      case .frei0rFolder: 12
      case .worker: 13
      case .remembered: 14
      case .hidden: 15
      }
    }
  }

  @Test func descriptionErrors() {
    let rows: [(DescriptionError, String)] = [
      (.tooSmall, "a struct is smaller than in version 1 of imghost_plugin.h"),
      (.noFunctions, "create, destroy or process is missing"),
      (.tooLong, "it is longer than \(Message.maximumByteCount / 1024) KB"),
      (.garbled, "the answer cannot be read"),
      (.badName("a b"), "'a b' is not a name (letters, digits and underscores)"),
      (.textTooLong("the unit of 'a'"), "the unit of 'a' is too long"),
      (.kind(9), "unknown kind of plugin 9"),
      (.unknownValue(field: "extent", 7), "invalid value 7 for extent"),
      (.noFormats, "it accepts no sample type or no number of bands"),
      (.tooManyParameters(99), "it declares 99 parameters; at most 64 are allowed"),
      (.duplicate("a"), "parameter 'a' is declared twice"),
      (
        .reserved("width"), "parameter 'width': the name is reserved for the size or another picture"
      ),
      (.inputCount(1), "a mixer takes 2 to \(Limits.inputs) pictures, not 1"),
      (.parameter("a", .notWhole), "parameter 'a': \(ParameterMistake.notWhole)"),
      (.codec("it has no file extension"), "it has no file extension"),
      (.tooManyDataPaths, "it declares more than 16 paths of data"),
      (
        .dataPath("/etc/shadow"),
        "'/etc/shadow' is not data below /usr/share, /usr/local/share, /usr/lib, /usr/local/lib, /opt"
      ),
    ]
    check(rows, count: 17) { error in
      switch error {
      case .tooSmall: 0
      case .noFunctions: 1
      case .tooLong: 2
      case .garbled: 3
      case .badName: 4
      case .textTooLong: 5
      case .kind: 6
      case .unknownValue: 7
      case .noFormats: 8
      case .tooManyParameters: 9
      case .duplicate: 10
      case .reserved: 11
      case .inputCount: 12
      case .parameter: 13
      case .codec: 14
      case .tooManyDataPaths: 15
      case .dataPath: 16
      }
    }
  }

  @Test func parameterMistakes() {
    let rows: [(ParameterMistake, String)] = [
      (.type(9), "unknown type 9"),
      (.notFinite, "the range or the default is not a finite number"),
      (.emptyRange(2, 1), "the range from 2 to 1 is empty"),
      (.notWhole, "the range or the default of a whole number is not whole"),
      (.defaultOutside, "the default is outside the range"),
      (.choices, "an enum needs 1 to \(Limits.choices) choices"),
      (.duplicateChoice("a"), "choice 'a' is declared twice"),
      (.step, "the step is below 0, not finite, or not whole for a whole number"),
    ]
    check(rows, count: 8) { mistake in
      switch mistake {
      case .type: 0
      case .notFinite: 1
      case .emptyRange: 2
      case .notWhole: 3
      case .defaultOutside: 4
      case .choices: 5
      case .duplicateChoice: 6
      case .step: 7
      }
    }
  }

  @Test func callFailures() {
    let rows: [(CallFailure, String)] = [
      (.plugin(""), "failed without saying why"),
      (.plugin("needs more light"), "needs more light"),
      (.ended(.exit(3)), "ended its process with status 3 in the middle of its work"),
      (.ended(.signal(SIGSEGV)), "crashed (segmentation fault)"),
      (.ended(.signal(SIGBUS)), "crashed (bus error)"),
      (.ended(.signal(SIGABRT)), "crashed (it aborted itself)"),
      (.ended(.signal(SIGILL)), "crashed (illegal instruction, or a check of its own that failed)"),
      (.ended(.signal(SIGTRAP)), "crashed (a check of its own that failed)"),
      (.ended(.signal(SIGFPE)), "crashed (division by zero)"),
      (.ended(.signal(SIGSYS)), "crashed (forbidden system call)"),
      (.ended(.signal(SIGKILL)), "crashed (killed by another process or for lack of memory)"),
      (.ended(.signal(SIGUSR1)), "crashed (signal \(SIGUSR1))"),
      (.fault(.forbiddenCall(.max)), "crashed (forbidden system call \(UInt64.max))"),
      (.closed, "closed its connection without an answer and was stopped"),
      (.garbled, "sent an invalid answer and was stopped"),
      (.late(.computing(.seconds(30))), "did not answer within 30 s of processor time and was stopped"),
      (
        .lateAgain(.computing(.seconds(30))),
        "did not answer within 30 s of processor time in either of two tries and was stopped"
      ),
      (.late(.idle(.milliseconds(250))), "did not answer within 0.25 s of waiting and was stopped"),
      (.refused(.emptyFile), "is not an imghost plugin: the file is empty"),
      (.notStarted("/w: no such file"), "could not be started: /w: no such file"),
      (.changed, "changed on disk while the script ran; run it again"),
      (.cancelled, "was cancelled"),
      (.notMine, "does not read this file"),
      (.otherHeader, "described the picture differently before"),
      (.emptyFile, "gave an empty file"),
      (
        .uncountedThreads,
        "needs more threads than the \(ThreadWarden.mostThreads) that a plugin may start in all where /proc is not "
          + "mounted, which counts those that run; mount it: mount -t proc proc /proc"
      ),
    ]
    check(rows, count: 14) { failure in
      switch failure {
      case .plugin: 0
      case .ended: 1
      case .fault: 2
      case .closed: 3
      case .garbled: 4
      case .late, .lateAgain: 5
      case .refused: 6
      case .notStarted: 7
      case .changed: 8
      case .cancelled: 9
      case .notMine: 10
      case .uncountedThreads: 11
      case .otherHeader: 12
      case .emptyFile: 13
      }
    }
  }

  /// What `plugin check` concludes from a failure depends on its facts: a plugin may word its own error as it likes.
  @Test func propertiesOfFailures() {
    let words = "crashed: it wrote to its input, outside its output, and did not answer within 3 s"
    let rows: [(CallFailure, PluginVerdict.Property?)] = [
      (.plugin(words), nil), (.notStarted(words), nil), (.changed, nil), (.emptyFile, nil),
      (.ended(.exit(3)), .crash), (.closed, .crash), (.garbled, .crash), (.fault(.forbiddenCall(1)), .crash),
      (.fault(.memory(.elsewhere, .write, address: 16)), .crash),
      (.fault(.memory(.input, .write, address: 16)), .input),
      (.fault(.memory(.besideInput, .read, address: 16)), .bounds),
      (.fault(.memory(.besideOutput, .write, address: 16)), .bounds),
      (.late(.idle(.seconds(1))), .hang), (.lateAgain(.computing(.seconds(1))), .hang),
    ]
    for (failure, property) in rows { #expect(failure.property == property, "\(failure)") }
  }

  @Test func faults() {
    let crash = "segmentation fault at 0x10"
    let rows: [(Fault, String)] = [
      (.memory(.input, .write, address: 16), "wrote to its input (\(crash))"),
      (.memory(.besideInput, .read, address: 16), "read outside its input (\(crash))"),
      (
        .memory(.besideInput, .unknown, address: 16),
        "accessed memory outside its input (\(crash))"
      ),
      (.memory(.besideOutput, .write, address: 16), "wrote outside its output (\(crash))"),
      (.memory(.elsewhere, .read, address: 16), "crashed (\(crash))"),
      (.forbiddenCall(.max), "crashed (forbidden system call \(UInt64.max))"),
    ]
    check(rows, count: 5) { fault in
      switch fault {
      case .memory(.input, _, _): 0
      case .memory(.besideInput, _, _): 1
      case .memory(.besideOutput, _, _): 2
      case .memory(.elsewhere, _, _): 3
      case .forbiddenCall: 4
      }
    }
  }
}
