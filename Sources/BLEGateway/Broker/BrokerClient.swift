import BLESession
import CMosquitto
import Foundation

/// One connection to a broker: from the attempt to its end. Used on its owner's queue only.
///
/// libmosquitto is driven by the queue: it is called when its socket can be read or written, and once a second. It keeps nothing across
/// connections: what was not acknowledged is with the owner.
final class BrokerClient {
  /// What happens to a connection.
  enum Happening {
    case accepted(isSessionPresent: Bool)
    case acknowledged(Int32, code: Int32)
    case received([BrokerMessage])
    case oversized
    case ended(BrokerEnd)
  }

  let version: MQTTVersion
  var tell: ((Happening) -> Void)?
  let handle: OpaquePointer
  private let queue: DispatchQueue
  private let largestMessage: Int
  private let isEncrypted: Bool
  /// How libmosquitto's line on a packet of the broker begins.
  let logOfReceived: String
  var sources: BrokerSocket?
  private var timer: (any DispatchSourceTimer)?
  var isAccepted = false
  private var isOver = false
  /// Seconds without an answer to the attempt.
  private var silence = 0
  /// What arrived during the current call of libmosquitto.
  var arrived: [Happening] = []
  var messages: [BrokerMessage] = []
  var refusal: BrokerEnd?

  private static let longestSilence = 10
  /// The most publications that wait for the broker's acknowledgement.
  static let mostInFlight: Int32 = 256

  init(_ settings: BrokerSettings, _ version: MQTTVersion, identifier: String, on queue: DispatchQueue)
    throws(BrokerEnd)
  {
    BrokerLibrary.prepare()
    // The broker keeps nothing for a client without a session.
    guard let handle = mosquitto_new(identifier, settings.sessionTime == 0, nil) else {
      throw .failed("there is no memory for it")
    }
    self.handle = handle
    self.version = version
    self.queue = queue
    largestMessage = settings.largestMessage
    isEncrypted = settings.security != nil
    logOfReceived = "Client \(identifier) received "
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    mosquitto_int_option(
      handle, MOSQ_OPT_PROTOCOL_VERSION, version == .version5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
    mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
    mosquitto_max_inflight_messages_set(handle, UInt32(Self.mostInFlight))
    // What answers the broker is queued and not sent from within callbacks: it goes out behind `received`.
    mosquitto_threaded_set(handle, true)
    setCallbacks()
  }

  deinit {
    sources?.close()
    timer?.cancel()
    mosquitto_destroy(handle)
  }

  // MARK: Calls

  /// Connects. Waits for the name service and the network.
  func connect(_ settings: BrokerSettings, will: BrokerPublication?) throws(BrokerEnd) {
    try secure(settings)
    if let user = settings.user {
      var password: String?
      do throws(SecretError) { password = try settings.password?.read() } catch { throw .failed(error.reason) }
      try check(mosquitto_username_pw_set(handle, user, password))
    }
    if let will {
      try check(
        will.payload.withUnsafeBytes {
          mosquitto_will_set(handle, will.topic, Int32($0.count), $0.baseAddress, 1, will.isRetained)
        })
    }
    let properties = BrokerProperties()
    if version == .version5 {
      properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, number: settings.sessionTime)
      properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, number: UInt32(clamping: largestMessage))
    }
    try check(mosquitto_connect_bind_v5(handle, settings.host, Int32(settings.port), 15, nil, properties.list))
    guard let socket = BrokerSocket(mosquitto_socket(handle), on: queue) else { throw .failed("it has no socket") }
    socket.onReadable = { [weak self] in self?.read() }
    socket.onWritable = { [weak self] in self?.write() }
    sources = socket
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + 1, repeating: 1)
    timer.setEventHandler { [weak self] in self?.passSecond() }
    timer.resume()
    self.timer = timer
    socket.start()
    write()
  }

  /// Hands a message to libmosquitto, which sends it with `flush`. Returns its number, with which it is acknowledged.
  func publish(_ publication: BrokerPublication) throws(BrokerEnd) -> Int32 {
    let properties = BrokerProperties()
    if version == .version5 {
      if let key = publication.key { properties.add(user: "key", key) }
      if let correlation = publication.correlation {
        properties.add(MQTT_PROP_CORRELATION_DATA, octets: correlation)
      }
    }
    var number: Int32 = 0
    try check(
      publication.payload.withUnsafeBytes {
        mosquitto_publish_v5(
          handle, &number, publication.topic, Int32($0.count), $0.baseAddress, 1, publication.isRetained,
          properties.list)
      })
    return number
  }

  func subscribe(_ filter: String, _ delivery: BrokerDelivery) throws(BrokerEnd) {
    try check(mosquitto_subscribe(handle, nil, filter, delivery.rawValue))
  }
  func unsubscribe(_ filter: String) throws(BrokerEnd) { try check(mosquitto_unsubscribe(handle, nil, filter)) }

  /// Sends what waits to be sent.
  func flush() { write() }

  /// Says goodbye: the broker does not publish the will.
  func disconnect() {
    mosquitto_disconnect(handle)
    mosquitto_loop_write(handle, 1)
    end(nil)
  }

  /// Ends the link as a network does.
  func breakOff() { end(nil) }

  private func check(_ code: Int32) throws(BrokerEnd) {
    if code != MOSQ_ERR_SUCCESS.rawValue { throw BrokerEnd(library: code) }
  }

  private func secure(_ settings: BrokerSettings) throws(BrokerEnd) {
    guard let security = settings.security else { return }
    if security.authorities == nil { try check(mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1)) }
    // A key with a pass phrase is refused instead of asking for that on the terminal.
    try check(
      mosquitto_tls_set(handle, security.authorities, nil, security.certificate, security.key) { _, _, _, _ in 0 })
    try check(mosquitto_tls_opts_set(handle, 1, nil, nil))
  }

  // MARK: The socket

  private func read() {
    guard !isOver else { return }
    if !isEncrypted, sources?.announcesTooLong(largestMessage) == true { return endOversized() }
    let code = mosquitto_loop_read(handle, 1)
    tellArrived()
    if isOver { return }
    if sources?.isTooLong(largestMessage) == true { return endOversized() }
    finish(code)
    write()
  }

  private func endOversized() {
    tell?(.oversized)
    end(.failed("it sent a message of more than \(largestMessage) octets"))
  }

  private func write() {
    guard !isOver else { return }
    let code = mosquitto_loop_write(handle, 1)
    tellArrived()
    finish(code)
    if !isOver { sources?.waitsToWrite(mosquitto_want_write(handle)) }
  }

  private func passSecond() {
    guard !isOver else { return }
    if !isAccepted {
      silence += 1
      if silence > Self.longestSilence { return end(.failed("it did not answer within \(Self.longestSilence) s")) }
    }
    finish(mosquitto_loop_misc(handle))
    write()
  }

  private func finish(_ code: Int32) {
    if isOver || code == MOSQ_ERR_SUCCESS.rawValue { return }
    end(refusal ?? BrokerEnd(library: code))
  }

  private func end(_ reason: BrokerEnd?) {
    if isOver { return }
    isOver = true
    timer?.cancel()
    sources?.close()
    if let reason { tell?(.ended(reason)) }
  }

  private func tellArrived() {
    let (happenings, messages) = (arrived, messages)
    (arrived, self.messages) = ([], [])
    for happening in happenings where !isOver { tell?(happening) }
    if !messages.isEmpty, !isOver { tell?(.received(messages)) }
  }
}
