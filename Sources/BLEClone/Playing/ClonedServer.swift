import BLECore
import BLEDeviceFiles
import BLEWire
import Foundation

/// The server of a recorded device: with the recorded handles, values, errors and times. A state machine without I/O, for one link after
/// the other.
///
/// PDUs of the Attribute Protocol go in and come out, opcode first. Times are since any fixed moment; the first link is what the recording's
/// times count from.
public struct ClonedServer: Sendable {
  /// The least MTU of a link without enhancements (Core, Vol 3 Part G 5.2.1).
  static let leastMTU = 23
  /// What a central may prepare before it executes.
  private static let mostPrepared = 64
  /// A step of time can be as long as the owner likes.
  private static let mostAtOnce = 1_024

  public let recording: RecordedDevice
  let table: ClonedTable
  var playback: RecordingPlayback
  private var origin: Duration?
  private var isLinked = false
  var isEncrypted = false
  var mtu = ClonedServer.leastMTU
  /// The value whose parts are being read.
  var partial: (handle: UInt16, value: Data)?
  private var prepared: [(handle: UInt16, offset: Int, octets: Data)] = []
  private var waiting: [[UInt8]] = []
  private var isUnconfirmed = false
  private var exchanges: [Data: RecordedExchange] = [:]
  private var exchanged: [Data: Int] = [:]

  public init(_ recording: RecordedDevice) {
    self.recording = recording
    table = ClonedTable(recording)
    playback = RecordingPlayback(recording)
    for exchange in recording.exchanges where exchanges[exchange.request] == nil {
      exchanges[exchange.request] = exchange
    }
  }

  /// A central has connected.
  public mutating func connected(at now: Duration) {
    if origin == nil { origin = now }
    isLinked = true
    isEncrypted = false
    mtu = Self.leastMTU
    partial = nil
    prepared = []
    waiting = []
    isUnconfirmed = false
    playback.connected(at: microseconds(now))
  }

  /// The link is encrypted.
  public mutating func encrypted() { isEncrypted = true }

  /// The link has ended.
  public mutating func disconnected() {
    isLinked = false
    playback.disconnected()
  }

  /// The PDUs that follow from one of the central, in their order: a response, or an indication that waited for a confirmation. What is
  /// said later `advance(to:)` returns.
  public mutating func receive(_ pdu: [UInt8], at now: Duration) -> [[UInt8]] {
    guard isLinked, let code = pdu.first else { return [] }
    let time = microseconds(now)
    let opcode = ATTOpcode(code)
    if opcode == .handleValueConfirmation {
      guard isUnconfirmed else { return [] }
      isUnconfirmed = false
      return indicate()
    }
    let isRequest = opcode.role == .request
    guard let request = try? ATTClientPDU(pdu[...]) else {
      return isRequest ? [Self.error(code, 0, .invalidPDU)] : []
    }
    let recorded = isRequest ? recordedResponse(to: pdu) : nil
    let isRefused = recorded?.first == ATTOpcode.errorResponse.rawValue
    let response = respond(to: request, code, isRefused: isRefused, at: time)
    // A response that was recorded stands for what the attributes would say.
    guard let answer = recorded ?? response else { return [] }
    learnMTU(request, answer)
    return [Array(answer.prefix(max(mtu, Self.leastMTU)))]
  }

  /// What is due at `now`: notifications and indications, in the order of their times. An indication waits until the one in front of it
  /// was confirmed. At most 1,024 at once: `nextDue` says whether more is due.
  public mutating func advance(to now: Duration) -> [[UInt8]] {
    guard isLinked else { return [] }
    var pdus: [[UInt8]] = []
    while pdus.count < Self.mostAtOnce, let saying = playback.next(at: microseconds(now)) {
      let opcode: ATTOpcode = saying.isIndication ? .handleValueIndication : .handleValueNotification
      let handle = [UInt8(truncatingIfNeeded: saying.handle), UInt8(truncatingIfNeeded: saying.handle >> 8)]
      let pdu = Array(([opcode.rawValue] + handle + saying.octets).prefix(mtu))
      guard saying.isIndication else {
        pdus.append(pdu)
        continue
      }
      if waiting.count < RecordingPlayback.mostPending { waiting.append(pdu) }
      pdus += indicate()
    }
    return pdus
  }

  /// When `advance(to:)` has something to say; `nil` if nothing is to be said.
  public var nextDue: Duration? {
    guard isLinked, let origin, let due = playback.nextDue else { return nil }
    return origin + .microseconds(due)
  }

  private mutating func indicate() -> [[UInt8]] {
    guard !isUnconfirmed, !waiting.isEmpty else { return [] }
    isUnconfirmed = true
    return [waiting.removeFirst()]
  }

  private func microseconds(_ now: Duration) -> Int64 {
    let (seconds, attoseconds) = (now - (origin ?? now)).components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? .max / 2 : whole &+ attoseconds / 1_000_000_000_000
  }

