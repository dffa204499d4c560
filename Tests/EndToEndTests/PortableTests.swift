import Foundation
import TestSupport
import Testing

/// Files that a program finds relative to itself wherever it is unpacked: the layout of the portable files.
@Suite struct PortableTests {
  #if os(Linux)
    /// Runs a copy of the program in `root/bin`, with its worker at the place where packages install it.
    private func run(
      _ folder: Folder, _ arguments: [String], environment: [String: String?] = [:], under command: [String] = []
    ) throws -> Outcome {
      if !folder.exists("the root/bin/imghost") {
        try folder.copy(Built.program("imghost"), to: "the root/bin/imghost")
        try folder.copy(Built.program("imghost-plugin-worker"), to: "the root/lib/imghost/imghost-plugin-worker")
        try folder.copy(Built.program("libWebPPlugin.so"), to: "the root/lib/imghost/plugins/libWebPPlugin.so")
      }
      var variables = environment
      variables["IMGHOST_PLUGIN_PATH"] = .some(nil)
      let words = command + [folder("the root/bin/imghost")] + arguments
      var run = Command(
        arguments: Array(words.dropFirst()), folder: folder.path, environment: variables, input: "", seconds: 20)
      run.program = words[0]
      return try run.run()
    }

    /// fontconfig's configuration beside the program is used: here one that names no font.
    @Test func fontsBesideTheProgramAreUsed() throws {
      let folder = try Folder()
      let text = ["run", "-e", "img.text('x'):save('a.png')"]
      let system = try run(folder, text)
      system.expect(status: 0)
      let none = "<?xml version=\"1.0\"?><fontconfig></fontconfig>"
      try folder.write("the root/share/imghost/fonts/fonts.conf", none)
      let own = try run(folder, text)
      #expect(own.error.contains("text needs a font, and none is installed"), "\(own)")
      // The user's choice counts more.
      for (name, value) in [("FONTCONFIG_FILE", "/etc/fonts/fonts.conf"), ("FONTCONFIG_PATH", "/etc/fonts")] {
        let chosen = try run(folder, text, environment: [name: value])
        chosen.expect(status: 0)
      }
    }

    /// A bare root has no /proc, which tells programs where they lie.
    @Test(.unsanitized, .enabled(if: geteuid() == 0)) func companionsAreFoundWithoutProcessFiles() throws {
      let folder = try Folder()
      let write = "img.canvas(8, 8):save('a.webp'); img.open('b.webp'):save('b.png')"
      let first = try run(folder, ["run", "-e", "img.canvas(8, 8):save('b.webp')"])
      first.expect(status: 0)
      let hidden = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", "umount -l /proc && exec \"$0\" \"$@\""]
      let outcome = try run(folder, ["run", "-e", write], under: hidden)
      // A container may refuse namespaces.
      guard !outcome.error.contains("unshare: ") else { try Test.cancel("this user may not mount file systems") }
      outcome.expect(status: 0)
      #expect(folder.exists("a.webp") && folder.exists("b.png"))
    }
  #endif
}
