import ImageCore
import Synchronization

/// Functions that identify the code and the fonts that outputs depend on. Each `OutputRecipe` contains the identifiers
/// that its output needs.
package struct RecipeFacts: Sendable {
  /// Returns an identifier of imghost and the libraries that it loads.
  package var build: @Sendable () -> String = { "" }
  /// Returns the identity of a plugin, by its name; nil if there is no such plugin.
  package var plugin: @Sendable (String) -> PluginIdentity? = { _ in nil }
  /// Returns an identifier of a plugin's library and the libraries that it loads.
  package var library: @Sendable (_ path: String) -> String = { _ in "" }
  /// Returns the identity of the plugin that converts between colour profiles; nil if there is none.
  package var colours: @Sendable () -> PluginIdentity? = { nil }
  /// Returns an identifier of the fonts for texts. Called only if texts are drawn.
  package var fonts: @Sendable () -> String = { "" }

  package init() {}

  package struct PluginIdentity: Sendable {
    /// The path of the plugin's library.
    package let path: String
    package let code: String
    /// Whether equal inputs always give equal results.
    package let isDeterministic: Bool
    package let parameters: [ParameterDescriptor]

    package init(path: String, code: String, isDeterministic: Bool, parameters: [ParameterDescriptor]) {
      (self.path, self.code, self.isDeterministic) = (path, code, isDeterministic)
      self.parameters = parameters
    }
  }
}

extension RecipeFacts {
  /// The answers of `RecipeFacts` in a run, by question, such as `build` or `fonts`. Used from any thread.
  package final class Answers: Sendable {
    private let known = Mutex<[String: String]>([:])

    package init() {}

    package var all: [String: String] { known.withLock { $0 } }

    fileprivate func note(_ question: String, _ answer: String) -> String {
      known.withLock { $0[question] = answer }
      return answer
    }
  }

  /// Returns the same facts. Their functions, except for `plugin`, then also record their answers in `answers`.
  package func noting(in answers: Answers) -> RecipeFacts {
    var facts = self
    facts.build = { [build] in answers.note("build", build()) }
    facts.library = { [library] path in answers.note("library\t" + path, library(path)) }
    facts.colours = { [colours] in
      let identity = colours()
      _ = answers.note("colours", Self.text(identity))
      return identity
    }
    facts.fonts = { [fonts] in answers.note("fonts", fonts()) }
    return facts
  }

  /// Returns the present answer to a question that was noted; nil for an unknown question.
  package func answer(to question: String) -> String? {
    switch question {
    case "build": build()
    case "colours": Self.text(colours())
    case "fonts": fonts()
    case _ where question.hasPrefix("library\t"): library(String(question.dropFirst(8)))
    default: nil
    }
  }

  private static func text(_ identity: PluginIdentity?) -> String { identity.map { "\($0.path) \($0.code)" } ?? "none" }
}

/// Facts about a request that its recipe needs in addition to its options.
package struct RequestFacts: Sendable {
  /// Further lines of the recipe.
  package var lines: [String] = []
  /// The paths of programs that change the output.
  package var programs: [String] = []
  /// Whether colours are converted between profiles.
  package var convertsColours = false
  /// Other jobs that the output depends on.
  package var jobs: [Job] = []
  /// The reason why every run has to make the output; nil if there is none.
  package var reasonToMake: String?

  package init() {}
}

/// An argument that names a file, such as a colour profile.
struct FileArgument {
  /// The name of the operation, the plugin or the kind of output.
  let subject: String
  let name: String
  let path: String
  /// The version of the file that the script has read; nil if it is read later.
  let version: FileVersion?
}

/// The part of a recipe that comes from the options of a request.
struct RequestLines {
  var lines: [String] = []
  var files: [FileArgument] = []
  var facts = RequestFacts()
}

extension Picture {
  /// Whether the step converts colours between profiles, or opens a file in other colours, which a later step may
  /// convert.
  var mayConvertColours: Bool {
    switch step {
    case .source(let file, _, _): (try? file.read().isInOtherColours) ?? false
    case .operation(_, let operation, _): operation.convertsColours
    case .canvas, .invalid: false
    }
  }
}

extension PictureCodec {
  /// Whether pictures are drawn when they are read, at any resolution. Texts in them may use the system's fonts, and
  /// depend on the language.
  var drawsPictures: Bool { openParameters.contains { $0.name == "dpi" } }
}

/// The plugins that recipes depend on. Each is looked up once.
final class RecipePlugins {
  private let facts: RecipeFacts
  /// The parameters of imghost's own operations.
  private let operations: RecipeDefaults
  /// The paths of the plugins, and of programs that change outputs.
  var read: Set<String> = []
  private var libraries: [String: String] = [:]
  private var plugins: [String: Plugin?] = [:]

  /// The identity of a plugin, and the parameters of all operations with those of the plugin.
  struct Plugin {
    let identity: RecipeFacts.PluginIdentity
    let defaults: RecipeDefaults
  }

  init(_ facts: RecipeFacts, _ operations: RecipeDefaults) { (self.facts, self.operations) = (facts, operations) }

  /// Returns an identifier of the library of a plugin, or of a program.
  func library(_ path: String) -> String {
    if let known = libraries[path] { return known }
    let identity = facts.library(path)
    read.insert(path)
    libraries[path] = identity
    return identity
  }

  func plugin(_ name: String) -> Plugin? {
    if let known = plugins[name] { return known }
    let plugin = facts.plugin(name).map { Plugin(identity: $0, defaults: operations.adding(name, $0.parameters)) }
    if let plugin { read.insert(plugin.identity.path) }
    plugins[name] = .some(plugin)
    return plugin
  }
}
