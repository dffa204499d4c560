import ImageCore
import PluginHost
import TestSupport
import Testing

extension PluginHostTests {
  /// Workers that foreign code has taken over: the host only gets an error or pixels.
  @Suite struct HostileWorkerTests {
    /// A program that answers calls with anything at all; the same seeds on every run.
    @Test(.thorough, arguments: 1...24)
    func anything(_ seed: Int) throws {
      let plugins = host(
        try Built.plugin("misbehaving"), worker: try Built.program("hostile", ["SEED=\(seed)"]),
        deadline: .milliseconds(20), workersPerPlugin: 2)
      let odd = try #require(plugins.definition(named: "odd"))
      for _ in 0..<6 {
        let result = Result { try odd.run(Picture(5, 4, .rgb8, all: 9)) }
        switch result {
        case .success(let picture): #expect(picture.layout.width == 5 && picture.layout.height == 4)
        case .failure(let error):
          guard case .plugin(let failure)? = error as? PictureError else {
            Issue.record("\(error)")
            return
          }
          #expect(failure.plugin == "odd" && "\(failure.cause)".utf8.count < 1000)
          #expect("\(failure.cause)".unicodeScalars.allSatisfy { $0.value >= 0x20 })
        }
      }
      plugins.invalidate()
      #expect(LeakTests.workers() == 0 && LeakTests.openThings() == 0)
    }

    /// A channel that is shut from the other side is a worker that has gone.
    @Test(arguments: ["SHUT_RD", "SHUT_WR", "SHUT_RDWR"])
    func shutChannels(_ how: String) throws {
      let plugins = host(
        try Built.plugin("misbehaving"), worker: try Built.program("hostile", ["SHUTS=\(how)"]),
        deadline: .milliseconds(100))
      let odd = try #require(plugins.definition(named: "odd"))
      let words = try #require(odd.failure())
      #expect(words.hasPrefix("plugin 'odd' closed its") || words.contains("did not answer"))
      plugins.invalidate()
      #expect(LeakTests.workers() == 0 && LeakTests.openThings() == 0)
    }

    /// A plugin whose thread goes on after the answer: it writes to the result it has handed over, and forges
    /// messages. It may lose its own pictures; another plugin's stay right.
    @Test func threadsThatGoOnAfterTheAnswer() throws {
      let folders = [
        PluginFolder(path: try Built.plugin("misbehaving", ["AFTERWARDS"])),
        PluginFolder(path: Built.folder, files: .pluginLibraries),
      ]
      let plugins = host(folders) {
        $0.deadline = .seconds(120)
        $0.workersPerPlugin = 2
      }
      let odd = try #require(plugins.definition(named: "odd"))
      let vignette = try #require(plugins.definition(named: "vignette"))
      let picture = Picture(40, 30, .rgb8) { x, y, band in (x * y + band) % 256 }
      let expected = try vignette.run(picture)
      for _ in 0..<30 {
        if let result = try? odd.run(picture) {
          #expect(result.layout == picture.layout)
          // An answer that was forged before the rows were written shows zeros, and nobody else's pixels.
          let samples = zip(result.samples, picture.samples).dropFirst(16)
          #expect(samples.allSatisfy { $0 == $1 || $0 == 0 })
        }
        #expect(try vignette.run(picture) == expected)
      }
      plugins.invalidate()
      #expect(LeakTests.workers() == 0 && LeakTests.openThings() == 0)
    }

    /// A worker that has said it is done and goes on writing. Only pixels lie in memory it can reach, and
    /// each row is read once: what is converted and bounded is a copy. Another plugin's rows are not touched.
    @Test(.thorough) func writingAfterDone() throws {
      let worker = try Built.program("hostile", ["SCRIBBLES", "BODY"])
      let plugins = host(
        try Built.plugin("misbehaving"), worker: worker, workersPerPlugin: 1)
      let odd = try #require(plugins.definition(named: "odd"))
      for _ in 0..<20 {
        let result = try odd.run(Picture(300, 200, .rgba8, all: 200))
        #expect(result.layout == Picture(300, 200, .rgba8, all: 0).layout)
        #expect(result.samples.allSatisfy { (0...255).contains($0) })
      }
      // Read again, rows that have been handed out stay as they are.
      let operation = try odd.make(Arguments(RawArguments(), for: odd.descriptor))
      let source = try operation.open(
        [Picture(64, 64, .rgba8, all: 1).source],
        nominal: [Picture(64, 64, .rgba8, all: 1).layout], context: .serial)
      let rows = PixelBuffer(source.layout)
      try source.read(64, into: rows.base, stride: rows.stride)
      let first = Array(UnsafeRawBufferPointer(start: rows.base, count: 64 * 256))
      for _ in 0..<1000 {
        #expect(
          Array(UnsafeRawBufferPointer(start: rows.base, count: 64 * 256)) == first)
      }
      plugins.invalidate()
      #expect(LeakTests.workers() == 0)
    }
  }
}