  // MARK: Exchanges

  private mutating func recordedResponse(to pdu: [UInt8]) -> [UInt8]? {
    let request = Data(pdu)
    guard let exchange = exchanges[request], !exchange.responses.isEmpty else { return nil }
    let number = exchanged[request] ?? 0
    exchanged[request] = number &+ 1
    return Array(exchange.responses[min(number, exchange.responses.count - 1)])
  }

  private mutating func learnMTU(_ request: ATTClientPDU, _ answer: [UInt8]) {
    guard case .exchangeMTURequest(let request) = request,
      case .exchangeMTUResponse(let response)? = try? ATTServerPDU(answer[...])
    else { return }
    mtu = max(Self.leastMTU, Int(min(request.clientRxMTU, response.serverRxMTU)))
  }

  // MARK: Requests

  private mutating func respond(
    to request: ATTClientPDU, _ code: UInt8, isRefused: Bool, at time: Int64
  ) -> [UInt8]? {
    switch request {
    case .exchangeMTURequest:
      guard let mtu = recording.maximumTransmissionUnit else { return Self.error(code, 0, .requestNotSupported) }
      return ATTServerPDU.exchangeMTUResponse(ATTExchangeMTUResponse(serverRxMTU: mtu)).octets
    case .writeRequest(let packet):
      let handle = packet.attributeHandle.rawValue
      guard !isRefused else { return nil }
      if let refusal = writeRefusal(handle) { return Self.error(code, handle, refusal) }
      wrote(handle, Data(packet.attributeValue), at: time)
      return ATTServerPDU.writeResponse(ATTWriteResponse()).octets
    case .writeCommand(let packet):
      let handle = packet.attributeHandle.rawValue
      if writeRefusal(handle) == nil { wrote(handle, Data(packet.attributeValue), at: time) }
      return nil
    case .signedWriteCommand(let packet):
      let handle = packet.attributeHandle.rawValue
      if writeRefusal(handle) == nil { wrote(handle, Data(packet.attributeValue), at: time) }
      return nil
    case .prepareWriteRequest(let packet):
      let handle = packet.attributeHandle.rawValue
      if let refusal = writeRefusal(handle) { return Self.error(code, handle, refusal) }
      guard prepared.count < Self.mostPrepared else { return Self.error(code, handle, .prepareQueueFull) }
      prepared.append((handle, Int(packet.valueOffset), Data(packet.partAttributeValue)))
      return ATTServerPDU.prepareWriteResponse(ATTPrepareWriteResponse(to: packet)).octets
    case .executeWriteRequest(let packet):
      let parts = prepared
      prepared = []
      if packet.flags.rawValue == 1, !isRefused { execute(parts, at: time) }
      return ATTServerPDU.executeWriteResponse(ATTExecuteWriteResponse()).octets
    default: return read(request, code, at: time)
    }
  }

  private mutating func execute(_ parts: [(handle: UInt16, offset: Int, octets: Data)], at time: Int64) {
    for (handle, value) in Self.assembled(parts) { wrote(handle, value, at: time) }
  }

  /// The values of a queue of writes, in the order in which their attributes first appear.
  static func assembled(_ parts: [(handle: UInt16, offset: Int, octets: Data)]) -> [(UInt16, Data)] {
    var handles: [UInt16] = []
    for part in parts where !handles.contains(part.handle) { handles.append(part.handle) }
    return handles.map { handle in
      var value = Data()
      for part in parts where part.handle == handle && part.offset <= value.count {
        value = Data((value.prefix(part.offset) + part.octets).prefix(RecordedValue.longest))
      }
      return (handle, value)
    }
  }

  private mutating func wrote(_ handle: UInt16, _ value: Data, at time: Int64) {
    if let target = table.configured[handle], value.count == 2 {
      let bits = UInt16(value[value.startIndex]) | UInt16(value[value.startIndex + 1]) << 8
      playback.subscribed(target, configuration: bits, at: time)
    }
    playback.wrote(handle, value, at: time)
  }

  /// Why the attribute cannot be written now.
  private func writeRefusal(_ handle: UInt16) -> ATTErrorCode? {
    guard let entry = table[handle] else { return .invalidHandle }
    if let refusal = entry.recorded.writeRefusal, !(refusal.endsWithEncryption && isEncrypted) {
      return ATTErrorCode(refusal.code)
    }
    return entry.declaration == nil ? nil : .writeNotPermitted
  }

  static func error(_ request: UInt8, _ handle: UInt16, _ code: ATTErrorCode) -> [UInt8] {
    [
      ATTOpcode.errorResponse.rawValue, request, UInt8(truncatingIfNeeded: handle),
      UInt8(truncatingIfNeeded: handle >> 8), code.rawValue,
    ]
  }
}
