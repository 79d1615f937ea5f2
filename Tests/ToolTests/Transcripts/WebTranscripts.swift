import Foundation
import Glibc
import Testing

@testable import ble

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// `ble web` as it is started, opened and ended.
@Suite("ble web", .serialized, .timeLimit(.minutes(5)))
struct WebTranscripts {
  private let place = Neighbourhood()

  private static func address(in line: String) -> String? {
    line.split(separator: " ").map(String.init).first { $0.hasPrefix("http://127.0.0.1:") }
  }

  private static func status(_ address: String, _ path: String) async throws -> Int? {
    guard let url = URL(string: address + path) else { return nil }
    let (_, response) = try await URLSession.shared.data(from: url)
    return (response as? HTTPURLResponse)?.statusCode
  }

  @Test("I15.1 ble web on a terminal prints the address to open, until Ctrl-C")
  func bleWebOnATerminalPrintsTheAddressToOpen() throws {
    let terminal = try place.terminal("web", "--port", "0")
    try terminal.see("Open http://127.0.0.1:")
    try terminal.interrupt()
  }

  @Test("I15.1 ble web in a pipe prints it in a plain line, and answers there")
  func bleWebInAPipePrintsItInAPlainLine() async throws {
    let web = try place.ble("web", "--demo", "--port", "0")
    let line = try web.line { $0.contains("http://127.0.0.1:") }
    let address = try #require(Self.address(in: line))
    #expect(try await Self.status(address, "") == 200)
    #expect(try await Self.status(address, "api/v1/radio") == 200)
    web.send(SIGTERM)
    let (status, lines) = try web.finish()
    #expect(status == 143 && lines.arePlain, "\(web.transcript)")
  }

  @Test("I15.1 a read-only explorer scans: its table is not empty, and no browser could begin it")
  func readOnly() async throws {
    let web = try place.ble("web", "--demo", "--read-only", "--port", "0")
    let address = try #require(Self.address(in: try web.line { $0.contains("http://") }))
    let url = try #require(URL(string: address + "api/v1/status"))
    let (data, _) = try await URLSession.shared.data(from: url)
    #expect(String(decoding: data, as: UTF8.self).contains(#""scanning":true"#))
    web.send(SIGTERM)
    _ = try web.finish()
  }

  @Test("I15.1 two of them on one port: the second one says who has it")
  func aTakenPort() throws {
    let first = try place.ble("web", "--demo", "--port", "0")
    let address = try #require(Self.address(in: try first.line { $0.contains("http://") }))
    let port = try #require(address.split(separator: ":").last?.dropLast())
    let second = try place.run("web", "--demo", "--port", String(port))
    #expect(second.status == 69 && second.transcript.contains("Port \(port) is taken by "), "\(second.transcript)")
    first.send(SIGTERM)
    _ = try first.finish()
  }

  @Test(
    "I15.1 an unusable command line is told as such",
    arguments: [
      (["--port", "70000"], "0 to 65535"), (["--address", "localhost"], "no address in digits"),
      (["--certificate", "c.pem"], "belong together"), (["--demo", "--adapter", "radio"], "a radio of its own"),
    ])
  func mistakes(words: [String], hint: String) throws {
    let result = try place.run(["web", "--port", "0"] + words)
    #expect(result.status == 64 && result.transcript.contains(hint), "\(result)")
  }

  @Test("I15.1 the socket that listens is found in the kernel's table")
  func listeners() {
    let table = """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
         0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0000000000000000 100 0 0 10 0
         1: 0100007F:1F90 0100007F:8E2C 01 00000000:00000000 00:00000000 00000000     0        0 4243 1 0000000000000000 20 4 30 10 -1
         2: garbage
      """
    #expect(PortHolder.listeners(on: 8_080, in: table) == ["socket:[4242]"])
    #expect(PortHolder.listeners(on: 80, in: table).isEmpty)
  }

  @Test("I15.1 who listens on a port is found among many sockets")
  func holder() throws {
    var ports: [UInt16] = []
    var sockets: [Int32] = []
    defer { for socket in sockets { close(socket) } }
    for _ in 0..<60 {
      let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      sockets.append(made)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isListening = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(made, $0, size) == 0 && listen(made, 1) == 0 && getsockname(made, $0, &size) == 0
        }
      }
      try #require(isListening)
      ports.append(UInt16(bigEndian: address.sin_port))
    }
    let missing = ports.filter { PortHolder.description(of: $0)?.hasSuffix(", process \(getpid())") != true }
    #expect(missing.isEmpty)
  }
}
