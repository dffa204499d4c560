// Reads the output of `swift package dump-package` on standard input; see Scripts/dev/check-structure.
import Foundation

struct Module {
  let name: String
  let path: String
  let dependencies: [String]

  /// The folder of `Sources` that contains the module.
  var layer: String { String(path.split(separator: "/")[1]) }
}

/// The layers from the bottom up. A module imports from its own layer and from those below it.
let layers = ["System", "Pictures", "Engine", "Books", "Scripting", "Programs"]

/// The folders of modules that order them, from the bottom up. Files outside of folders are above all folders. A file
/// may only use types of its own folder and of those below it.
let folders = [
  "PDFVerify": [
    "Process", "Faults", "Reading", "PlainForm", "Fonts", "Rendering", "Alignment", "Tags", "Report", "Checking",
  ]
]

func readModules() throws -> [Module] {
  let input = FileHandle.standardInput.readDataToEndOfFile()
  let package = try JSONSerialization.jsonObject(with: input) as! [String: Any]
  return (package["targets"] as! [[String: Any]]).compactMap { target in
    guard let path = target["path"] as? String, path.hasPrefix("Sources/") else { return nil }
    let dependencies = (target["dependencies"] as! [[String: Any]]).compactMap {
      (($0["byName"] ?? $0["target"]) as? [Any])?.first as? String
    }
    return Module(name: target["name"] as! String, path: path, dependencies: dependencies)
  }
}

/// Swift files of a folder, without those of modules that lie inside it and without links to other modules' files.
func swiftFiles(of module: Module, among modules: [Module]) -> [String] {
  let nested = modules.map(\.path).filter { $0.hasPrefix(module.path + "/") }
  let found =
    FileManager.default.enumerator(atPath: module.path)?.compactMap { $0 as? String } ?? []
  return found.filter { $0.hasSuffix(".swift") }.map { module.path + "/" + $0 }
    .filter { file in !nested.contains { file.hasPrefix($0 + "/") } }.sorted()
}

// MARK: - Checks

var mistakes: [String] = []

/// Whether a module may import a module that comes with Swift. Only `Platform` may import the C library, so that a
/// single file selects it.
func mayImportFromToolchain(_ name: String, in module: Module) -> Bool {
  switch name {
  case "Synchronization": true
  case "Glibc", "Darwin": module.name == "Platform"
  case "_Builtin_intrinsics": module.path.contains("/InstructionSets/")
  case "Dispatch": module.name == "imghost-bench"  // a peer of the scheduler
  default: false
  }
}

func checkLayers(_ modules: [Module]) {
  let byName = Dictionary(uniqueKeysWithValues: modules.map { ($0.name, $0) })
  for module in modules {
    guard let own = layers.firstIndex(of: module.layer) else {
      mistakes.append(
        "\(module.path): '\(module.layer)' is not a layer; add it to Scripts/dev/structure.swift")
      continue
    }
    for name in module.dependencies {
      guard let other = byName[name], let its = layers.firstIndex(of: other.layer) else { continue }
      if its > own {
        mistakes.append(
          "Package.swift: \(module.name) (\(module.layer)) imports \(name) from above (\(other.layer))"
        )
      }
    }
  }
}

func checkLines(_ module: Module, file: String, text: String) {
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  if lines.count > 401 { mistakes.append("\(file): \(lines.count - 1) lines; split it at 400") }
  let declaration =
    #/^\s*(?:@[\w()]+\s+)*(?:(?:public|package|internal|private) )?import (?:struct |class |enum |func |protocol )?(\w+)/#
  let function = #/^(\s*)(?:[@\w(),:]+ )*(?:func [^ (<]+|init[?]?)[(<]/#
  let condition = #/^\s*#(?:if|elseif) .*(?:canImport\((?:Glibc|Darwin)|os\()/#
  let opening = #/^\s*///? (?:Of|What|Who|Which|Where|Whatever) /#
  var start: (line: Int, indent: Substring)?
  for (index, line) in lines.enumerated() {
    if line.firstMatch(of: opening) != nil {
      mistakes.append(
        "\(file):\(index + 1): a comment opens with a noun or a verb, such as 'The number of' or 'Returns'"
      )
    }
    if module.name != "Platform", line.firstMatch(of: condition) != nil {
      mistakes.append(
        "\(file):\(index + 1): only Platform may differ between systems; put the difference there")
    }
    if let match = line.firstMatch(of: declaration) {
      let name = String(match.1)
      if !module.dependencies.contains(name), !mayImportFromToolchain(name, in: module) {
        mistakes.append(
          "\(file):\(index + 1): \(module.name) may not import \(name); Package.swift lists what it may"
        )
      }
    }
    if start == nil, let match = line.firstMatch(of: function) { start = (index, match.1) }
    if let begun = start, line == begun.indent + "}" || line.isEmpty && index == begun.line + 1 {
      if index - begun.line >= 80 {
        mistakes.append(
          "\(file):\(begun.line + 1): a function of \(index - begun.line + 1) lines; split it at 80"
        )
      }
      start = nil
    } else if let begun = start, index > begun.line,
      line.firstMatch(of: function)?.1 == begun.indent
    {
      start = (index, begun.indent)
    }
  }
}

