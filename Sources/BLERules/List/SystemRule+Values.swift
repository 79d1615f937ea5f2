extension SystemRule {
  static let readWithoutProperty = SystemRule(
    50, .error, "a read of a characteristic without the Read property",
    then: "The read fails with CBATTError.readNotPermitted.",
    from: "Apple, readValue(for:): not every characteristic has a readable value; properties tell",
    instead: "Look at the characteristic's properties; subscribe to what can only notify.")
  static let writeWithoutProperty = SystemRule(
    51, .error, "a write with response to a characteristic without the Write property",
    then: "The write fails with CBATTError.writeNotPermitted.",
    from: "Apple, writeValue(_:for:type:): the properties say which types of writes are possible",
    instead: "Choose the type of the write by the characteristic's properties.")
  static let commandWithoutProperty = SystemRule(
    52, .error, "a write without response to a characteristic without that property",
    then: "The write is ignored, and no delegate method follows; the log has a warning.",
    from: "Apple, writeValue(_:for:type:); the log line \"ignoring response-less write\"",
    instead: "Choose the type of the write by the characteristic's properties.")
  static let valueTooLong = SystemRule(
    53, .error, "a write of more than 512 octets",
    then: "The write fails with CBATTError.invalidAttributeValueLength.",
    from: "Core, Vol 3 Part F 3.2.9; Apple, maximumWriteValueLength(for:)",
    instead: "Cut the data into values of at most 512 octets.")
  static let commandCut = SystemRule(
    54, .error, "a write without response that is longer than one packet carries",
    then: "The rest of the value is lost.",
    from: "Apple, maximumWriteValueLength(for:): the longest value of one write",
    instead: "Ask maximumWriteValueLength(for: .withoutResponse) after didConnect, and cut the data accordingly.")
  static let longWrite = SystemRule(
    55, .warning, "a write with response that is longer than one packet carries",
    then: "It is sent as Prepare Write Requests, which many devices do not support.",
    from: "Core, Vol 3 Part G 4.9.4; the field: firmware without a prepare queue answers Request Not Supported",
    instead: "Keep values within the MTU less 3, unless the device is known to support long writes.")
  static let writeWithoutRoom = SystemRule(
    56, .error, "a write without response while canSendWriteWithoutResponse is false",
    then: "The write may be dropped.",
    from: "Apple, canSendWriteWithoutResponse, and peripheralIsReady(toSendWriteWithoutResponse:)",
    instead: "Stop at false, and continue in peripheralIsReady(toSendWriteWithoutResponse:).")
  static let subscriptionWithoutProperty = SystemRule(
    57, .error, "a subscription to a characteristic without the Notify or Indicate property",
    then: "It fails with an error, and no value ever comes.",
    from: "Apple, setNotifyValue(_:for:), and peripheral(_:didUpdateNotificationStateFor:error:)",
    instead: "Look at the characteristic's properties; read what cannot notify.")
  static let polling = SystemRule(
    58, .warning, "ten reads within a minute of a characteristic that can notify",
    then: "Each read costs a request, and changes in between are missed.",
    from: "Apple, Best Practices for Interacting with a Remote Peripheral Device: subscribe to what changes often",
    instead: "Call setNotifyValue(true, for:) once.")
  static let signalTooOften = SystemRule(
    59, .warning, "the RSSI asked for more than once a second, again and again",
    then: "Each call costs a request to the controller, and the value hardly changes within a second.",
    from: "The field's practice: once a second; this stack answers no more often",
    instead: "Ask again in peripheral(_:didReadRSSI:error:), after a second or more.")
  static let burstUnasked = SystemRule(
    60, .warning, "a burst of 20 writes without response without asking for room",
    then: "The system's queue holds some tens of packets: beyond it writes are dropped without an error.",
    from: "Apple, canSendWriteWithoutResponse (iOS 11 and later)",
    instead: "Ask canSendWriteWithoutResponse before each write.")

  static let values = [
    readWithoutProperty, writeWithoutProperty, commandWithoutProperty, valueTooLong, commandCut, longWrite,
    writeWithoutRoom, subscriptionWithoutProperty, polling, signalTooOften, burstUnasked,
  ]
}
