import BLEReports
import CDispatch
import CoreFoundation
import Dispatch
import Foundation
import Testing

@testable import ble

@Suite("Lines in systemd's journal", .timeLimit(.minutes(10)))
struct JournalTests {
  /// The socket that the journal would listen on, and a stream of a service.
  private final class Listener {
    private let listener: DatagramListener
    var path: String { listener.path }
    private var socket: Int32 { listener.socket }
    let stream: Int32
    /// As systemd names the stream.
    let named: String

    init() throws {
      let (listener, stream) = (try DatagramListener(), open("/dev/null", O_WRONLY))
      var facts = stat()
      try #require(fstat(stream, &facts) == 0)
      (self.listener, self.stream) = (listener, stream)
      named = "\(facts.st_dev):\(facts.st_ino)"
    }

    deinit { close(stream) }

    func next() -> [UInt8] {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(socket, &buffer, buffer.count, 0)
      return Array(buffer.prefix(max(0, count)))
    }
  }

  @Test("I15.3 an event has its members as fields of the journal")
  func fields() {
    let entry = JournalEntry(
      "Lost Wrist: the link timed out.", .information, event: "disconnected",
      [
        "name": "Wrist", "reason": "timed out", "att-error": .integer(5), "values": .array([.integer(1)]),
        "origin": .null,
      ])
    #expect(
      String(decoding: entry.message, as: UTF8.self) == """
        MESSAGE=Lost Wrist: the link timed out.
        PRIORITY=6
        SYSLOG_IDENTIFIER=ble
        BLE_EVENT=disconnected
        BLE_DEVICE=Wrist
        BLE_REASON=timed out
        BLE_ATT_ERROR=5

        """)
  }

  @Test("I15.3 a name of a device with line feeds makes no field of its own, and a long value none at all")
  func hostile() {
    let entry = JournalEntry(
      "Found it", .error, ["name": "a\nPRIORITY=0", "value": .string(String(repeating: "x", count: 1_025))])
    var expected = Array("MESSAGE=Found it\nPRIORITY=3\nSYSLOG_IDENTIFIER=ble\nBLE_DEVICE\n".utf8)
    expected += [12, 0, 0, 0, 0, 0, 0, 0]
    expected += "a\nPRIORITY=0\n".utf8
    #expect(entry.message == expected)
  }

  @Test("I15.3 the journal gets a line where it reads the stream, and the stream what is too long for a message")
  func sent() throws {
    let listener = try Listener()
    let journal = try #require(
      Journal(behind: listener.stream, environment: ["JOURNAL_STREAM": listener.named], path: listener.path))
    let entry = JournalEntry("Recording", .information)
    #expect(journal.send(entry))
    #expect(listener.next() == entry.message)
    #expect(!journal.send(JournalEntry(String(repeating: "x", count: 16 << 20), .information)))
  }

  @Test("I15.3 a stream that leads elsewhere is written to as always")
  func elsewhere() throws {
    let listener = try Listener()
    #expect(Journal(behind: listener.stream, environment: [:], path: listener.path) == nil)
    for named in ["", "0:0", listener.named + "1"] {
      #expect(Journal(behind: listener.stream, environment: ["JOURNAL_STREAM": named], path: listener.path) == nil)
    }
    for path in ["/nonexistent", "/" + String(repeating: "x", count: 200), ""] {
      #expect(Journal(behind: listener.stream, environment: ["JOURNAL_STREAM": listener.named], path: path) == nil)
    }
  }
}