/// Reports files that use a type of a folder above their own.
func checkFolders(_ module: Module, _ files: [(path: String, text: String)]) {
  guard let order = folders[module.name] else { return }
  func height(_ path: String) -> Int {
    let parts = path.dropFirst(module.path.count + 1).split(separator: "/")
    return parts.count == 1 ? order.count : order.firstIndex(of: String(parts[0])) ?? -1
  }
  let declaration =
    #/^(?:(?:public|package|final|indirect) )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/#
  var homes: [Substring: Int] = [:]
  let code = files.map { file in
    (
      file.path,
      file.text.split(separator: "\n").map {
        $0.prefix(upTo: $0.firstRange(of: "//")?.lowerBound ?? $0.endIndex)
      }
    )
  }
  for (path, lines) in code {
    if height(path) < 0 {
      mistakes.append("\(path): add its folder to 'folders' in Scripts/dev/structure.swift")
    }
    for line in lines {
      if let match = line.firstMatch(of: declaration) { homes[match.1] = height(path) }
    }
  }
  for (path, lines) in code {
    for (index, line) in lines.enumerated() {
      for word in line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }) {
        if let home = homes[word], home > height(path) {
          mistakes.append(
            "\(path):\(index + 1): '\(word)' is declared above, in \(home < order.count ? order[home] : module.path)"
          )
        }
      }
    }
  }
}

// MARK: - Names that the engine does not know

/// The module that must not depend on particular operations, formats, layouts or documents. Other modules pass these to
/// it.
let engine = "ImagePipeline"

/// The modules that the engine may not import, directly or indirectly.
let unknownToEngine = ["ImageOperations", "ImageCodecs"]

/// Literals of the engine that are spelled like one of these names, but mean something else.
let otherMeanings = [
  "fill": "another word for the option 'background' of img.canvas",
  "text": "an option of img.verify",
  "tiff": "a prefix of XMP",
]

/// Returns the texts that a pattern captures in files. An empty result is reported, because it shows that the pattern
/// is outdated.
func names(_ what: String, _ pattern: Regex<(Substring, Substring)>, in files: [String]) -> Set<String> {
  let found = files.flatMap { file in
    ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").matches(of: pattern).map { String($0.1) }
  }
  if found.isEmpty { mistakes.append("Scripts/dev/structure.swift: finds no names of \(what); correct its pattern") }
  return Set(found)
}

