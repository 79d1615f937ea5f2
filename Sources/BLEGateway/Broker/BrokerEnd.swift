import BLEText
import CMosquitto
import Foundation

/// Why a link to a broker ended or did not come up.
struct BrokerEnd: Error, Equatable {
  /// The end of a sentence.
  let reason: String
  /// Whether the broker does not know the version of MQTT.
  var isVersionUnknown = false
  /// Whether it is about one message, which no other attempt would change.
  var isAboutMessage = false

  static func failed(_ reason: String) -> BrokerEnd { BrokerEnd(reason: reason) }

  init(reason: String) { self.reason = reason }

  /// The error of libmosquitto for a link that the other side closed.
  static let lost = Int32(MOSQ_ERR_CONN_LOST.rawValue)

  /// An error of libmosquitto.
  init(library code: Int32) {
    switch mosq_err_t(code) {
    case MOSQ_ERR_ERRNO: reason = Self.system
    case MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN: reason = "it closed the connection"
    case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP: reason = "its name is not known here: check \"host\", and the network"
    case MOSQ_ERR_KEEPALIVE: reason = "it was silent for too long"
    case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE:
      reason =
        "the encrypted link did not come up: check \"ca\", \"certificate\", \"key\", and the name in its certificate"
    case MOSQ_ERR_INVAL: reason = "a setting is not valid: check the files of \"tls\""
    case MOSQ_ERR_OVERSIZE_PACKET: reason = "it does not take messages of this length"
    default: reason = mosquitto_strerror(code).map { String(cString: $0).inert } ?? "error \(code)"
    }
    switch mosq_err_t(code) {
    case MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_INVAL: isAboutMessage = true
    default: break
    }
  }

  /// The broker's answer to the attempt.
  init(refusal code: Int32, _ version: MQTTVersion) {
    let isNew = version == .version5
    switch (isNew, code) {
    case (true, 132), (false, 1):
      reason = "it does not know MQTT \(version.rawValue)"
      isVersionUnknown = true
    case (true, 134), (true, 135), (false, 4), (false, 5):
      reason = "it refuses this user: check \"user\" and the password"
    case (true, 133), (false, 2): reason = "it refuses the name of this client"
    case (true, 136), (true, 137), (false, 3): reason = "it is not ready to serve"
    case (true, 138): reason = "it has banned this client"
    default: reason = "it refuses the connection (code \(code))"
    }
  }

  /// MQTT 5: why the broker ends a link that was up; otherwise an error of libmosquitto.
  init(disconnect code: Int32) {
    switch code {
    case 142: self.init(reason: "another client has come with this name: each gateway needs its own")
    case 139: self.init(reason: "it is being shut down")
    case 149: self.init(reason: "it does not take messages of this length")
    case 141: self.init(reason: "it heard nothing for too long")
    case 128...: self.init(reason: "it ended the connection (code \(code))")
    default: self.init(library: code)
    }
  }

  private static var system: String { String(cString: strerror(errno)).lowercasedFirst }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
