extension SystemRule {
  static let scanForAll = SystemRule(
    20, .warning, "a scan for all services",
    then: "It works in the foreground only, reports each device around, and costs power.",
    from: "Apple, scanForPeripherals(withServices:options:): the recommended practice is to name services",
    instead: "Name the services that the app can use.")
  static let backgroundScanForAll = SystemRule(
    21, .error, "a scan for all services in the background",
    then: "It finds nothing.",
    from: "Apple, scanForPeripherals(withServices:options:): in the background one or more services are needed",
    instead: "Name the services; stop a scan for all when the app enters the background.")
  static let backgroundDuplicates = SystemRule(
    22, .warning, "duplicates asked for in the background",
    then: "The option is ignored: each device is reported once.",
    from: "Apple, Core Bluetooth Background Processing for iOS Apps",
    instead: "Do not build on repeated reports in the background; read the RSSI of a connection instead.")
  static let scanNeverStopped = SystemRule(
    23, .warning, "a scan that continues for 30 s after a connection was made",
    then: "The radio scans beside the connection: both are slower, and the battery pays.",
    from: "Apple, Best Practices for Interacting with a Remote Peripheral Device: stop when the device is found",
    instead: "Call stopScan() in didDiscover or didConnect.")
  static let foreignIdentifier = SystemRule(
    24, .error, "an identifier that another phone has given to a device",
    then: "No peripheral is retrieved: identifiers are made by each phone for itself, and are not addresses.",
    from: "Apple, CBPeer.identifier; the field: identifiers stored on a server fail on the next phone",
    instead: "Identify a device to other phones by what it tells of itself: a serial number, its advertisement.")

  static let scanning = [scanForAll, backgroundScanForAll, backgroundDuplicates, scanNeverStopped, foreignIdentifier]

  static let connectionWithoutEnd = SystemRule(
    30, .warning, "a first connection that is pending for 60 s in the foreground",
    then: "The attempt has no time limit: the user waits for ever.",
    from: "Apple, connect(_:options:): attempts do not time out, cancelPeripheralConnection(_:) ends them",
    instead: "Start a timer with the attempt, cancel when it fires, and tell the user.")
  static let delayWithReconnection = SystemRule(
    31, .error, "a start delay together with automatic reconnection",
    then: "The connection fails with CBError.invalidParameters.",
    from: "Apple's headers, CBConnectPeripheralOptionEnableAutoReconnect; see Docs/core-bluetooth-behaviour.md",
    instead: "Give one of the two options.")
  static let tooManyLinks = SystemRule(
    32, .warning, "more than eight connections at a time",
    then: "Which further attempts stay pending depends on the phone and on what else it is connected to.",
    from:
      "The field: Apple gives no number; trouble with many is reported (Atomic Object, Managing Multiple BLE Devices in iOS). "
      + "Eight is the limit of this rule, not of a phone",
    instead: "Connect the devices in turns, and disconnect from those that are not needed.")
  static let notConnected = SystemRule(
    33, .error, "a command to a peripheral that is not connected",
    then: "The command is ignored, no delegate method follows; the log has an API MISUSE line.",
    from: "Apple, CBPeripheral.state; the log line \"can only accept commands while in the connected state\"",
    instead: "Wait for didConnect, and forget what is pending in didDisconnectPeripheral.")

  static let connecting = [connectionWithoutEnd, delayWithReconnection, tooManyLinks, notConnected]

  static let discoverAllServices = SystemRule(
    40, .warning, "a discovery of all services",
    then: "It takes longer, and costs power, for services that the app does not use.",
    from: "Apple, discoverServices(_:), and Best Practices for Interacting with a Remote Peripheral Device",
    instead: "Name the services that the app uses.")
  static let discoverAllCharacteristics = SystemRule(
    41, .warning, "a discovery of all characteristics",
    then: "It takes longer, and costs power, for characteristics that the app does not use.",
    from: "Apple, discoverCharacteristics(_:for:), and Best Practices for Interacting with a Remote Peripheral Device",
    instead: "Name the characteristics that the app uses.")
  static let hiddenService = SystemRule(
    42, .error, "a search for a service that iOS keeps for itself",
    then: "The service is never discovered: Generic Access, Generic Attribute, Human Interface Device, ANCS and AMS.",
    from:
      "The field: PhilipsHue/flutter_reactive_ble#475, don/cordova-plugin-ble-central#260, dotintent/react-native-ble-plx#335",
    instead: "Use CBPeripheral.name for the name; offer what the app needs in a service of your own.")
  static let staleAttribute = SystemRule(
    43, .error, "a service, characteristic or descriptor from before it was invalidated",
    then: "The command fails, or is ignored.",
    from: "Apple, peripheral(_:didModifyServices:), and CBPeripheral.services: nil after a disconnection",
    instead: "Discover after each didConnect and didModifyServices, and keep no attribute across them.")
  static let serviceChangeIgnored = SystemRule(
    44, .error, "services change, and the delegate does not implement didModifyServices",
    then: "The attributes are invalid, and the app does not know it; the log has a warning.",
    from:
      "Apple, peripheral(_:didModifyServices:); the log line \"does not implement -[peripheral:didModifyServices:]\"",
    instead: "Implement peripheral(_:didModifyServices:), and discover those services again.")
  static let cachedDatabase = SystemRule(
    45, .error, "a device has other services than in the last connection, and has not indicated a change",
    then: "iOS may show the services of the last connection: it keeps the attribute table of a device.",
    from:
      "Core, Vol 3 Part G 2.5.2 and 7.1; Apple, Accessory Design Guidelines: Service Changed if services can change",
    instead: "Give the device the Service Changed characteristic, and let it indicate after each change.")

  static let discovering = [
    discoverAllServices, discoverAllCharacteristics, hiddenService, staleAttribute, serviceChangeIgnored,
    cachedDatabase,
  ]
}
