import BookComposing
import ImageCore
import ImagePipeline

/// Type annotations for lua-language-server, generated from the declarations of the functions.
///
/// https://luals.github.io/wiki/annotations/
package enum EditorStubs {
  /// - Parameter plugins: the plugins to include; if several have the same name, the first one is used.
  package static func text(_ reference: ScriptReference, plugins: [OperationDescriptor] = []) -> String {
    var known: Set<String> = []
    let plugins = plugins.filter { known.insert($0.name).inserted }
    let names = pluginNames(plugins)
    return
      ([header, options("Save", reference.saveParameters)]
      + [
        options("Animation", SinkParameters.animation), options("Multipage", SinkParameters.multipage),
        options("Tiles", SinkParameters.tiles),
        options("Open", SourceParameters.open), options("Pages", SourceParameters.pages),
        options("Glob", SourceParameters.glob), options("TextPicture", reference.textPicture.parameters),
        options("Book", reference.bookParameters, groups: BookOptions.texts),
        options("Verify", VerifyParameters.all, groups: ["text"]),
        options("Hint", HintParameters.all, groups: ["keep"]),
        options("Page", PageParameters.all), pageTypes,
        plugins.map { pluginOptions($0, names) }.joined(separator: "\n")
          + pictures(plugins, names),
      ]
      + reference.operations.map { method($0) } + reference.measurements.map(measurement)
      + [footer(plugins, names)]).joined(separator: "\n")
  }

  /// Returns a class with one field for each option name. Options in `groups` also accept a table.
  private static func options(_ name: String, _ parameters: [ParameterDescriptor], groups: [String] = []) -> String {
    var fields: [(name: String, types: [String], help: [String])] = []
    for parameter in parameters {
      let types = [type(parameter.kind)] + (groups.contains(parameter.name) ? ["table"] : [])
      let index = fields.firstIndex { $0.name == parameter.name } ?? fields.count
      if index == fields.count { fields.append((parameter.name, [], [])) }
      fields[index].types += types.filter { !fields[index].types.contains($0) }
      if !fields[index].help.contains(parameter.help) { fields[index].help.append(parameter.help) }
    }
    return
      (["---@class imghost.\(name)Options"]
      + fields.map { field in
        "---@field \(field.name)? \(field.types.joined(separator: "|")) \(field.help.joined(separator: "; "))"
      } + [""])
      .joined(separator: "\n")
  }

  private static let pageTypes = """
    ---@class imghost.PageSlot
    ---@field [1] number left edge, in shares of the page
    ---@field [2] number upper edge
    ---@field [3] number width
    ---@field [4] number height
    ---@field crop? number[] part of the picture that is shown: x, y, width and height in shares of it
    ---@field caption? string text that replaces the caption of the book
    ---@field text? number[] place of the caption beside the picture: left, top, width and height
    ---@class imghost.PageDeclaration: imghost.PageOptions, { [integer]: imghost.Picture|imghost.List }
    ---@field pictures? imghost.List|imghost.Picture[]
    ---@field slots? imghost.PageSlot[] place of each picture
    ---@class imghost.Page
    ---@class imghost.BookGroup
    ---@field name string
    ---@field pictures imghost.List|(imghost.Picture|imghost.List|imghost.Page)[]

    """

  private static func typeName(_ name: String) -> String {
    name.split { "_-.".contains($0) }.map(\.capitalized).joined()
  }

  /// Returns the class names of plugins: `SoftGlow`, and `SoftGlow2` for a second plugin whose name differs only in
  /// punctuation.
  private static func pluginNames(_ plugins: [OperationDescriptor]) -> [String: String] {
    var names: [String: String] = [:]
    var taken: Set<String> = []
    for plugin in plugins {
      let name = typeName(plugin.name)
      let choices = sequence(first: 1) { $0 + 1 }.lazy.map { $0 == 1 ? name : "\(name)\($0)" }
      names[plugin.name] = choices.first { taken.insert($0).inserted }
    }
    return names
  }

  private static func pluginOptions(_ plugin: OperationDescriptor, _ names: [String: String]) -> String {
    options(names[plugin.name]! + "Plugin", plugin.parameters.filter { !ScriptReference.isFurtherPicture($0) })
  }

  static func pluginOverload(_ plugin: OperationDescriptor, _ names: [String: String]) -> String {
    let pictures = plugin.parameters.filter(ScriptReference.isFurtherPicture).map { "\($0.name): imghost.Picture, " }
    return "---@overload fun(\(plugin.isSource ? "" : "self: imghost.Picture, ")name: "
      + "\"\(plugin.name)\", \(pictures.joined())options\(plugin.isSource ? "" : "?"): "
      + "imghost.\(names[plugin.name]!)PluginOptions): imghost.Picture\n"
  }

  /// Returns a method that takes its first parameters by position, or all of them in a table.
  private static func method(_ operation: OperationDescriptor, gives result: String = "imghost.Picture") -> String {
    let positional = operation.parameters.prefix(operation.positionalCount)
    guard !operation.parameters.isEmpty else {
      return "---\(operation.summary)\n---@return \(result)\n" + "function Picture:\(operation.name)() end\n"
    }
    let name = operation.name.split(separator: "_").map(\.capitalized).joined()
    var lines = [options(name, operation.parameters), "---\(operation.summary)"]
    if !positional.isEmpty {
      lines.append("---@overload fun(self: imghost.Picture, options: imghost.\(name)Options): \(result)")
    }
    for parameter in positional {
      let mark = parameter.isRequired ? "" : "?"
      lines.append("---@param \(parameter.name)\(mark) \(type(parameter.kind)) \(parameter.help)")
    }
    lines.append("---@param options? imghost.\(name)Options")
    lines.append("---@return \(result)")
    let arguments = positional.map(\.name) + ["options"]
    lines.append("function Picture:\(operation.name)(\(arguments.joined(separator: ", "))) end\n")
    return lines.joined(separator: "\n")
  }

  private static func measurement(_ measurement: MeasurementDefinition) -> String {
    switch measurement.result {
    case .text: method(measurement.descriptor, gives: "string")
    case .table(let type): method(measurement.descriptor, gives: type)
    case .operation: method(measurement.descriptor)
    }
  }

  private static func type(_ kind: ParameterKind) -> String {
    switch kind {
    case .boolean: "boolean"
    case .booleanOrInteger: "boolean|integer"
    case .integer: "integer"
    case .side: "integer|string"
    case .number: "number"
    case .numberOrShare: "number|string"
    case .choice(let names): names.map { "\"\($0)\"" }.joined(separator: "|")
    case .choiceOrList(let names, let name, let items):
      names.map { "\"\($0)\"" }.joined(separator: "|") + "|{ \(name): ("
        + items.map { "\"\($0)\"" }.joined(separator: "|") + ")[] }"
    case .text: "string"
    case .colour: "string|number[]"
    case .numbers(let counts): (counts.contains(1) ? "number|" : "") + "number[]|number[][]"
    case .lengths(let counts):
      "number|string" + (counts.upperBound > 1 ? "|(number|string)[]" : "")
    case .byteCount: "integer|string"
    case .fields: "table<string, string|number|boolean>"
    case .data: "string|number|boolean|table"
    case .texts: "string[]|table<string, string|number|boolean>"
    case .textList: "string|string[]"
    case .picture: "imghost.Picture"
    case .jobs: "imghost.Job|imghost.Group|imghost.Job[]"
    }
  }

  private static let header = """
    ---@meta imghost
    -- Made by 'imghost ops --stubs'.

    ---@class imghost.Result
    ---@field ok boolean everything written and, where asked, verified
    ---@field written integer
    ---@field kept integer files that were there already, as an earlier run had made them
    ---@field failed integer
    ---@field cancelled boolean
    ---@field reason? string why it was cancelled
    ---@field files string[]
    ---@field errors string[]
    ---@field path? string of a book
    ---@field pages? integer of a book
    ---@field verified? boolean of a book that was to be verified
    ---@field verification? string what the verification found

    ---@class imghost.Finding
    ---@field page? integer from 1; nil for the document
    ---@field severity "error"|"warning"|"note"
    ---@field text string

    ---@class imghost.Report
    ---@field ok boolean nothing is wrong, as far as anybody looked
    ---@field sealed boolean the document says itself what its pages should show
    ---@field verified boolean ok, sealed, and looked at: false in a dry run for what the script itself writes
    ---@field path string
    ---@field pages integer
    ---@field sheets { number: integer, width: number, height: number, pictures: integer, ok: boolean, text: string? }[] lengths in points
    ---@field faults imghost.Finding[] what is wrong
    ---@field remarks imghost.Finding[] warnings and notes
    ---@field fonts { name: string, embedded: boolean }[]
    ---@field text string the faults, a line each

    ---@class imghost.Job
    ---@field state "waiting"|"ready"|"running"|"finished"|"failed"|"cancelled"
    local Job = {}
    ---@return imghost.Result
    function Job:await() end
    function Job:cancel() end
    ---@param callback fun(result: imghost.Result)
    ---@return imghost.Job
    function Job:on_done(callback) end

    ---@class imghost.Group
    local Group = {}
    ---@return { ok: boolean, results: imghost.Result[] }
    function Group:await() end
    function Group:cancel() end
    ---@param callback fun(result: { ok: boolean, results: imghost.Result[] })
    ---@return imghost.Group
    function Group:on_done(callback) end

    ---@class imghost.Race
    local Race = {}
    ---@return imghost.Result, imghost.Job|imghost.Group
    function Race:await() end
    function Race:cancel() end
    ---@param callback fun(result: imghost.Result, winner: imghost.Job|imghost.Group)
    ---@return imghost.Race
    function Race:on_done(callback) end

    """

  private static func footer(_ plugins: [OperationDescriptor], _ names: [String: String]) -> String {
    footerBefore + plugins.filter(\.isSource).map { pluginOverload($0, names) }.joined() + footerAfter
  }

  private static let footerBefore = """
    ---@class imghost.List
    ---@field [integer] imghost.Picture
    local List = {}
    ---@param fn fun(picture: imghost.Picture, index: integer): imghost.Picture
    ---@return imghost.List
    function List:map(fn) end
    ---@param fn fun(picture: imghost.Picture, index: integer): boolean?
    ---@param why? string why the others are left out: a note names them
    ---@return imghost.List
    function List:filter(fn, why) end
    ---@param fn fun(picture: imghost.Picture, index: integer)
    ---@return imghost.List
    function List:each(fn) end
    ---@param by "date"|fun(picture: imghost.Picture, index: integer): number|string
    ---@return imghost.List
    function List:sort_by(by) end
    ---@param by "day"|"month"|"folder"|fun(picture: imghost.Picture, index: integer): string|number
    ---@return { name: string, pictures: imghost.List }[]
    function List:group_by(by) end
    ---@param count integer
    ---@return imghost.List
    function List:take(count) end
    ---@return { width: integer, height: integer }
    function List:smallest_common_size() end
    ---@param template string
    ---@param options? imghost.SaveOptions
    ---@return imghost.Job
    function List:save(template, options) end
    ---@param template string
    ---@param options? imghost.TilesOptions
    ---@return imghost.Job
    function List:tiles(template, options) end
    ---@param path string
    ---@param options? imghost.BookOptions
    ---@return imghost.Job
    function List:book(path, options) end
    ---@param path string
    ---@param options? imghost.AnimationOptions
    ---@return imghost.Job
    function List:animation(path, options) end
    ---@param path string
    ---@param options? imghost.MultipageOptions
    ---@return imghost.Job
    function List:multipage(path, options) end

    ---@class imghost
    ---@field version string
    ---@field settings table<string, any>
    local imghost = {}
    ---@class imghost.Setting
    ---@field type "bool"|"int"|"float"|"enum"|"colour"|"string"|"point"
    ---@field minimum? number of an int or a float
    ---@field maximum? number
    ---@field step? number the distance of a slider's values
    ---@field choices? string[] of an enum
    ---@field default? boolean|number|string|number[]
    ---@field required? boolean whether --set must give it
    ---@field unit? string
    ---@field label? string the words beside its control in a preview, instead of its name
    ---@field group? string the heading above the controls of one group
    ---@field help? string
    ---Declares a setting, which `--set NAME=VALUE` changes, and returns its value
    ---@param name string
    ---@param declaration imghost.Setting
    ---@return any
    function imghost.setting(name, declaration) end
    ---@param path string
    ---@param options? imghost.OpenOptions
    ---@return imghost.Picture
    function imghost.open(path, options) end
    ---@param path string
    ---@param options? imghost.PagesOptions
    ---@return imghost.List
    function imghost.pages(path, options) end
    ---@param pattern string
    ---@param options? imghost.GlobOptions
    ---@return imghost.List
    function imghost.glob(pattern, options) end
    ---@param width integer
    ---@param height integer
    ---@param options? { background?: string|number[] }
    ---@return imghost.Picture
    function imghost.canvas(width, height, options) end
    ---@param text string
    ---@param options? imghost.TextPictureOptions
    ---@return imghost.Picture
    ---@overload fun(options: imghost.TextPictureOptions): imghost.Picture
    function imghost.text(text, options) end
    ---@param pictures imghost.Picture[]
    ---@return imghost.List
    function imghost.list(pictures) end
    ---@param one string a hash of `picture:hash()`
    ---@param other string
    ---@return integer bits in which they differ, from 0 to 64
    function imghost.hash_distance(one, other) end
    ---Reports a mistake unless a plugin is installed and has a version that meets the requirement.
    ---@param name string
    ---@param requirement? string such as ">= 1.2" or ">= 1.2, < 2"
    ---@return string version
    function imghost.require_plugin(name, requirement) end
    ---@class imghost.PluginDeclaration
    ---@field name string
    ---@field summary? string
    ---@field version? string
    ---@field parameters? table<string, table>
    ---@field any_rgb? boolean
    ---@field apply fun(picture: imghost.Picture, options: table<string, any>): imghost.Picture
    ---@overload fun(declaration: imghost.PluginDeclaration): string

    """

  private static let footerAfter = """
    ---@param name string
    ---@param options { width: integer, height: integer, [string]: any }
    ---@return imghost.Picture
    function imghost.plugin(name, options) end
    ---@param declaration imghost.PageDeclaration
    ---@return imghost.Page
    function imghost.page(declaration) end
    ---@param path string
    ---@param pictures imghost.List|(imghost.Picture|imghost.List|imghost.Page|imghost.BookGroup)[]|imghost.Picture|imghost.Page|imghost.Job
    ---@param options? imghost.BookOptions
    ---@return imghost.Job
    function imghost.book(path, pictures, options) end
    ---@param path string
    ---@param pictures imghost.List|imghost.Picture[]|imghost.Picture
    ---@param options? imghost.AnimationOptions
    ---@return imghost.Job
    function imghost.animation(path, pictures, options) end
    ---@param path string
    ---@param pictures imghost.List|imghost.Picture[]|imghost.Picture
    ---@param options? imghost.MultipageOptions
    ---@return imghost.Job
    function imghost.multipage(path, pictures, options) end
    ---@param path string
    ---@param expectations? imghost.VerifyOptions
    ---@return imghost.Report
    function imghost.verify(path, expectations) end
    ---@generic Pictures: imghost.List|imghost.Picture[]|imghost.Picture
    ---@param pictures Pictures
    ---@param wishes imghost.HintOptions
    ---@return Pictures
    function imghost.hint(pictures, wishes) end
    ---@param name string language of dates, such as "de_DE"
    function imghost.locale(name) end
    ---@param path string
    ---@param pictures imghost.List|imghost.Picture[]|imghost.Picture
    ---@param options? imghost.BookOptions
    ---@return imghost.Job
    function imghost.contact_sheet(path, pictures, options) end
    ---@param jobs (imghost.Job|imghost.Group)[]
    ---@return imghost.Group
    function imghost.all(jobs) end
    ---@param jobs (imghost.Job|imghost.Group)[]
    ---@return imghost.Race
    function imghost.race(jobs) end
    ---@param class "background"|"utility"|"default"|"user-initiated"|"user-interactive"
    ---@param fn fun(): ...
    ---@return ... what fn returns
    function imghost.qos(class, fn) end
    return imghost
    """
}

extension Substring {
  /// The text with a capital first letter.
  fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
