import CMosquitto
import Foundation

/// A list of MQTT 5 properties that this program makes.
///
/// Freed with this object; libmosquitto copies what it needs.
final class BrokerProperties {
  private(set) var list: OpaquePointer?

  deinit { mosquitto_property_free_all(&list) }

  func add(_ identifier: mqtt5_property, number: UInt32) {
    mosquitto_property_add_int32(&list, Int32(identifier.rawValue), number)
  }

  func add(_ identifier: mqtt5_property, octets: Data) {
    octets.withUnsafeBytes {
      _ = mosquitto_property_add_binary(&list, Int32(identifier.rawValue), $0.baseAddress, UInt16(clamping: $0.count))
    }
  }

  func add(user name: String, _ value: String) {
    mosquitto_property_add_string_pair(&list, Int32(MQTT_PROP_USER_PROPERTY.rawValue), name, value)
  }
}

extension BrokerMessage {
  /// Copies a message of libmosquitto, which frees its own after the callback.
  init(_ message: mosquitto_message, _ properties: OpaquePointer?) {
    self.init(
      topic: message.topic.map { String(cString: $0) } ?? "",
      payload: message.payloadlen > 0 && message.payload != nil
        ? Data(bytes: message.payload, count: Int(message.payloadlen)) : Data())
    isRetained = message.retain
    guard let properties else { return }
    var text: UnsafeMutablePointer<CChar>?
    if mosquitto_property_read_string(properties, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), &text, false) != nil {
      responseTopic = text.map { String(cString: $0) }
      free(text)
    }
    var octets: UnsafeMutableRawPointer?
    var count: UInt16 = 0
    if mosquitto_property_read_binary(
      properties, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), &octets, &count, false) != nil
    {
      correlation = octets.map { Data(bytes: $0, count: Int(count)) } ?? Data()
      free(octets)
    }
    var number: UInt32 = 0
    if mosquitto_property_read_int32(
      properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), &number, false) != nil
    {
      expiry = number
    }
    key = Self.user("key", properties)
  }

  private static func user(_ wanted: String, _ properties: OpaquePointer) -> String? {
    var next: OpaquePointer? = properties
    var isFirst = true
    while let place = next {
      var (name, value): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
      next = mosquitto_property_read_string_pair(
        place, Int32(MQTT_PROP_USER_PROPERTY.rawValue), &name, &value, !isFirst)
      isFirst = false
      defer {
        free(name)
        free(value)
      }
      if next != nil, let name, let value, String(cString: name) == wanted { return String(cString: value) }
    }
    return nil
  }
}
