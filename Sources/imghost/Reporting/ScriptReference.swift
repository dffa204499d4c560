import ImageCodecs
import ImageCore
import ImageOperations
import ImagePipeline

/// Everything a script can call on pictures, as data: the operations, and the functions that read and
/// write.
enum ScriptReference {
  static let sourceFamily = "source"
  static let sinkFamily = "sink"

  static var operations: [OperationDescriptor] {
    sources + OperationList.all.map(\.descriptor) + sinks
  }

  private static var sources: [OperationDescriptor] {
    [
      OperationDescriptor(
        name: "open", family: sourceFamily, summary: "open a picture file: img.open(path, { … })",
        parameters: SourceParameters.open),
      OperationDescriptor(
        name: "glob", family: sourceFamily,
        summary: "open all files that match a pattern: img.glob(\"photos/*.{jpg,png}\", { … })",
        parameters: SourceParameters.open),
      OperationDescriptor(
        name: "canvas", family: sourceFamily, summary: "make a plain area: img.canvas(w, h, { … })",
        parameters: SourceParameters.canvas, positional: 2),
    ]
  }

  private static var sinks: [OperationDescriptor] {
    CodecList.all.map { codec in
      OperationDescriptor(
        name: "save_\(codec.name)", family: sinkFamily,
        summary: "options of save for .\(codec.extensions[0]) files: "
          + "pictures:save(\"{stem}.\(codec.extensions[0])\", { … })",
        parameters: SinkParameters.save + codec.saveParameters)
    } + [
      OperationDescriptor(
        name: "book", family: sinkFamily,
        summary: "write a PDF, a picture a page: img.book(path, pictures, { … })",
        parameters: SinkParameters.book + PDFBookFormat().parameters)
    ]
  }
}

/// Type annotations for lua-language-server, made from the same data.
///
/// https://luals.github.io/wiki/annotations/
enum EditorStubs {
  static var text: String {
    (header + OperationList.all.map { method($0.descriptor) } + [footer]).joined(separator: "\n")
  }

  private static let header = [
    """
    ---@meta imghost
    -- Made by 'imghost ops --stubs'.

    ---@class imghost.Picture
    ---@field width integer
    ---@field height integer
    ---@field bands integer
    ---@field format string
    ---@field has_alpha boolean
    ---@field path string
    ---@field name string
    ---@field stem string
    ---@field exif table<string, any>
    ---@field dpi number?
    local Picture = {}

    ---@class imghost.Job
    ---@field state string
    local Job = {}
    ---@return table result
    function Job:await() end
    function Job:cancel() end
    ---@param callback fun(result: table)
    ---@return imghost.Job
    function Job:on_done(callback) end

    """
  ]

  private static func method(_ operation: OperationDescriptor) -> String {
    let names = operation.parameters.prefix(operation.positionalCount)
    var lines = ["---\(operation.summary)"]
    for parameter in names {
      lines.append("---@param \(parameter.name)? \(type(parameter.kind)) \(parameter.help)")
    }
    let fields = operation.parameters.map { "\($0.name)?: \(type($0.kind))" }
    if !fields.isEmpty {
      lines.append("---@param options? { \(fields.joined(separator: ", ")) }")
    }
    lines.append("---@return imghost.Picture")
    let arguments = names.map(\.name) + (fields.isEmpty ? [] : ["options"])
    lines.append("function Picture:\(operation.name)(\(arguments.joined(separator: ", "))) end\n")
    return lines.joined(separator: "\n")
  }

  private static func type(_ kind: ParameterKind) -> String {
    switch kind {
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .choice(let names): names.map { "\"\($0)\"" }.joined(separator: "|")
    case .text: "string"
    case .colour: "string|number[]"
    case .numbers: "number[]|number[][]"
    case .picture: "imghost.Picture"
    }
  }

  private static let footer = """
    ---@param name string
    ---@param options? table
    ---@return imghost.Picture
    function Picture:plugin(name, options) end
    ---@return table<string, any>
    function Picture:stats() end
    ---@param template string
    ---@param options? table
    ---@return imghost.Job
    function Picture:save(template, options) end

    ---@class imghost.List
    ---@field [integer] imghost.Picture
    local List = {}
    ---@param fn fun(picture: imghost.Picture, index: integer): imghost.Picture
    ---@return imghost.List
    function List:map(fn) end
    ---@param fn fun(picture: imghost.Picture, index: integer): boolean?
    ---@return imghost.List
    function List:filter(fn) end
    ---@param fn fun(picture: imghost.Picture, index: integer)
    ---@return imghost.List
    function List:each(fn) end
    ---@param fn fun(picture: imghost.Picture, index: integer): number|string
    ---@return imghost.List
    function List:sort_by(fn) end
    ---@param count integer
    ---@return imghost.List
    function List:take(count) end
    ---@return { width: integer, height: integer }
    function List:smallest_common_size() end
    ---@param template string
    ---@param options? table
    ---@return imghost.Job
    function List:save(template, options) end
    ---@param path string
    ---@param options? table
    ---@return imghost.Job
    function List:book(path, options) end

    ---@class imghost
    ---@field version string
    ---@field settings table<string, string|number|boolean>
    local imghost = {}
    ---@param path string
    ---@param options? { orient?: boolean, damaged?: "refuse"|"accept" }
    ---@return imghost.Picture
    function imghost.open(path, options) end
    ---@param pattern string
    ---@param options? { orient?: boolean, damaged?: "refuse"|"accept" }
    ---@return imghost.List
    function imghost.glob(pattern, options) end
    ---@param width integer
    ---@param height integer
    ---@param options? { background?: string|number[] }
    ---@return imghost.Picture
    function imghost.canvas(width, height, options) end
    ---@param pictures imghost.Picture[]
    ---@return imghost.List
    function imghost.list(pictures) end
    ---@param path string
    ---@param pictures imghost.List|imghost.Picture[]|imghost.Picture
    ---@param options? table
    ---@return imghost.Job
    function imghost.book(path, pictures, options) end
    ---@param jobs imghost.Job[]
    ---@return imghost.Job
    function imghost.all(jobs) end
    return imghost
    """
}
