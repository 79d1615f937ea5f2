import CMosquitto
import Foundation

/// Called by libmosquitto within its calls: what arrives is handed on when it has returned.
extension BrokerClient {
  private static func client(_ pointer: UnsafeMutableRawPointer?) -> BrokerClient? {
    pointer.map { Unmanaged<BrokerClient>.fromOpaque($0).takeUnretainedValue() }
  }

  func setCallbacks() {
    mosquitto_connect_v5_callback_set(handle) { _, pointer, code, flags, _ in
      BrokerClient.client(pointer)?.answered(code, flags)
    }
    mosquitto_publish_v5_callback_set(handle) { _, pointer, number, code, _ in
      guard let client = BrokerClient.client(pointer) else { return }
      client.sources?.notePacket()
      client.arrived.append(.acknowledged(number, code: code))
    }
    mosquitto_message_v5_callback_set(handle) { _, pointer, message, properties in
      guard let client = BrokerClient.client(pointer), let message else { return }
      client.sources?.notePacket()
      client.messages.append(BrokerMessage(message.pointee, properties))
    }
    mosquitto_disconnect_v5_callback_set(handle) { _, pointer, code, _ in
      guard let client = BrokerClient.client(pointer), code != 0 else { return }
      client.refusal = client.refusal ?? BrokerEnd(disconnect: code)
    }
    // Each packet of the broker is logged when its last octet was read; what is sent is logged as well.
    mosquitto_log_callback_set(handle) { _, pointer, level, text in
      guard level == MOSQ_LOG_DEBUG, let text, let client = BrokerClient.client(pointer) else { return }
      if strncmp(text, client.logOfReceived, client.logOfReceived.utf8.count) == 0 { client.sources?.notePacket() }
    }
  }

  private func answered(_ code: Int32, _ flags: Int32) {
    sources?.notePacket()
    guard code == 0 else { return refusal = BrokerEnd(refusal: code, version) }
    isAccepted = true
    arrived.append(.accepted(isSessionPresent: flags & 1 != 0))
  }
}