/// Returns the names of operations, formats, page layouts and sinks, from the files that declare them.
func declaredNames(_ modules: [Module]) -> Set<String> {
  func files(_ module: String) -> [String] {
    modules.first { $0.name == module }.map { swiftFiles(of: $0, among: modules) } ?? []
  }
  let listed = names("types of operations", #/\.init\((\w+)\.self\)/#, in: files("ImageOperations"))
  let operations = names(
    "operations", #/OperationDescriptor\(\s*name: "([^"]+)"/#,
    in: files("ImageOperations").filter { file in
      let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
      return text.matches(of: #/(?:struct|class|enum) (\w+)/#).contains { listed.contains(String($0.1)) }
    })
  let codecs = files("ImageCodecs").filter { $0.hasSuffix("Codec.swift") }
  let formats = names("formats", #/var name: String \{.*"([^"]+)"/#, in: codecs)
    .union(names("formats", #/var name: String \{[^"\n]*"([^"]+)"/#, in: codecs))
    .union(names("formats of plugins", #/ShippedCodec\(\s*"([^"]+)"/#, in: files("PluginCodecs")))
  let layouts = names("layouts", #/LayoutKind\(\s*rawValue: "([^"]+)"/#, in: files("PDFBook"))
  let sinks = names("sinks", #/Job\.Kind\("([^"]+)"\)/#, in: files("BookComposing"))
  return operations.union(formats).union(layouts).union(sinks)
}

/// The string literals of a line, and the rest of the line including its comment.
struct LineParts {
  private(set) var literals: [String] = []
  private(set) var rest = ""
  private var left: Substring

  init(_ line: Substring) {
    left = line
    takeCode(isInside: false)
  }

  /// - Parameter isInside: whether the code lies inside a literal, up to a parenthesis.
  private mutating func takeCode(isInside: Bool) {
    var depth = 0
    while let next = left.popFirst() {
      if next == "\"" {
        takeLiteral()
      } else if next == "/", left.first == "/" {
        rest += "/" + left
        left = ""
      } else {
        if next == "(" { depth += 1 }
        if next == ")" { depth -= 1 }
        if isInside, depth < 0 { return }
        rest.append(next)
      }
    }
  }

  private mutating func takeLiteral() {
    var text = ""
    while let next = left.popFirst(), next != "\"" {
      guard next == "\\" else {
        text.append(next)
        continue
      }
      // A literal with an interpolation cannot be a name.
      if left.popFirst() == "(" { takeCode(isInside: true) }
      text += "\u{FFFD}"
    }
    literals.append(text)
  }
}

/// Reports names of operations, formats and layouts in the engine's literals, the word "book" in its identifiers and
/// comments, and forbidden modules that it imports. Messages may contain names that scripts use.
func checkEngine(_ module: Module, _ files: [(path: String, text: String)], _ modules: [Module]) {
  let byName = Dictionary(uniqueKeysWithValues: modules.map { ($0.name, $0) })
  var reached: Set<String> = []
  var pending = module.dependencies
  while let name = pending.popLast() {
    if reached.insert(name).inserted { pending += byName[name]?.dependencies ?? [] }
  }
  for name in unknownToEngine where reached.contains(name) {
    mistakes.append("Package.swift: \(module.name) reaches \(name), which it may not know")
  }
  let names = declaredNames(modules)
  var isMet: Set<String> = []
  for file in files {
    for (index, line) in file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let parts = LineParts(line)
      for literal in parts.literals where names.contains(literal) {
        isMet.insert(literal)
        if otherMeanings[literal] != nil { continue }
        mistakes.append(
          "\(file.path):\(index + 1): the engine knows '\(literal)' by name; let its owner declare what is needed")
      }
      if parts.rest.lowercased().contains("book") {
        mistakes.append(
          "\(file.path):\(index + 1): the engine knows documents, not books; see Docs/Architecture.md")
      }
    }
  }
  for name in otherMeanings.keys.sorted() where !isMet.contains(name) {
    mistakes.append(
      "Scripts/dev/structure.swift: '\(name)' is not in \(module.name) any more; remove it from 'otherMeanings'")
  }
}

// MARK: - Drawing

/// Returns the dependencies of a module that are not also dependencies of another one. `Platform` is left out, because
/// nearly all modules import it.
func directDependencies(_ module: Module, _ modules: [String: Module]) -> [Module] {
  func reached(_ name: String) -> Set<String> {
    let next = modules[name]?.dependencies ?? []
    return next.reduce(into: Set(next)) { $0.formUnion(reached($1)) }
  }
  return module.dependencies.filter { name in
    name != "Platform" && !module.dependencies.contains { $0 != name && reached($0).contains(name) }
  }.compactMap { modules[$0] }
}

struct Box {
  var x: Double
  var y: Double
  var width: Double
  /// The modules that the module imports from lower layers, as lines of text.
  var imports: [String]

  static let height = 64.0
}

/// Returns words joined to lines of up to `limit` characters.
func lines(_ words: [String], limit: Int) -> [String] {
  words.reduce(into: []) { lines, word in
    if let last = lines.last, last.count + word.count < limit {
      lines[lines.count - 1] = last + " " + word
    } else {
      lines.append(word)
    }
  }
}

/// Returns the rows of a layer. A module is above all modules of its layer that it imports.
func rows(_ layer: String, _ modules: [Module]) -> [[Module]] {
  let own = modules.filter { $0.layer == layer }
  let names = Set(own.map(\.name))
  var depth: [String: Int] = [:]
  func depthOf(_ module: Module) -> Int {
    if let known = depth[module.name] { return known }
    let below = own.filter { module.dependencies.contains($0.name) && names.contains($0.name) }
    let value = below.isEmpty ? 0 : below.map(depthOf).max()! + 1
    depth[module.name] = value
    return value
  }
  if layer == "System" {
    return stride(from: 0, to: own.count, by: 7).reversed().map {
      Array(own[$0..<min($0 + 7, own.count)])
    }
  }
  return Dictionary(grouping: own, by: depthOf).sorted { $0.key > $1.key }.map(\.value)
}

func box(_ module: Module, _ modules: [String: Module]) -> Box {
  let below =
    module.layer == "System"
    ? [] : directDependencies(module, modules).filter { $0.layer != module.layer }
  let imports = lines(below.map(\.name), limit: max(module.name.count * 3 / 2, 30))
  let width = max(module.name.count * 8, (imports.map(\.count).max() ?? 0) * 6) + 24
  return Box(x: 0, y: 0, width: Double(width), imports: imports)
}

func svg(_ module: Module, _ box: Box) -> String {
  let middle = box.x + box.width / 2
  let first = box.y + (box.imports.isEmpty ? 34 : box.imports.count == 1 ? 27 : 20)
  var shapes = """
    <rect x='\(box.x)' y='\(box.y)' width='\(box.width)' height='\(Box.height)' rx='5' class='module'/>
    <text x='\(middle)' y='\(first)' class='name'>\(module.name)</text>

    """
  for (index, line) in box.imports.enumerated() {
    shapes +=
      "<text x='\(middle)' y='\(first + 15 + Double(index) * 12)' class='imports'>\(line)</text>\n"
  }
  return shapes
}

func draw(_ modules: [Module]) -> String {
  let byName = Dictionary(uniqueKeysWithValues: modules.map { ($0.name, $0) })
  let width = 1120.0, left = 120.0, gap = 24.0
  var boxes: [String: Box] = [:]
  var shapes = ""
  var y = 12.0
  let tints = ["#eef1f4", "#e6f0fa", "#e9f5ea", "#fbf1e2", "#f4eafa", "#fbe9e9"]
  for (index, layer) in layers.enumerated().reversed() {
    let rows = rows(layer, modules)
    let height = Double(rows.count) * (Box.height + 26) - 2
    shapes +=
      "<rect x='10' y='\(y)' width='\(width - 20)' height='\(height)' rx='8' fill='\(tints[index])'/>\n"
    shapes += "<text x='26' y='\(y + height / 2 + 5)' class='layer'>\(layer)</text>\n"
    for (row, members) in rows.enumerated() {
      var placed = members.map { box($0, byName) }
      let total = placed.map(\.width).reduce(gap * Double(placed.count - 1), +)
      var x = left + (width - left - 20 - total) / 2
      for index in placed.indices {
        placed[index].x = x
        placed[index].y = y + 12 + Double(row) * (Box.height + 26)
        x += placed[index].width + gap
        boxes[members[index].name] = placed[index]
      }
    }
    y += height + 10
  }
  for module in modules {
    for other in directDependencies(module, byName)
    where other.layer == module.layer && module.layer != "System" {
      guard let from = boxes[module.name], let to = boxes[other.name] else { continue }
      let x1 = from.x + from.width / 2, x2 = to.x + to.width / 2
      let y1 = from.y + Box.height, y2 = to.y - 3
      shapes +=
        "<path d='M\(x1) \(y1) C\(x1) \(y1 + 18) \(x2) \(y2 - 18) \(x2) \(y2)' class='edge'/>\n"
    }
  }
  for module in modules { if let box = boxes[module.name] { shapes += svg(module, box) } }
  return """
    <svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 \(Int(width)) \(Int(y + 4))' font-family='DejaVu Sans, sans-serif'>
    <style>
    .layer { font-size: 15px; font-weight: bold; fill: #333 }
    .name { font-size: 13px; text-anchor: middle; fill: #111 }
    .imports { font-size: 9.5px; text-anchor: middle; fill: #667 }
    .module { fill: #fff; stroke: #556; stroke-width: 1 }
    .edge { fill: none; stroke: #556; stroke-width: 1.2; marker-end: url(#tip) }
    </style>
    <defs><marker id='tip' viewBox='0 0 8 8' refX='6' refY='4' markerWidth='7' markerHeight='7' orient='auto'>\
    <path d='M0 0 L8 4 L0 8 z' fill='#556'/></marker></defs>
    <rect width='100%' height='100%' fill='#fff'/>
    \(shapes)</svg>

    """
}

// MARK: -

let modules = try readModules()
checkLayers(modules)
for module in modules {
  let files = try swiftFiles(of: module, among: modules).map {
    (path: $0, text: try String(contentsOfFile: $0, encoding: .utf8))
  }
  for file in files { checkLines(module, file: file.path, text: file.text) }
  checkFolders(module, files)
  if module.name == engine { checkEngine(module, files, modules) }
}

let drawing = "Docs/architecture.svg"
let current = draw(modules)
if CommandLine.arguments.contains("--draw") {
  try current.write(toFile: drawing, atomically: true, encoding: .utf8)
} else if (try? String(contentsOfFile: drawing, encoding: .utf8)) != current {
  mistakes.append(
    "\(drawing): does not show Package.swift as it is; run 'Scripts/dev/check-structure --draw'")
}

for mistake in mistakes { print(mistake) }
exit(mistakes.isEmpty ? 0 : 1)
