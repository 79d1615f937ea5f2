import BLECapture
import Foundation
import Glibc
import Testing

/// Captures contain the values and their keys: other files or users in their place must not be able to read or misuse them.
@Suite struct PrivateCaptureTests {
  private func mode(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
  }

  @Test("I11.10 permissions for others are removed from a file before anything is written", arguments: [false, true])
  func mode(isSecret: Bool) throws {
    let path = try TemporaryFolder.shared.path("wide-\(isSecret)")
    try Data("older".utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o644)
    let output = try CaptureFileOutput(path: path)
    #expect(mode(path) == 0o600)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
    try output.append([1, 2, 3])
    try output.flush()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 3)
  }

  @Test(
    "I11.10 another user's file or pipe is refused with the reason, and left unchanged", .enabled(if: geteuid() == 0))
  func foreign() throws {
    let path = try TemporaryFolder.shared.path("foreign")
    try Data("theirs".utf8).write(to: URL(fileURLWithPath: path))
    chown(path, 4_242, 4_242)
    let pipe = try TemporaryFolder.shared.path("foreign-pipe")
    mkfifo(pipe, 0o666)
    chown(pipe, 4_242, 4_242)
    for place in [path, pipe] {
      let error = #expect(throws: CaptureError.self) { _ = try CaptureFileOutput(path: place) }
      #expect(error?.description.contains("another user") == true)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "theirs")
  }
}
