import Foundation
import ImageCore
import TestSupport
import Testing

@testable import PluginHost

extension PluginHostTests {
  /// Pictures that several workers compute together, if a check has shown that this does not change the result.
  @Suite struct SharedPictureTests {
    private let all: [PluginVerdict.Row] = [
      .init(.crash, .good), .init(.repeatable, .good), .init(.strips, .good), .init(.leak, .good),
    ]

    /// The context of a job that may use four workers.
    private let parallel = OperationContext(
      parallelism: 4,
      parallelFor: { count, body in
        DispatchQueue.concurrentPerform(iterations: count) { body($0) }
      }, isCancelled: { false })

    /// Returns the plugin of a file with this verdict; nil for no verdict.
    private func definition(
      _ folder: String, _ rows: [PluginVerdict.Row]?, file: String = "libcheckedPlugin.so", name: String = "checked",
      inProcess: Bool = false
    ) throws -> OperationDefinition {
      let cache = VerdictCache(folder: Built.newFolder())
      if let rows { cache.keep(PluginVerdict(plugin: name, rows: rows), ofFile: "\(folder)/\(file)") }
      let plugins = host([PluginFolder(path: folder)]) {
        $0.workersPerPlugin = 3
        $0.inProcess = inProcess
        $0.verdicts = cache
      }
      return try #require(plugins.definition(named: name))
    }

    /// Returns the number of calls that have made a picture: the plugin writes the region of each call into the first
    /// sample of its rows.
    private func calls(_ plugin: OperationDefinition, _ width: Int, _ height: Int) throws -> Int {
      let result = try plugin.run(Picture(width, height, .gray8, all: 0), [], parallel)
      return Set((0..<height).map { result[0, $0, 0] }).count
    }

    /// Memory goes from picture to picture: rows that a plugin leaves out must not show the one before.
    @Test(arguments: [false, true]) func rowsLeftOutAreBlack(_ inProcess: Bool) throws {
      let folder = try Built.plugin("misbehaving", ["FIRST_SAMPLE_ROWS"])
      let plugins = host(folder, inProcess: inProcess)
      let odd = try #require(plugins.definition(named: "odd"))
      for format in [PixelFormat.gray8, .rgba8] {
        #expect(try odd.run(Picture(30, 60, format, all: 60)) == Picture(30, 60, format, all: 60))
        for size in [60, 40] {
          let part = try odd.run(Picture(30, size, format, all: 3))
          #expect(part == Picture(30, size, format) { _, y, _ in y < 3 ? 3 : 0 })
        }
      }
    }

    @Test func aProvenPluginSharesLargePictures() throws {
      let folder = try Built.plugin("checked", ["WRITES_REGION"])
      let proven = try definition(folder, all)
      #expect(try calls(proven, 2000, 601) == 3)
      // Waking others for a small one takes longer than it does.
      #expect(try calls(proven, 200, 60) == 1)
      let alone = try proven.run(Picture(2000, 601, .gray8, all: 0))
      #expect(Set((0..<601).map { alone[0, $0, 0] }).count == 1)
    }

    /// A plugin that is not proven equal in strips is given the whole picture.
    @Test(.thorough) func othersGetWholePictures() throws {
      let folder = try Built.plugin("checked", ["WRITES_REGION"])
      func with(_ property: PluginVerdict.Property, _ state: PluginVerdict.State) -> [PluginVerdict.Row] {
        all.map { $0.property == property ? .init(property, state) : $0 }
      }
      let verdicts: [[PluginVerdict.Row]?] = [nil, with(.strips, .bad), with(.leak, .bad)]
      for rows in verdicts {
        #expect(try calls(definition(folder, rows), 2000, 601) == 1, "\(String(describing: rows))")
      }
      #expect(try calls(definition(folder, all, inProcess: true), 2000, 601) == 1)
    }

    @Test func onlyWhatIsProvenAllowsStrips() {
      let rows: [(PluginVerdict.Property, PluginVerdict.State, Bool)] = [
        (.strips, .good, true), (.strips, .bad, false), (.strips, .notDeclared, false),
        (.strips, .notTried, false), (.repeatable, .notDeclared, false), (.crash, .bad, false),
        (.sizes, .bad, true),
      ]
      for (property, state, allows) in rows {
        let changed = all.filter { $0.property != property } + [.init(property, state)]
        let verdict = PluginVerdict(plugin: "x", rows: changed)
        #expect(verdict.allowsStrips == allows, "\(property) \(state)")
      }
      #expect(!PluginVerdict(plugin: "x", rows: []).allowsStrips)
    }

    @Test func aPartThatCrashesCostsThePicture() throws {
      let folder = try Built.plugin("checked", ["CRASHES_LOW"])
      let plugin = try definition(folder, all)
      #expect(
        plugin.failure(Picture(2000, 601, .gray8, all: 0), parallel)
          == "plugin 'checked' crashed (it aborted itself)")
      // The workers are as good as new.
      #expect(plugin.failure(Picture(200, 60, .gray8, all: 0), parallel) == nil)
    }

    /// All parts end when nobody wants the picture any more; none waits for the deadline of another.
    @Test func partsThatHangAreCancelled() throws {
      let folder = try Built.plugin("checked", ["HANGS_LOW"])
      let plugin = try definition(folder, all)
      let start = ContinuousClock.now
      let context = OperationContext(
        parallelism: 4,
        parallelFor: { count, body in
          DispatchQueue.concurrentPerform(iterations: count) { body($0) }
        }, isCancelled: { ContinuousClock.now - start > .milliseconds(300) })
      #expect(throws: PictureError.cancelled) {
        try plugin.run(Picture(2000, 601, .gray8, all: 0), [], context)
      }
      #expect(ContinuousClock.now - start < patience / 2)
    }

    /// Neighbouring rows are seen across the borders of parts.
    @Test(.thorough, arguments: ["LumaSharpen", "Vignette", "MaskBlend", "TestCard"])
    func shippedPluginsGiveTheSame(_ type: String) throws {
      let names = [
        "LumaSharpen": "luma_sharpen", "Vignette": "vignette", "MaskBlend": "mask_blend",
        "TestCard": "test_card",
      ]
      let file = "lib\(type)Plugin.so"
      let folder = Built.newFolder()
      try FileManager.default.copyItem(atPath: "\(Built.folder)/\(file)", toPath: "\(folder)/\(file)")
      let name = try #require(names[type])
      let plugin = try definition(folder, all, file: file, name: name)
      let picture = Picture(701, 503, .rgb8) { x, y, band in (x * 7 + y * 13 + band * 50) % 256 }
      let options: [(name: String, value: ParameterValue)] =
        switch name {
        case "mask_blend":
          [
            ("second", .picture(1)), ("third", .picture(2)), ("softness", .number(20)),
          ]
        case "test_card": [("width", .integer(701)), ("height", .integer(503))]
        default: []
        }
      func run(_ context: OperationContext) throws -> Picture {
        let operation = try plugin.make(Arguments(RawArguments(named: options), for: plugin.descriptor))
        let pictures = Array(repeating: picture, count: name == "mask_blend" ? 3 : 1)
        return try Picture(
          reading: try operation.open(pictures.map(\.source), nominal: pictures.map(\.layout), context: context))
      }
      #expect(try run(parallel) == run(.serial))
    }
  }
}
