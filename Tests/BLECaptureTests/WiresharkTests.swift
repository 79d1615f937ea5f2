import BLECapture
import Foundation
import Testing

/// How Wireshark reads the files.
@Suite(.enabled(if: Wireshark.path != nil, "skipped: no tshark here"))
struct WiresharkTests {
  @Test("Wireshark reads btsnoop down to ATT")
  func wiresharkReadsBtsnoopDownToATT() throws {
    let path = try TemporaryFolder.shared.path("wireshark.btsnoop")
    try Data(Conversation.btsnoop()).write(to: URL(fileURLWithPath: path))
    let text = try Wireshark.read(path)
    #expect(text.split(separator: "\n").count == Conversation.captured.count)
    for part in ["Sent Reset", "Rcvd Command Complete", "Exchange MTU Request", "Handle Value Notification"] {
      #expect(text.contains(part), "\(part)")
    }
    #expect(!text.contains("Malformed"))
  }

  @Test("Wireshark reads pcapng down to the check value on the air")
  func wiresharkReadsPcapngDownToTheCheckValue() throws {
    let path = try TemporaryFolder.shared.path("wireshark.pcapng")
    try Data(Conversation.pcapng()).write(to: URL(fileURLWithPath: path))
    let text = try Wireshark.read(path, "-V")
    #expect(text.contains("Exchange MTU Request"))
    #expect(text.contains("ADV_IND"))
    #expect(text.contains("c0:12:34:56:78:9a"))
    #expect(text.contains("RF Channel: 12, 2426 MHz"))
    #expect(text.contains("dBm: -47") || text.contains("-47 dBm"))
    #expect(!text.contains("Malformed"))
    #expect(!text.contains("Incorrect CRC"))
  }
}

enum Wireshark {
  static let path: String? = ["/usr/bin/tshark", "/usr/local/bin/tshark"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static func read(_ file: String, _ options: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path ?? "")
    process.arguments = ["-r", file] + options
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
