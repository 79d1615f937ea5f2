import BLECore
import BLECrypto
import BLEVirtualRadio
import BLEWire
import Testing

/// Two connected hosts; the peripheral's host answers key requests as configured.
final class EncryptedPair {
  enum Answer {
    case key(HCISecret)
    case noKey
    case nothing
  }

  let pair: TestPair
  let handles: (central: ConnectionHandle, peripheral: ConnectionHandle)
  /// The peripheral host's answer to a key request.
  var answer: Answer

  static let key = HCISecret((0..<16).map { UInt8(truncatingIfNeeded: $0 &* 17 &+ 3) })
  static let otherKey = HCISecret((0..<16).map { UInt8(truncatingIfNeeded: $0 &* 29 &+ 5) })

  init(
    answer: Answer = .key(EncryptedPair.key), seed: UInt64 = 1, interval: UInt16 = 24, timeout: UInt16 = 100,
    configuration: ControllerConfiguration = .init()
  ) async throws {
    self.answer = answer
    pair = try TestPair(seed: seed, configuration: configuration)
    for host in [pair.central, pair.peripheral] { host.send(HCISetEventMaskPage2(mask: .init(rawValue: 1 << 23))) }
    handles = try await pair.connect(interval: interval, timeout: timeout)
    pair.peripheral.onPacket = { [unowned self] in answerKeyRequest() }
  }

  var central: TestHost { pair.central }
  var peripheral: TestHost { pair.peripheral }
  private var answered = 0

  private func answerKeyRequest() {
    let requests = peripheral.keyRequests
    guard requests.count > answered else { return }
    answered = requests.count
    switch answer {
    case .key(let key):
      peripheral.send(LELongTermKeyRequestReply(connectionHandle: handles.peripheral, key: key))
    case .noKey:
      peripheral.send(LELongTermKeyRequestNegativeReply(connectionHandle: handles.peripheral))
    case .nothing: break
    }
  }

  func enable(_ key: HCISecret = EncryptedPair.key, randomNumber: UInt64 = 0, diversifier: UInt16 = 0) {
    central.send(
      LEEnableEncryption(
        connectionHandle: handles.central, randomNumber: randomNumber, diversifier: diversifier, key: key))
  }

  /// Encrypts and waits for it.
  func encrypt(_ key: HCISecret = EncryptedPair.key) async throws {
    answer = .key(key)
    enable(key)
    await run(.seconds(1))
    try #require(central.encryptionChanges.last?.status == .success)
  }

  func run(_ duration: StackDuration) async { await pair.run(duration) }

  /// A packet each way arrives.
  func exchangeData() async {
    central.forgetData()
    peripheral.forgetData()
    central.send(data: [1, 0, 4, 0, 7], to: handles.central)
    peripheral.send(data: [1, 0, 4, 0, 8], to: handles.peripheral)
    await run(.seconds(1))
    #expect(peripheral.data.map { Array($0.packet.payload) } == [[1, 0, 4, 0, 7]])
    #expect(central.data.map { Array($0.packet.payload) } == [[1, 0, 4, 0, 8]])
  }
}

extension TestHost {
  var keyRequests: [LELongTermKeyRequestEvent] {
    events.compactMap { if case .leLongTermKeyRequest(let event) = $0.event { event } else { nil } }
  }

  var encryptionChanges: [EncryptionChangeEvent] {
    events.compactMap { if case .encryptionChange(let event) = $0.event { event } else { nil } }
  }

  var keyRefreshes: [EncryptionKeyRefreshCompleteEvent] {
    events.compactMap { if case .encryptionKeyRefreshComplete(let event) = $0.event { event } else { nil } }
  }

  var payloadTimeouts: [StackInstant] {
    events.compactMap { if case .authenticatedPayloadTimeoutExpired = $0.event { $0.at } else { nil } }
  }

  var endReasons: [HCIErrorCode] { disconnections.map(\.event.reason) }
}

/// Keeps the packets on data channels.
final class DataTap: AirTap {
  private(set) var frames: [AirFrame] = []

  func air(_ air: Air, carried frame: AirFrame) {
    if frame.channel < 37, frame.octets.count > 2 { frames.append(frame) }
  }
}
