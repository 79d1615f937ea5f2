import BLECore
import BLEHCI
import BLETransports
import BLEWire
import Foundation
import Testing

/// A loop in real time, a container for objects that live on it, and their events.
///
/// `@unchecked Sendable`: everything but the constants is touched on the loop only.
final class Rig: @unchecked Sendable {
  enum Happening: Equatable {
    case state(HCIControllerState)
    case server(H4Server.Event)
    case packet(HCIPacket)
    case ready
    case failed(TransportError)
  }

  let loop = DispatchStackLoop()
  var transport: H4Transport?
  var server: H4Server?
  var host: HCIController?
  private(set) var happened: [Happening] = []
  private var waiting: [(condition: ([Happening]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

  /// Runs `body` on the loop.
  func run<Value: Sendable>(_ body: @escaping @Sendable (Rig) -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      loop.submit(from: .common) { continuation.resume(returning: body(self)) }
    }
  }

  /// Waits until the events fulfil `condition`; the suite's time limit bounds it.
  func until(_ condition: @escaping @Sendable ([Happening]) -> Bool) async {
    await withCheckedContinuation { continuation in
      loop.submit(from: .common) {
        if condition(self.happened) { continuation.resume() } else { self.waiting.append((condition, continuation)) }
      }
    }
  }

  func record(_ happening: Happening) {
    happened.append(happening)
    let met = waiting.filter { $0.condition(happened) }
    waiting.removeAll { $0.condition(happened) }
    for entry in met { entry.continuation.resume() }
  }

  func makeServer(_ endpoint: H4Server.Endpoint) throws(TransportError) {
    let server = H4Server(endpoint, loop: loop) { () throws(TransportError) in PlainController() }
    server.onEvent = { [weak self] in self?.record(.server($0)) }
    self.server = server
    try server.start()
  }

  /// Makes a server on a port of this machine. - Returns: the port.
  func serve() async throws -> UInt16 {
    try await run { rig in Result { try rig.makeServer(.tcp(host: "127.0.0.1", port: 0, allowsRemote: false)) } }.get()
    return try #require(await run { $0.server?.port })
  }

  /// Makes a transport that waits on a port of this machine. - Returns: the end that has come to it.
  func waitForEnd() async throws -> RawEnd {
    try await run { rig in
      Result { try rig.makeTransport(.tcpServer(host: "127.0.0.1", port: 0, allowsRemote: false)) }
    }.get()
    let port = try #require(await run { $0.transport?.port })
    let end = try #require(RawEnd.connect(port: port))
    await until { $0.contains(.ready) }
    return end
  }

  func makeHost(_ endpoint: H4Transport.Endpoint, tries: Int = 0) {
    var configuration = HCIController.Configuration()
    configuration.restartDelays = Array(repeating: .milliseconds(10), count: tries)
    let host = HCIController(loop: loop, configuration: configuration) { [loop] () throws(TransportError) in
      H4Transport(endpoint, loop: loop)
    }
    host.delegate = self
    self.host = host
    host.start()
  }

  func makeTransport(_ endpoint: H4Transport.Endpoint) throws(TransportError) {
    let transport = H4Transport(endpoint, loop: loop)
    self.transport = transport
    try transport.open(receiver: self)
  }

  func tearDown() async {
    await run { rig in
      rig.host?.stop()
      rig.transport?.close()
      rig.server?.stop()
    }
  }
}

extension Rig: HCIControllerDelegate {
  func controller(_ controller: HCIController, didChange state: HCIControllerState) { record(.state(state)) }
  func controller(_ controller: HCIController, didReceive event: HCIEvent) {}
}

extension Rig: HCITransportReceiver {
  func transportIsReady(_ transport: any HCITransport) { record(.ready) }
  func transport(_ transport: any HCITransport, didReceive packet: HCIPacket) { record(.packet(packet)) }
  func transport(_ transport: any HCITransport, didFail error: TransportError) { record(.failed(error)) }
}

extension [Rig.Happening] {
  /// How many times a controller has become ready.
  var readyCount: Int {
    filter { if case .state(.ready) = $0 { true } else { false } }.count
  }
  var failure: TransportError? {
    for case .failed(let error) in self { return error }
    for case .state(.failed(.transport(let error))) in self { return error }
    return nil
  }
  var packets: [HCIPacket] {
    compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
  }
}

/// A controller that answers immediately and does nothing.
final class PlainController: HCITransport {
  let name = "plain"
  let isSimulated = true
  private weak var receiver: (any HCITransportReceiver)?

  func open(receiver: any HCITransportReceiver) throws(TransportError) { self.receiver = receiver }
  func close() { receiver = nil }

  func send(_ packet: HCIPacket) {
    guard packet.kind == .command, let command = try? HCICommandPacket(packet.octets) else {
      // Data is sent back unchanged.
      receiver?.transport(self, didReceive: packet)
      return
    }
    receiver?.transport(self, didReceive: answer(to: command.opcode))
  }

  private func answer(to opcode: HCIOpcode) -> HCIPacket {
    switch opcode {
    case HCIReadLocalSupportedCommands.opcode:
      .commandComplete(HCIReadLocalSupportedCommands.self, .init(commands: HCISupportedCommands(octets: [])))
    case LEReadLocalSupportedFeatures.opcode: .commandComplete(LEReadLocalSupportedFeatures.self, .init(features: []))
    case LEReadBufferSize.opcode:
      .commandComplete(LEReadBufferSize.self, .init(aclDataPacketLength: 251, aclDataPacketCount: 8))
    default:
      HCIPacket(
        CommandCompleteEvent(commandCredits: 1, opcode: opcode, returnParameters: [HCIErrorCode.success.rawValue]))
    }
  }
}

/// A folder that is removed with everything in it.
final class TemporaryFolder {
  let path: String
  init() throws {
    let url = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("ble-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
  func path(_ name: String) -> String { path + "/" + name }
}
