import CommandInterface
import ImageCodecs
import ImageCore
import ImageKernels
import ImageMetadata
import ImagePipeline
import PluginCodecs
import Reporting
import Scheduling

enum InfoCommand: Command {
  static let name = "info"
  static let summary = "print format, size and metadata of picture files"
  static let operands = "FILE…"
  static let options = [
    CommandOption.json,
    CommandOption(name: "--page", value: "N", help: "the page or frame to describe", defaultValue: "1"),
    CommandOption(
      name: "--password", value: "TEXT", help: "opens an encrypted PDF; other users can see it while the program runs"),
    CommandOption(
      name: "--machine", value: nil,
      help: "print the processors and the memory that imghost may use"),
  ]

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    if line.has("--machine") {
      Terminal.output(machine(Machine.detect()))
      if line.operands.isEmpty { return .success }
    }
    _ = try line.operand(0, "FILE")
    var selection = PageSelection(page: try line.count("--page", atMost: maximumPage) ?? 1)
    if let password = line.value("--password") {
      selection.options = RawArguments(named: [("password", .text(password))])
    }
    var status = ExitStatus.success
    let host = HostEnvironment()
    defer { host.invalidate() }
    for path in line.operands {
      do throws(PictureError) {
        let (header, codec) = try read(path, selection, host.codecs)
        Terminal.output(
          line.has("--json") ? json(path, header, codec).line : text(path, header, codec))
      } catch {
        Terminal.error("imghost info: \(printable(path)): \(error)")
        status = .someFailed
      }
    }
    return status
  }

  /// The largest number that `--page` accepts.
  private static let maximumPage = 1 << 24

  private static func read(_ path: String, _ selection: PageSelection, _ codecs: CodecRegistry) throws(PictureError)
    -> (PictureHeader, any PictureCodec)
  {
    let file: InputFile
    do throws(FileError) {
      file = try InputFile(path: path)
    } catch {
      throw .file(error)
    }
    let codec = try codecs.recognise(file)
    return (try codec.readHeader(file, selection), codec)
  }

  private static func text(_ path: String, _ header: PictureHeader, _ codec: any PictureCodec) -> String {
    let layout = header.layout
    var rows: [(String, String)] = [
      ("  format", header.codec),
      ("  size", "\(layout.width) x \(layout.height)"),
      ("  pixels", "\(layout.format)"),
    ]
    if let plugin = codec as? PluginCodec {
      rows.append(("  plugin", printable("\(plugin.library.path), version \(plugin.library.version)")))
    }
    for (name, value) in header.details.sorted(by: { $0.key < $1.key }) where saysSomething(name, value) {
      rows.append(("  " + name, printable(value.text)))
    }
    let metadata = header.metadata
    if metadata.orientation != .upright { rows.append(("  orientation", "\(metadata.orientation.rawValue)")) }
    if let resolution = metadata.resolution {
      let across = ParameterValue.text((resolution.horizontal * 100).rounded() / 100)
      let down = ParameterValue.text((resolution.vertical * 100).rounded() / 100)
      rows.append(("  resolution", across == down ? "\(across) dpi" : "\(across) x \(down) dpi"))
    }
    if !metadata.iccProfile.isEmpty { rows.append(("  ICC profile", "\(metadata.iccProfile.count) bytes")) }
    for (block, fields) in [("exif", metadata.exif), ("xmp", xmp(metadata)), ("iptc", iptc(metadata))] {
      for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
        rows.append(("  \(block).\(name)", printable(value.text)))
      }
    }
    return printable(path) + "\n" + HelpText.table(rows)
  }

  private static func xmp(_ metadata: PictureMetadata) -> [String: MetadataValue] {
    (try? XMPPacket(metadata.xmp))?.fields ?? [:]
  }

  private static func iptc(_ metadata: PictureMetadata) -> [String: MetadataValue] {
    IPTCRecord(metadata.iptc)?.fields ?? [:]
  }

  /// Returns whether a fact is worth a line. A value of 0 means that the file lacks the fact, except for `delay` and
  /// `loop_count`.
  private static func saysSomething(_ name: String, _ value: MetadataValue) -> Bool {
    if case .integer(0) = value { return ["delay", "loop_count"].contains(name) }
    return true
  }

  private static func json(_ path: String, _ header: PictureHeader, _ codec: any PictureCodec) -> JSON {
    func object(_ fields: [String: MetadataValue]) -> JSON {
      .object(fields.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) })
    }
    let metadata = header.metadata
    let dpi: JSON = metadata.resolution.map { .number($0.horizontal) } ?? .null
    let plugin: JSON = (codec as? PluginCodec).map { .text($0.library.path) } ?? .null
    let fields: [(String, JSON)] = [
      ("path", .text(path)), ("format", .text(header.codec)),
      ("width", .integer(header.layout.width)), ("height", .integer(header.layout.height)),
      ("bands", .integer(header.layout.bands)),
      ("pixels", .text("\(header.layout.format)")),
      ("orientation", .integer(metadata.orientation.rawValue)),
      ("dpi", dpi),
      ("icc_bytes", .integer(metadata.iccProfile.count)),
      ("pages", .integer(min(header.pageCount, codec.maximumPageCount ?? .max))),
      ("plugin", plugin),
      ("details", object(header.details)), ("exif", object(metadata.exif)),
      ("xmp", object(xmp(metadata))), ("iptc", object(iptc(metadata))),
    ]
    return .object(fields)
  }

  private static func machine(_ machine: Machine) -> String {
    var rows = [
      ("  workers", "\(machine.effectiveCores)"),
      ("  online", "\(machine.onlineCores) processors (sysconf)"),
      ("  affinity", "\(machine.affinityCores) processors (sched_getaffinity)"),
    ]
    if let quota = machine.quota {
      rows.append(("  quota", "\(ParameterValue.text(quota)) processors (\(machine.quotaFile ?? "cgroup"))"))
    } else {
      rows.append(("  quota", "none (cgroup)"))
    }
    rows.append(("  memory", "\(SummaryLine.size(machine.availableMemory)) free"))
    rows.append(("  budget", "\(SummaryLine.size(machine.defaultMemoryBudget)) for pictures in work"))
    rows.append(("  instructions", "\(InstructionSet.current) (IMGHOST_CPU overrides)"))
    rows.append(("  JPEG decoder", "\(JPEGDecoderChoice.current) (IMGHOST_JPEG overrides)"))
    return "this machine\n" + HelpText.table(rows)
  }
}
