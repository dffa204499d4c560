import Foundation
import Platform
import TestSupport
import Testing

/// Pictures through pipes: standard input and output, and pipes with names.
struct PipeTests {
  private static func folder() throws -> Folder {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "a.jpg")
    try folder.copy(Built.photos + "/coffee.png", to: "b.png")
    return folder
  }

  /// Runs a line of bash in which `imghost` is the program.
  private static func shell(_ line: String, in folder: Folder, seconds: Double = 30) throws -> Outcome {
    let start = "set -o pipefail; imghost() { \(Built.program("imghost")) \"$@\"; }; "
    return try Command(
      program: "/bin/bash", arguments: ["-c", start + line], folder: folder.path, seconds: seconds
    ).run()
  }

  static let lines: [String] = [
    "imghost convert - --resize 100 -o - <a.jpg >OUT.jpg",
    "cat a.jpg | imghost convert - --resize 100 -o - | cat >OUT.jpg",
    "imghost convert a.jpg --resize 100 -o - >OUT.jpg",
    "cat a.jpg | imghost convert - --resize 100 -o OUT.jpg",
    "imghost convert <(cat a.jpg) --resize 100 -o OUT.jpg",
    "mkfifo in out; cat a.jpg >in & cat out >OUT.jpg & imghost convert in --resize 100 -o out --format jpg; wait",
    "mkfifo in.fifo out.fifo; cat a.jpg >in.fifo & cat out.fifo >OUT.jpg & imghost convert in.fifo --resize 100 -o out.fifo; wait",
    "imghost convert a.jpg --resize 100 -o /dev/stdout >OUT.jpg",
    "imghost convert a.jpg --resize 100 -o /dev/stdout | cat >OUT.jpg",
    "imghost convert a.jpg --resize 100 -o /dev/fd/1 | cat >OUT.jpg",
    "imghost convert a.jpg --resize 100 -o /proc/self/fd/1 >>OUT.jpg",
    "imghost convert a.jpg --resize 100 -o /dev/fd/3 3>OUT.jpg",
    "imghost convert a.jpg --resize 100 -o /dev/fd/3 --manifest /dev/fd/4 4>m.json 3> >(cat >OUT.jpg); wait $!",
    "imghost convert a.jpg --resize 100 -o >(cat >OUT.jpg); wait $!",
    "imghost convert a.jpg --resize 100 -o /dev/null && imghost convert a.jpg --resize 100 -o OUT.jpg",
    "imghost run -e 'img.open(\"a.jpg\"):resize(100):save(\"/dev/stdout\", { format = \"jpg\" }) print(\"a line\")' >OUT.jpg",
    "imghost run <(echo 'require(\"imghost\").open(\"a.jpg\"):resize(100):save(\"OUT.jpg\")')",
    "cat a.jpg | imghost run -e 'img.open(\"-\"):resize(100):save(\"-\", { format = \"jpg\" })' >OUT.jpg",
    "cat a.jpg | imghost run -e 'img.open(\"-\"):resize(100):save(\"-\", { format = \"jpg\" }) print(\"a line\")' >OUT.jpg",
  ]

  /// Every way gives the bytes of a file.
  @Test(arguments: sampled(lines))
  func sameBytes(_ line: String) throws {
    let folder = try Self.folder()
    #expect(try folder.imghost("convert", "a.jpg", "--resize", "100", "-o", "file.jpg").status == 0)
    let outcome = try Self.shell(line.replacing("OUT", with: "out-1"), in: folder)
    #expect(outcome.status == 0 && outcome.output == "", "\(outcome)")
    #expect(!folder.bytes("file.jpg").isEmpty && folder.bytes("out-1.jpg") == folder.bytes("file.jpg"), "\(outcome)")
    #expect(folder.temporaries == [])
  }

  /// Formats of plugins read and write files without a name.
  @Test(arguments: sampled(["webp", "avif", "jxl", "jp2", "tif", "png", "bmp", "ppm", "qoi"]))
  func everyFormat(_ format: String) throws {
    let folder = try Self.folder()
    let written = try folder.imghost("convert", "b.png", "--thumbnail", "60", "-o", "f.\(format)", seconds: 60)
    guard written.status == 0 else {
      #expect(format == "qoi", "\(written)")
      return
    }
    let outcome = try Self.shell(
      "cat b.png | imghost convert - --thumbnail 60 -o - --format \(format) >p.\(format)"
        + " && cat p.\(format) | imghost convert - -o back.png", in: folder, seconds: 60)
    #expect(outcome.status == 0 && folder.bytes("p.\(format)") == folder.bytes("f.\(format)"), "\(outcome)")
    #expect(folder.exists("back.png"))
  }

  /// Whoever reads a pipe that nobody writes to, or ends, stops when its time is over, and when it is asked to.
  @Test(
    arguments: sampled([
      "imghost run --timeout 0.3 p", "imghost convert --timeout 0.3 --files0-from p -o x.png",
      "imghost convert --timeout 0.3 p -o x.png", "imghost check --timeout 0.3 p",
      "imghost run --timeout 0.3 -e 'img.open(\"p\"):save(\"x.png\")'",
      "imghost run --timeout 0.3 -e 'print(img.open(\"p\").width)'",
    ])) func pipesWithoutEnd(_ line: String) throws
  {
    for writer in ["", "sleep 600 >p & "] {
      let folder = try Self.folder()
      let timed = try Self.shell("mkfifo p; \(writer)\(line); s=$?; kill -KILL $! 2>/dev/null; exit $s", in: folder)
      timed.expect(status: 1, error: "--timeout")
      let patient = line.replacing("--timeout 0.3", with: "--timeout 600")
        .replacing("imghost ", with: Built.program("imghost") + " ")
      let asked = try Self.shell(
        "mkfifo p; \(writer)\(patient) & s=$!; sleep 0.5; kill -TERM $s; wait $s; s=$?; kill -KILL %1 2>/dev/null; exit $s",
        in: try Self.folder())
      #expect(asked.status == 128 + SIGTERM, "\(asked)")
    }
  }

  /// One input for several outputs, one of them a verified book, and several pages.
  @Test func inputIsReadOnce() throws {
    let folder = try Self.folder()
    let outcome = try Self.shell(
      """
      cat a.jpg | imghost run -e 'local p = img.open("-") print(p.name, p.stem, p.width)
      p:save("copy.jpg") img.open("-"):resize(50):save("{stem}.png")
      img.book("b.pdf", { p, p:flip() }, { verify = true })'
      """, in: folder, seconds: 60)
    #expect(outcome.status == 0 && outcome.output == "stdin\tstdin\t640\n", "\(outcome)")
    #expect(folder.bytes("copy.jpg") == folder.bytes("a.jpg") && folder.exists("stdin.png"))
  }

  /// An input of more than what stays in memory.
  @Test func longInput() throws {
    let folder = try Self.folder()
    let line =
      "imghost run -e 'img.canvas(4000, 3000):save(\"big.bmp\")' && cat big.bmp | imghost convert - --resize 40 -o s.png"
      + " && imghost convert big.bmp --resize 40 -o t.png"
    let outcome = try Self.shell(line, in: folder, seconds: 60)
    #expect(outcome.status == 0 && folder.bytes("s.png") == folder.bytes("t.png"), "\(outcome)")
  }

  @Test func bookGoesIntoAPipe() throws {
    let folder = try Self.folder()
    let outcome = try Self.shell(
      "imghost book a.jpg b.png -o - | cat >p.pdf; imghost book a.jpg b.png -o f.pdf", in: folder)
    #expect(
      outcome.status == 0 && !folder.bytes("f.pdf").isEmpty && folder.bytes("p.pdf") == folder.bytes("f.pdf"),
      "\(outcome)")
  }

  /// A reader that ends early ends the program as SIGPIPE would.
  @Test func readerEndsEarly() throws {
    let folder = try Self.folder()
    let outcome = try Self.shell(
      "imghost convert b.png -o - --format bmp | head -c 10 >/dev/null; echo ${PIPESTATUS[0]}", in: folder)
    #expect(outcome.output == "141\n" && outcome.error == "", "\(outcome)")
  }

  /// The same for a pipe with a name.
  @Test(arguments: [
    "head -c 10 p >/dev/null & imghost convert b.png -o p --format bmp; echo $?",
    "head -c 10 p >/dev/null & imghost run -e 'img.open(\"b.png\"):save(\"p\", { format = \"bmp\" })'; echo $?",
    "head -c 10 p >/dev/null & imghost book b.png -o p --quality 100; echo $?",
  ])
  func readerOfANamedPipeEndsEarly(_ line: String) throws {
    let folder = try Self.folder()
    let outcome = try Self.shell("mkfifo p; " + line, in: folder)
    #expect(outcome.output == "141\n" && outcome.error == "", "\(outcome)")
    #expect(folder.temporaries == [])
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let line: String
    let message: String
    init(_ line: String, _ message: String) { (self.line, self.message) = (line, message) }
    var testDescription: String { line }
  }

  static let mistakes: [Case] = [
    Case("imghost convert - -o x.png </dev/null", "imghost convert: -: empty file"),
    Case(
      "head -c 5000 a.jpg | imghost convert - --resize 9 -o -", "imghost convert: -: truncated file; '-' is not written"
    ),
    Case("echo text | imghost convert - -o -", "imghost convert: -: unrecognized file format"),
    Case(
      "imghost convert a.jpg -o - >>a.jpg",
      "imghost convert: -o: -: this would overwrite a picture that the script reads"),
    Case(
      "imghost run -e 'print(1) img.open(\"a.jpg\"):save(\"-\", { format = \"png\" })' >o",
      "-e:1: save: -: the script has printed to standard output before"),
    Case("imghost run -e 'img.open(\"a.jpg\"):save(\"-\")' >o", "-e:1: save: standard output has no file ending"),
    Case(
      "imghost run -e 'local p = img.open(\"a.jpg\") p:save(\"-\", { format = \"jpg\" }) p:save(\"-\", { format = \"png\" })' >o",
      "-e:1: save: -: two outputs go to standard output"),
    Case(
      "imghost run -e 'local p = img.open(\"a.jpg\") p:save(\"/dev/fd/3\", { format = \"jpg\" }) p:save(\"/proc/self/fd/3\", { format = \"png\" })' 3>o",
      "-e:1: save: /proc/self/fd/3: this is the same file as the output '/dev/fd/3'"),
    Case(
      "imghost convert a.jpg -o /dev/fd/3 3>>a.jpg",
      "imghost convert: -o: /dev/fd/3: this would overwrite a picture that the script reads"),
    Case("imghost convert a.jpg -o /dev/fd/9 9>&-", "imghost convert: -o: /dev/fd/9: this is not open for writing"),
    Case("imghost convert a.jpg -o /dev/stdin <a.jpg", "imghost convert: -o: /dev/stdin: this is not open for writing"),
    Case("imghost convert a.jpg -o /dev/stdout >&-", "imghost convert: -o: -: standard output is not open for writing"),
    Case("imghost convert a.jpg -o /dev/stderr", "imghost convert: -o: /dev/stderr: messages go to standard error"),
    Case("imghost convert a.jpg -o /dev/full", "imghost convert: /dev/full: the disk is full"),
    Case(
      "imghost convert a.jpg -o /dev/stdout --manifest /dev/fd/1 >o",
      "imghost convert: -o: -: --manifest writes to standard output, too"),
    Case(
      "imghost run -e 'img.open(\"a.jpg\"):tiles(\"/dev/stdout\")' >o",
      "-e:1: tiles: '-' takes one file, and tiles are a folder of many"),
    Case("imghost book a.jpg -o - --verify >o", "imghost book: --verify: 'verify' needs a file, and '-' is a pipe"),
    Case(
      "imghost convert a.jpg -o - --format gif >o",
      "imghost convert: -o: format 'gif': imghost reads GIF files, but writes none; use "),
  ]

  @Test(arguments: sampled(mistakes))
  func mistake(_ row: Case) throws {
    let folder = try Self.folder()
    let outcome = try Self.shell(row.line, in: folder)
    #expect(outcome.status != 0, "\(outcome)")
    #expect(outcome.messages.contains { $0.hasPrefix(row.message) }, "\(outcome)")
    #expect(
      folder.temporaries == []
        && folder.bytes("a.jpg") == [UInt8](FileManager.default.contents(atPath: Built.photos + "/rocket.jpg")!))
  }

  /// A terminal gets no picture. `script` of util-linux gives the program one.
  @Test func terminal() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/script") else { return }
    let folder = try Self.folder()
    let program = Built.program("imghost")
    let outcome = try Self.shell("script -qec '\(program) convert a.jpg -o -' /dev/null </dev/null", in: folder)
    #expect(outcome.output.contains("standard output is a terminal; save to a file"), "\(outcome)")
    let input = try Self.shell("script -qec '\(program) convert - -o x.jpg' /dev/null </dev/null", in: folder)
    #expect(input.output.contains("standard input is a terminal"), "\(input)")
  }

  /// A pattern means files, so that a pipe among them cannot hang a run.
  @Test func patternsLeavePipesOut() throws {
    let folder = try Self.folder()
    mkfifo(folder("c.jpg"), 0o600)
    let outcome = try folder.imghost("convert", "*.jpg", "-o", "{stem}.png")
    #expect(outcome.status == 0 && folder.exists("a.png") && !folder.exists("c.png"), "\(outcome)")
  }
}
