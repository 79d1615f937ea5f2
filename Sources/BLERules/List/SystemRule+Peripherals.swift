extension SystemRule {
  static let advertisingKeys = SystemRule(
    70, .warning, "advertising data other than the local name and service UUIDs",
    then: "The other keys are ignored.",
    from: "Apple, startAdvertising(_:): CBAdvertisementDataLocalNameKey and CBAdvertisementDataServiceUUIDsKey only",
    instead: "Put such data into a characteristic; manufacturer data and service data cannot be advertised.")
  static let servicesOverflow = SystemRule(
    71, .warning, "more advertised services than 28 octets hold",
    then: "The rest goes into the overflow area, which only Apple's devices find, and only by a scan for that service.",
    from: "Apple, startAdvertising(_:): 28 octets in the advertisement, without the headers of its parts",
    instead: "Advertise one service of 128 bits, or a few of 16 bits.")
  static let nameCut = SystemRule(
    72, .warning, "an advertised name that does not fit",
    then: "The name is cut: beside the services in 28 octets, or to 10 octets in the scan response.",
    from: "Apple, startAdvertising(_:): 28 octets in the advertisement, 10 in the scan response for the name",
    instead: "Advertise a name of at most 10 octets.")
  static let advertisingTwice = SystemRule(
    73, .error, "advertising is started while it is on",
    then: "It fails with CBError.alreadyAdvertising, and what is advertised does not change.",
    from: "Apple, CBError.alreadyAdvertising",
    instead: "Call stopAdvertising() first.")
  static let reservedService = SystemRule(
    74, .error, "a service is published that the system keeps for itself",
    then: "It fails with CBError.uuidNotAllowed: Generic Access, Generic Attribute, Battery, Human Interface Device.",
    from: "Apple, CBError.uuidNotAllowed; the field: noble/bleno#133, nordicsemi/IOS-nRF-Connect#83",
    instead: "Publish a service with a 128-bit UUID of your own.")
  static let serviceRefused = SystemRule(
    75, .error, "a service is refused because it contradicts itself",
    then: "It fails in peripheralManager(_:didAdd:error:), and is not published.",
    from: "Apple, CBPeripheralManager.add(_:): included services first; permissions have to fit the properties",
    instead: "Publish included services first, and give each property its permission.")
  static let updateWithoutRoom = SystemRule(
    76, .error, "an update after updateValue has returned false, and before the manager is ready",
    then: "It is refused as well: nothing is sent.",
    from: "Apple, updateValue(_:for:onSubscribedCentrals:), and peripheralManagerIsReady(toUpdateSubscribers:)",
    instead: "Keep the value, and send it in peripheralManagerIsReady(toUpdateSubscribers:).")
  static let updateLost = SystemRule(
    77, .error, "an update that was refused is not sent again",
    then: "The subscribers never receive the value.",
    from: "Apple, updateValue(_:for:onSubscribedCentrals:): false means that the value was not sent",
    instead: "Send it again in peripheralManagerIsReady(toUpdateSubscribers:).")
  static let updateUnpublished = SystemRule(
    78, .error, "an update of a characteristic that is not published",
    then: "Nothing is sent.",
    from: "Apple, updateValue(_:for:onSubscribedCentrals:): the characteristic of a published service",
    instead: "Update the object that was in the service when it was added.")
  static let updateCut = SystemRule(
    79, .error, "an update that is longer than a subscriber can receive",
    then: "The rest of the value is lost.",
    from: "Apple, CBCentral.maximumUpdateValueLength",
    instead: "Cut the data to the smallest maximumUpdateValueLength of the subscribers.")
  static let multiplexerOutOfRange = SystemRule(
    80, .error, "a channel to a PSM that no LE device can have",
    then: "The channel is not opened.",
    from: "Core, Vol 3 Part A 4.22: 0x0001 to 0x00FF",
    instead: "Read the PSM from the device: it chooses another each time.")
  static let multiplexerUnknown = SystemRule(
    81, .error, "a PSM is withdrawn that this manager has not published",
    then: "It fails in peripheralManager(_:didUnpublishL2CAPChannel:error:).",
    from: "Apple, unpublishL2CAPChannel(_:)",
    instead: "Keep the PSM of peripheralManager(_:didPublishL2CAPChannel:error:).")
  static let channelReleased = SystemRule(
    82, .error, "a channel is released before its streams were opened",
    then: "The channel is closed.",
    from: "Apple, CBL2CAPChannel; the field: the channel has to be kept, not only its streams",
    instead: "Keep a strong reference to the CBL2CAPChannel as long as it is used.")

  static let publishing = [
    advertisingKeys, servicesOverflow, nameCut, advertisingTwice, reservedService, serviceRefused, updateWithoutRoom,
    updateLost, updateUnpublished, updateCut, multiplexerOutOfRange, multiplexerUnknown, channelReleased,
  ]

  static let requestUnanswered = SystemRule(
    90, .error, "a request that is not answered within 30 s",
    then: "The central's transaction times out, and it uses the connection no longer.",
    from: "Core, Vol 3 Part F 3.3.3; Apple, respond(to:withResult:): each request is answered",
    instead: "Answer each request, with an error if there is no value.")
  static let answeredTwice = SystemRule(
    91, .warning, "a request is answered twice",
    then: "The second answer is ignored.",
    from: "Apple, respond(to:withResult:): once for each delegate method",
    instead: "Answer in one place.")
  static let batchAnsweredSingly = SystemRule(
    92, .warning, "each request of one delegate method is answered",
    then: "The first answer holds for all of them; the others are ignored.",
    from: "Apple, peripheralManager(_:didReceiveWrite:): all or nothing, answered by the first request",
    instead: "Check all requests, carry out all or none, and answer with the first.")
  static let foreignRequest = SystemRule(
    93, .error, "a request of another manager is answered",
    then: "The central receives no answer.",
    from: "Apple, respond(to:withResult:): requests that this manager has received",
    instead: "Answer with the manager that the delegate method names.")
  static let offsetIgnored = SystemRule(
    94, .error, "a read from an offset is answered with the value from its beginning",
    then: "The central puts a wrong value together.",
    from: "Apple, CBATTRequest.offset: the value begins there",
    instead: "Answer with the part of the value from request.offset on, and with invalidOffset beyond its end.")
  static let requestUnhandled = SystemRule(
    95, .error, "a request for which the delegate has no method",
    then: "The central receives an error.",
    from: "Apple, CBPeripheralManagerDelegate: needed where a characteristic has no fixed value",
    instead: "Implement peripheralManager(_:didReceiveRead:) and peripheralManager(_:didReceiveWrite:).")

  static let requests = [
    requestUnanswered, answeredTwice, batchAnsweredSingly, foreignRequest, offsetIgnored, requestUnhandled,
  ]
}
