import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Reporting

/// The thumbnails of a report: a run of imghost over the finished outputs, in a process of its own.
///
/// The pictures are read by the usual decoders and plugins, with the isolation that the command line requests. A
/// picture that cannot be read is left out.
struct ReportPictures {
  /// One picture, or one page of a PDF.
  struct Request {
    let path: String
    /// The page, from 1; nil for a picture.
    var page: Int?
    /// Whether the thumbnail keeps transparency.
    var hasAlpha = false
  }

  /// The longest side of a thumbnail, in pixels.
  static let side = 320
  /// The maximum number of thumbnails in a report, and the maximum size of all of them together, in bytes before they
  /// are encoded as text.
  static let most = 120
  static let mostBytes = 5 << 20
  /// The time limit in seconds, after which the remaining thumbnails are left out.
  private static let mostSeconds = 120.0

  /// The thumbnails by the indices of their requests.
  private(set) var thumbnails: [Int: ReportFacts.Thumbnail] = [:]
  /// The reason why thumbnails are missing; nil if all were made.
  private(set) var problem: String?

  /// Makes the thumbnails.
  ///
  /// - Parameters:
  ///   - line: the command line, whose options for workers, memory and isolation apply here, too.
  ///   - seconds: the time limit, after which the remaining thumbnails are left out; nil for two minutes.
  init(_ requests: [Request], _ line: ParsedLine, seconds: Double?, isCancelled: () -> Bool) {
    let requests = Array(requests.prefix(Self.most))
    guard !requests.isEmpty else { return }
    do throws(FileError) {
      let folder = try ScratchFolder()
      defer { folder.remove() }
      let ending = try OwnProcess.run(
        Self.words(requests, line, to: folder.path), input: Self.script, group: .own,
        seconds: seconds ?? Self.mostSeconds,
        isCancelled: isCancelled)
      take(ending.output, from: folder.path)
      if isCancelled() {
        problem = "The run was interrupted before all small pictures were made."
      } else if ending.isOverdue {
        problem = "The small pictures took too long, so that some are missing."
      } else if ending.status == nil {
        problem = "The program that makes the small pictures ended early, so that some are missing."
      }
    } catch {
      problem = "There are no small pictures: \(error)"
    }
  }

  private static func words(_ requests: [Request], _ line: ParsedLine, to folder: String) -> [String] {
    let names: Set = ["--jobs", "--memory", "--isolate", "--in-process"]
    let own = line.words(of: RunCommand.options.filter { names.contains($0.name) })
    let pictures = requests.flatMap { [$0.path, String($0.page ?? 0), $0.hasAlpha ? "png" : "jpg"] }
    return ["run", "--json", "--progress=never", "--on-error=continue", "--out=" + folder] + own + ["-"] + pictures
  }

  /// The script that makes the thumbnails. Its arguments are a path, a page and the file extension of the thumbnail for
  /// each request.
  private static let script = """
    local img = require "imghost"
    for i = 1, #arg, 3 do
      local page, ending = tonumber(arg[i + 1]), arg[i + 2]
      local picture = page > 0 and img.open(arg[i], { page = page, width = \(side) }) or img.open(arg[i])
      picture:thumbnail(\(side)):save(("%d.%s"):format((i - 1) // 3, ending), { metadata = "none" })
    end
    """

  /// Reads the files that the run reports as written.
  private mutating func take(_ events: String, from folder: String) {
    var left = Self.mostBytes
    for line in events.split(separator: "\n") {
      if problem == nil, let failure = JSONReader.value(of: line), failure["event"]?.textValue == "failed" {
        problem = "Some small pictures are missing: \(failure["message"]?.textValue ?? "")"
      }
      guard let event = JSONReader.value(of: line), event["event"]?.textValue == "wrote",
        let path = event["path"]?.textValue, let number = Int(PathName.stem(String(PathName.name(path)))),
        let width = event["width"]?.integerValue, let height = event["height"]?.integerValue,
        let file = try? InputFile(path: path), let bytes = try? file.bytes(at: 0, count: file.byteCount)
      else { continue }
      left -= bytes.count
      guard left >= 0 else {
        problem = "Some small pictures are left out, so that the page stays small."
        return
      }
      thumbnails[number] = ReportFacts.Thumbnail(
        mediaType: path.hasSuffix(".png") ? "image/png" : "image/jpeg", base64: Base64Text.encoded(bytes),
        width: width, height: height)
    }
  }
}
