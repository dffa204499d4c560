import ImageCore
import ImagePipeline
import Testing

@testable import LuaBindings

/// `img.setting` and `img.settings`.
struct SettingTests {
  static let width = "img.setting('width', { type = 'int', minimum = 10, maximum = 900, default = 200 })"

  /// A script, the values of `--set`, and what the script prints.
  static let values: [(String, [String: String], [String])] = [
    ("print(\(width))", [:], ["200"]),
    ("print(\(width))", ["width": "300"], ["300"]),
    ("print(\(width), \(width))", [:], ["200\t200"]),
    ("\(width) print(img.settings.width, img.settings['width'])", ["width": "64"], ["64\t64"]),
    ("print(math.type(img.setting('x', { type = 'float' })))", ["x": "3"], ["float"]),
    ("print(img.setting('x', { type = 'float' }), img.settings.x)", [:], ["nil\tnil"]),
    ("print(img.setting('x', { type = 'int' }) + 1)", ["x": "-9000000000"], ["-8999999999"]),
    ("print(img.setting('on', { type = 'bool', default = false }))", [:], ["false"]),
    ("print(img.setting('on', { type = 'bool', default = false }))", ["on": "true"], ["true"]),
    ("print(img.setting('t', { type = 'string', default = '' }) .. '|')", ["t": "12"], ["12|"]),
    ("print(img.setting('ink', { type = 'colour', default = 'red' }))", [:], ["#ff0000"]),
    ("print(img.setting('ink', { type = 'colour', default = { 0, 0, 255, 128 } }))", [:], ["#0000ff80"]),
    ("print(img.setting('at', { type = 'point', default = { 0, 0 } })[2])", ["at": "0.5,0.25"], ["0.25"]),
    ("print(img.setting('p', { type = 'enum', choices = { 'a4', 'a5' }, default = 'a4' }))", ["p": "a5"], ["a5"]),
    (
      "\(width) img.setting('b', { type = 'bool', default = true }) "
        + "local n = 0 for k, v in pairs(img.settings) do n = n + 1 print(k, v) end", [:], ["b\ttrue", "width\t200"]
    ),
    (
      "print(img.canvas(8, 8, { background = img.setting('ink', { type = 'colour', default = 'lime' }) })"
        + ":stats().mean[2])", [:], ["255.0"]
    ),
    ("print(img.settings.width)", ["width": "30"], ["30"]),
  ]

  @Test(arguments: values)
  func value(_ script: String, _ given: [String: String], _ printed: [String]) throws {
    let session = try TestSession(settings: given)
    #expect(session.execute(script) == [])
    #expect(session.printed.sorted() == printed.sorted())
  }

  static let mistakes: [(String, [String: String], [String])] = [
    (width, ["width": "5"], ["t.lua:2: --set: 'width' is 5; it takes a whole number from 10 to 900"]),
    (width, ["width": "x"], ["t.lua:2: --set: 'width' takes a whole number from 10 to 900, not 'x'"]),
    (width, ["widht": "20"], ["--set: unknown setting 'widht' (did you mean 'width'?); the script declares: width"]),
    (
      "\(width)\nprint(img.settings.widht + 1)", [:],
      ["t.lua:3: unknown setting 'widht' (did you mean 'width'?); the script declares: width"]
    ),
    (
      "img.setting('w', { type = 'int', required = true })", [:],
      ["t.lua:2: setting 'w' is not set; add --set w=VALUE"]
    ),
    (
      "img.setting('w', { type = 'itn' })", ["w": "3"],
      ["t.lua:2: setting 'w': unknown type 'itn' (did you mean 'int'?); valid: \(types)"]
    ),
    (
      "img.setting('w', { type = 'number' })", [:],
      ["t.lua:2: setting 'w': unknown type 'number' (did you mean 'float'?); valid: \(types)"]
    ),
    (
      "img.setting('w', { type = 'picture' })", [:],
      ["t.lua:2: setting 'w': unknown type 'picture'; valid: \(types)"]
    ),
    ("img.setting('w', {})", [:], ["t.lua:2: setting 'w': 'type' must be a string, one of \(types)"]),
    (
      "img.setting('w', { type = 'int', min = 3 })", [:],
      [
        "t.lua:2: setting 'w': it has no field 'min' (did you mean 'minimum'?); valid: name, type, minimum, maximum, "
          + "step, default, choices, required, unit, label, group, help"
      ]
    ),
    (
      "img.setting('w', { type = 'int', minimum = 3, default = 1 })", [:],
      ["t.lua:2: setting 'w': the default is wrong: 'w' is 1; it takes a whole number of at least 3"]
    ),
    (
      "img.setting('w', { type = 'string', choices = { 'a' } })", [:],
      ["t.lua:2: setting 'w': 'choices' belongs to enum, not to string"]
    ),
    (
      "img.setting('w', { type = 'int', step = 0.5 })", [:],
      ["t.lua:2: setting 'w': 'step' must be a whole number above 0"]
    ),
    (
      "img.setting('w', { type = 'float', step = 0 })", [:], ["t.lua:2: setting 'w': 'step' must be a number above 0"]
    ),
    (
      "img.setting('w', { type = 'int', required = 1 })", [:],
      ["t.lua:2: setting 'w': 'required' must be true or false"]
    ),
    (
      "img.setting('a b', { type = 'int' })", [:],
      [
        "t.lua:2: setting 'a b': its name must begin with a letter and go on with letters, digits, '_' or '-'"
      ]
    ),
    (
      "img.setting('width', 200)", [:],
      [
        "t.lua:2: setting takes a name and a declaration: "
          + "img.setting(\"width\", { type = \"int\", default = 200 })"
      ]
    ),
    (
      "\(width)\nimg.setting('width', { type = 'int', default = 1 })", [:],
      ["t.lua:3: setting 'width': it is declared differently at t.lua:2"]
    ),
    (
      "print(img.settings.width)\n\(width)", [:],
      ["t.lua:3: setting 'width': declare it before img.settings reads it"]
    ),
    (
      "img.canvas(2, 2):save('a.png'):await()\n\(width)", [:],
      ["t.lua:3: setting 'width': declare settings before the script waits for a job or ends"]
    ),
    (
      "img.canvas(2, 2):save('a.png'):on_done(function()\n\(width) end)", [:],
      ["t.lua:3: setting 'width': declare settings before the script waits for a job or ends"]
    ),
  ]
  static let types = "bool, int, float, enum, colour, string, point"

