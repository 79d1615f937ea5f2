import BLECore
import BLEDeviceFiles
import BLEVirtualRadio
import BLEWire
import Foundation

/// A clone on the embedded radio: it advertises as the device did, and its server has the recorded handles and times. On the loop.
package final class ClonedRadio: TimerTarget {
  /// Why a recording cannot be played as it is on a radio without a stack, as a sentence; `nil` if it can.
  package static func obstacle(_ recording: RecordedDevice) -> String? {
    if recording.security.isPaired || recording.security.isDemanded {
      return "The device paired, which takes the whole stack"
    }
    guard let advertisement = recording.connectable else { return "The log has no advertisement of the device" }
    if advertisement.data.count > longestAdvertisement { return "The device used extended advertising" }
    return nil
  }

  private static let longestAdvertisement = 31
  /// The least and the greatest interval of advertising (Core, Vol 4 Part E 7.8.5).
  private static let intervals: ClosedRange<Int64> = 0x20...0x4000

  private let radio: ScriptedRadio
  private let loop: any StackLoop
  private let recording: RecordedDevice
  private var server: ClonedServer
  private var timer: TimerToken?
  private var requestTimers: [TimerToken] = []

  /// The tag of the timer of what the server says; others are places among the requests for parameters.
  private static let speech = -1
  /// Called for each PDU of the Attribute Protocol.
  package var onPDU: ((_ octets: [UInt8], _ isFromDevice: Bool) -> Void)?
  /// Called when a central has connected, and when the link has ended.
  package var onLink: ((_ isUp: Bool) -> Void)?

  package init(_ recording: RecordedDevice, on radio: ScriptedRadio, loop: any StackLoop) {
    self.recording = recording
    self.radio = radio
    self.loop = loop
    server = ClonedServer(recording)
  }

  /// Advertises, and plays the device for each central that connects.
  package func start() {
    radio.refusesPairing = true
    radio.onConnected = { [weak self] in self?.connected() }
    radio.onDisconnected = { [weak self] in self?.disconnected() }
    radio.answer = { [weak self] pdu in
      self?.received(pdu)
      return nil
    }
    guard let advertisement = recording.connectable ?? recording.advertisements.first(where: { !$0.isScanResponse })
    else { return }
    let response = recording.advertisements.first { $0.isScanResponse }
    let steps = max(min((advertisement.interval ?? 0) / 625, Self.intervals.upperBound), Self.intervals.lowerBound)
    radio.advertise(
      ScriptedAdvertisement(
        data: Array(advertisement.data.prefix(Self.longestAdvertisement)),
        scanResponse: Array((response?.data ?? Data()).prefix(Self.longestAdvertisement)),
        isConnectable: advertisement.isConnectable,
        interval: advertisement.interval == nil
          ? ScriptedAdvertisement.standardInterval : AdvertisingInterval(rawValue: UInt32(steps))))
  }

  private var now: Duration { .nanoseconds(loop.now.nanoseconds) }

  private func connected() {
    server.connected(at: now)
    onLink?(true)
    requestTimers = recording.parameterRequests.indices.map { index in
      loop.schedule(
        after: .microseconds(recording.parameterRequests[index].delay), .background, self, tag: index)
    }
    speak()
  }

  private func disconnected() {
    server.disconnected()
    for timer in requestTimers { loop.cancel(timer) }
    requestTimers = []
    onLink?(false)
    wait()
  }

  private func received(_ pdu: [UInt8]) {
    onPDU?(pdu, false)
    for answer in server.receive(pdu, at: now) { send(answer) }
    speak()
  }

  private func send(_ pdu: [UInt8]) {
    onPDU?(pdu, true)
    radio.send(pdu)
  }

  /// Says what is due, and waits for what is due next.
  private func speak() {
    for pdu in server.advance(to: now) { send(pdu) }
    wait()
  }

  private func wait() {
    if let timer { loop.cancel(timer) }
    timer = server.nextDue.map { due in
      let (seconds, attoseconds) = (due - now).components
      let nanoseconds = max(0, seconds) * 1_000_000_000 + max(0, attoseconds / 1_000_000_000)
      return loop.schedule(after: .nanoseconds(nanoseconds), .background, self, tag: Self.speech)
    }
  }

  package func timerFired(tag: Int) {
    guard tag == Self.speech else {
      let request = recording.parameterRequests[tag]
      return radio.ask(
        L2CAPConnectionParameterUpdateRequest(
          intervalMin: request.minimumInterval, intervalMax: request.maximumInterval, latency: request.latency,
          timeout: request.supervisionTimeout))
    }
    timer = nil
    speak()
  }
}

extension RecordedDevice {
  /// The advertisement that centrals connect to.
  var connectable: RecordedAdvertisement? { advertisements.first { $0.isConnectable && !$0.isScanResponse } }
}
