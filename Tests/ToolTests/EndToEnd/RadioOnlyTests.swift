import Foundation
import Testing

/// A socket in place of the system's message bus that accepts every connection, counts it and sends nothing.
///
/// `@unchecked`: the count is touched under its condition only.
private final class RecordingBus: @unchecked Sendable {
  let path: String
  private let listener: Int32
  private let condition = NSCondition()
  private var count = 0
  private var ownCount = 0

  init(_ path: String) throws {
    self.path = path
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try #require(Self.with(path) { bind(listener, $0, $1) } == 0 && listen(listener, 64) == 0)
    Thread.detachNewThread { [self] in
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        // Process, user and group at the other end (unix(7), SO_PEERCRED).
        var peer: [Int32] = [0, 0, 0]
        var length = socklen_t(12)
        getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length)
        condition.withLock {
          if peer[0] == getpid() { ownCount += 1 } else { count += 1 }
          condition.signal()
        }
      }
    }
  }

  /// How many connections there were before this one. Connects and waits for its own, which is behind all others: it shows that the bus
  /// counts.
  func connections() throws -> Int {
    let before = condition.withLock { ownCount }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    try #require(Self.with(path) { connect(descriptor, $0, $1) } == 0)
    return condition.withLock {
      while ownCount == before { condition.wait() }
      return count
    }
  }

  private static func with(_ path: String, _ work: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        work($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// No command that newcomers are asked to run uses the machine's adapter.
@Suite("The machine's own adapter is left alone")
struct RadioOnlyTests {
  /// Whether this system lets a test have its own view of the machine.
  private static let canMount: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/sys/class"]
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// Runs the tool on a machine with an adapter, as far as a test can simulate one, whose user has set none in the environment.
  private func run(_ words: String, in place: Neighbourhood, _ bus: RecordingBus) throws -> ToolProcess {
    let tool = "exec \"$BLE_TOOL\" \(words)"
    let there = "mount -t tmpfs none /sys/class && mkdir -p /sys/class/bluetooth/hci0 && \(tool)"
    let script = Self.canMount ? "exec unshare --map-root-user --mount sh -c '\(there)'" : tool
    return try place.shell("unset BLE_ADAPTER; export DBUS_SYSTEM_BUS_ADDRESS=unix:path=\(bus.path); \(script)")
  }

  @Test(
    "I12.3 ble demo makes no connection to the system's bus, whatever is present, chosen and requested",
    arguments: ["demo --json", "demo --json --passkey 123456"], ["bluez", "--none"])
  func demo(_ words: String, _ choice: String) throws {
    let place = Neighbourhood()
    let bus = try RecordingBus(place.path("bus"))
    try #require(try place.run("adapters", "use", choice).status == 0)
    let demo = try run(words, in: place, bus)
    #expect(try demo.finish().status == 0, "\(demo.transcript)")
    #expect(try bus.connections() == 0)
  }

  @Test("I12.3 the tool prints which adapter it uses where none was given, and omits that with --quiet or --json")
  func told() throws {
    let place = Neighbourhood()
    let bus = try RecordingBus(place.path("bus"))
    func errors(_ more: String) throws -> [String] {
      let process = try run("explore nobody --timeout 0.1 \(more)", in: place, bus)
      _ = try process.finish()
      return process.errors.filter { $0.hasPrefix("Using ") }
    }
    let line = try #require(try errors("").first)
    #expect(line.hasPrefix("Using ") && line.contains(": no adapter is named, and "), "\(line)")
    #if BlueZ
      // A daemon that never answers is waited for up to a limit; the bus was asked, so such a connection would have been seen above.
      if Self.canMount {
        #expect(
          line.hasPrefix("Using radio:default, the embedded radio: ") && line.contains("BlueZ's daemon does not answer")
        )
        #expect(try bus.connections() > 0)
      }
    #endif
    #expect(try errors("--quiet").isEmpty && errors("--json").isEmpty && errors("--adapter radio").isEmpty)
  }
}