  @Test(arguments: mistakes)
  func mistake(_ script: String, _ given: [String: String], _ messages: [String]) throws {
    let session = try TestSession(settings: given)
    #expect(session.execute(script) == messages)
  }

  private static let absence = "; setting 'w' is not set; add --set w=VALUE"

  /// A script whose error lies in its last line, and its message. A variable with a setting's name is known to hold it.
  static let absences: [(String, String)] = [
    ("local w = img.settings.w\nimg.canvas(w, 5)", "canvas: 'width' is missing" + absence),
    ("local w = img.settings.w or 5\nimg.canvas(w, nil)", "canvas: 'height' is missing"),
    ("local W = tonumber(img.settings.w)\nprint(W > 3)", "attempt to compare number with nil" + absence),
    (
      "local w = img.settings.w\nimg.canvas(2, 2):resize{ width = w }",
      "resize: give it a width, a height, or both" + absence
    ),
    (
      "local w = img.settings.w\nimg.canvas(2, 2):resize{ widht = w, fit = 'fill' }",
      "resize: give it a width, a height, or both" + absence
    ),
    (
      "local w = img.settings.w\nimg.canvas(2, 2):resize{ width = 0 }",
      "resize: 'width' is 0; it takes a whole number from 1 to 1000000, or a percentage such as '50%'"
    ),
    (
      "local w = img.settings.w print(w == nil)\nprint(w .. '/x')",
      "attempt to concatenate a nil value (local 'w')" + absence
    ),
    ("local w = img.settings.w; (function()\nimg.canvas(w, 5) end)()", "canvas: 'width' is missing" + absence),
    (
      "local w = img.settings.w; coroutine.wrap(function()\nprint(w .. '/x') end)()",
      "attempt to concatenate a nil value (upvalue 'w')" + absence
    ),
    ("local d = img.settings.w\nprint(d .. '/x')", "attempt to concatenate a nil value (local 'd')"),
    ("local w, n = img.settings.w\nprint(n.x)", "attempt to index a nil value (local 'n')"),
    ("local w = img.settings.w\nerror('my own words')", "my own words"),
  ]

  @Test(arguments: absences)
  func missingSettingsAreNamed(_ script: String, _ message: String) throws {
    #expect(try TestSession().execute(script) == ["t.lua:3: " + message])
  }

  /// A wrong value is found before anything is written, even if the script waits for a job.
  @Test func mistakesComeBeforeOutputs() throws {
    let session = try TestSession(settings: ["widht": "20"])
    let messages = session.execute("\(Self.width) img.canvas(2, 2):save('a.png'):await() print('on')")
    #expect(messages.count == 1 && session.printed == [])
    #expect(session.run.jobs.isEmpty)
  }

  @Test func pluginsDeclareNone() throws {
    let session = try TestSession(plugins: [
      "wide.lua": """
      local img = require "imghost"
      return { name = "wide", apply = function(p) \(Self.width) return p end }
      """
    ])
    let messages = session.execute("img.canvas(2, 2):plugin('wide')")
    #expect(messages.count == 1)
    #expect(messages[0].contains("setting: a plugin declares parameters; settings belong to the script"))
  }

  /// The facts from which a window or a page draws its controls.
  @Test func declarationsAreData() throws {
    let session = try TestSession(settings: ["strength": "0.5"])
    session.execute(
      """
      img.setting("strength", {
        type = "float", minimum = 0, maximum = 1, step = 0.05, default = 0.2, unit = "px", help = "how much" })
      img.setting("title", { type = "string" })
      """)
    let settings: [DeclaredSetting] = session.run.graph.settings.declared
    #expect(settings.map(\.parameter.name) == ["strength", "title"])
    let strength = settings[0]
    #expect(strength.parameter.kind == .number(0...1) && strength.parameter.step == 0.05)
    #expect(strength.parameter.defaultValue == .number(0.2) && strength.value == .number(0.5) && strength.isGiven)
    #expect(strength.parameter.help == "how much" && strength.parameter.unit == "px")
    #expect(strength.position?.line == 2)
    #expect(settings[1].value == nil && !settings[1].isGiven && settings[1].position?.line == 4)
  }

  /// A required setting without a value is still data: it is drawn before anybody has set it.
  @Test func missingSettingsAreData() throws {
    let session = try TestSession(isDryRun: true)
    let messages = session.execute(
      "local n = img.setting('n', { type = 'int', required = true }) print(n * 2) \(Self.width)")
    #expect(messages == ["t.lua:2: setting 'n' is not set; add --set n=VALUE"])
    #expect(session.run.graph.settings.declared.map(\.parameter.name) == ["n", "width"])
  }
}
