import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Reporting

enum NewCommand: Command {
  static let name = "new"
  static let summary = "make a project: a first script with a test and editor support, or a plugin"
  static let operands = "NAME | plugin NAME"
  static let maximumOperands = 2
  static let options = NewPluginProject.options
  static let details = """
    'imghost new plugin NAME --lang c' makes a plugin. 'sh NAME/test.sh' builds it and runs its test.
    With '--kind codec' it reads and writes a file format of its own.

    A project that is there is made again as long as its files are as imghost writes them.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let name = try line.operand(0, "NAME")
    if name == "plugin" { return try NewPluginProject.run(line) }
    guard line.operands.count == 1 else { throw .unexpectedOperand(line.operands[1]) }
    if let option = ["--lang", "--kind"].first(where: { line.has($0) }) {
      throw .other("\(option) is for plugins only: imghost new plugin NAME --lang c")
    }
    let files: [(path: String, text: String)] = [
      ("pictures.lua", script), ("pictures_test.lua", test), (".luarc.json", editorSettings),
      (".imghost/imghost.d.lua", EditorStubs.text(.own) + "\n"), (".imghost/imghost.test.d.lua", EditorStubs.tests),
    ]
    let project = ProjectFiles(folder: name, files: files, command: "new")
    guard try project.write(mayOverwrite: line.has(ProjectFiles.overwrite.name)) else { return .someFailed }
    let word = ShellWord.quoted(printable(name))
    Terminal.output(
      """
      made \(printable(name))/pictures.lua and its test, pictures_test.lua
      try it: cd \(word) && imghost run pictures.lua FOLDER-OF-PHOTOGRAPHS
      test it: cd \(word) && imghost test
      """)
    return .success
  }

  private static let editorSettings = """
    {
      "runtime.version": "Lua 5.4",
      "workspace.library": [".imghost"]
    }

    """

  static let script = """
    -- Makes web pictures and a PDF of every photograph in a folder.
    --   imghost run pictures.lua FOLDER
    local img = require "imghost"

    local folder = arg[1] or "."
    local photos = img.glob(folder .. "/*.{jpg,jpeg,png}")

    -- Each call returns a new picture; nothing is decoded before the whole script has been checked.
    local web = photos:map(function(p)
      return p:thumbnail(1600, 1200):sharpen{ amount = 0.4 }
    end)

    web:save("web/{stem}.jpg", { quality = 85 })

    img.book("pictures.pdf", web, { paper = "a4", margin = "15mm", caption = "{stem}", verify = true })
      :on_done(function(result)
        print(result.path .. ", pages: " .. result.pages)
      end)

    """

  static let test = """
    -- Tests of pictures.lua: 'imghost test' runs them.
    local img = require "imghost"
    local t = require "imghost.test"

    t.test("each photograph becomes a web picture and a page", function()
      -- Two pictures stand in for photographs. t.folder is removed after the test.
      img.canvas(2000, 1000, { background = "#c04020" }):save(t.folder .. "/photos/red.png")
      img.canvas(600, 800, { background = "#2060a0" }):save(t.folder .. "/photos/blue.png")

      local run = t.run("pictures.lua", { args = { t.folder .. "/photos" } })

      t.ok(run)
      t.outputs(run, { "pictures.pdf", "web/blue.jpg", "web/red.jpg" })
      t.size(run, "web/red.jpg", 1600, 800)
      t.size(run, "web/blue.jpg", 600, 800)
      t.pixel(run, "web/red.jpg", 800, 400, "#c04020", { tolerance = 3 })
      t.pages(run, "pictures.pdf", 2)
      t.text(run, "pictures.pdf", "red", { page = 2 })
    end)

    """
}
