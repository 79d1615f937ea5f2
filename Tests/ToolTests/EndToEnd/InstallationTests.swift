import Foundation
import Testing

/// `make install` and `make uninstall` with the tool that was built for the tests.
@Suite("Installation", .serialized, .timeLimit(.minutes(5)))
struct InstallationTests {
  private let place = Neighbourhood()
  private var stage: String { place.path("stage") }

  /// Runs targets of the Makefile, which names no other place than the stage.
  private func make(_ words: String, program: String = "$BLE_TOOL") throws -> (status: Int32, transcript: String) {
    let root = URL(fileURLWithPath: #filePath).pathComponents.dropFirst().dropLast(4).joined(separator: "/")
    let process = try place.shell(
      "unset MAKEFLAGS MFLAGS MAKELEVEL; "
        + "exec make --no-print-directory -C '/\(root)' PROGRAM=\"\(program)\" DESTDIR='\(stage)' \(words)")
    let (status, _) = try process.finish()
    return (status, process.transcript)
  }

  /// The files below the stage.
  private var files: [String] {
    let all = FileManager.default.enumerator(atPath: stage)?.compactMap { $0 as? String } ?? []
    return all.filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(stage)/\(path)", isDirectory: &isFolder) && !isFolder.boolValue
    }.sorted()
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(stage)/\(path)")
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test(
    "I15.7 make install puts the tool, its manual and its completions below DESTDIR and PREFIX; uninstall removes them")
  func makeInstallPutsTheToolBelowItsPrefix() throws {
    let installed = try make("PREFIX=/opt/tools install")
    #expect(installed.status == 0, "\(installed.transcript)")
    let share = "opt/tools/share"
    let texts = [
      "\(share)/bash-completion/completions/ble", "\(share)/fish/vendor_completions.d/ble.fish",
      "\(share)/man/man1/ble.1", "\(share)/zsh/site-functions/_ble",
    ]
    #expect(files == ["opt/tools/bin/ble"] + texts)
    #expect(try mode("opt/tools/bin/ble") == 0o755)
    for text in texts { #expect(try mode(text) == 0o644) }

    let version = try place.shell("'\(stage)/opt/tools/bin/ble' --version").finish()
    #expect(version.status == 0 && version.lines.first?.hasPrefix("ble ") == true)
    let bash = try String(contentsOfFile: "\(stage)/\(texts[0])", encoding: .utf8)
    #expect(bash.hasSuffix("complete -F _ble ble\n"))
    #expect(try String(contentsOfFile: "\(stage)/\(texts[2])", encoding: .utf8).contains(".TH BLE 1"))
    #expect(try String(contentsOfFile: "\(stage)/\(texts[3])", encoding: .utf8).hasPrefix("#compdef ble\n"))

    // A second time over the first one, then away with it; another prefix stays.
    #expect(try make("PREFIX=/opt/tools install").status == 0)
    #expect(try make("PREFIX=/usr install").status == 0)
    #expect(files.count == 10 && files.contains("usr/share/zsh/vendor-completions/_ble"), "\(files)")
    let removed = try make("PREFIX=/opt/tools uninstall")
    #expect(removed.status == 0 && files.count == 5 && files.allSatisfy { $0.hasPrefix("usr/") }, "\(files)")
    #expect(try make("PREFIX=/usr/ uninstall").status == 0)
    #expect(files.isEmpty, "\(files)")
    #expect(try make("PREFIX=/usr uninstall").status == 0, "nothing to remove is no error")
  }

  @Test("I15.7 make install refuses a relative PREFIX and a program that was not built, and leaves nothing behind")
  func makeInstallRefusesWhatItCannotDo() throws {
    let relative = try make("PREFIX=tools install")
    #expect(relative.status != 0 && relative.transcript.contains("PREFIX is 'tools': an absolute path is needed"))
    let missing = try make("PREFIX=/opt install", program: "/nowhere/ble")
    #expect(missing.status != 0 && missing.transcript.contains("/nowhere/ble was not built"))
    #expect(files.isEmpty)
  }
}
