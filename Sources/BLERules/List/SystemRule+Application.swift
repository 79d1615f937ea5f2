extension SystemRule {
  static let workAfterSuspension = SystemRule(
    100, .error, "a command in the background, more than 10 s after the last event",
    then: "The app is suspended by then: the command is not carried out.",
    from: "Apple, Core Bluetooth Background Processing for iOS Apps: about ten seconds after each event",
    instead: "Finish within ten seconds of a callback, or ask for a background task.")
  static let noCentralMode = SystemRule(
    101, .error, "an event of a central manager in the background without the background mode",
    then: "The app is suspended: the event comes when it is in the foreground again, or never.",
    from: "Apple, UIBackgroundModes: bluetooth-central",
    instead: "Add bluetooth-central to UIBackgroundModes.")
  static let noPeripheralMode = SystemRule(
    102, .error, "an event of a peripheral manager in the background without the background mode",
    then: "The app is suspended, and what it advertises stops.",
    from: "Apple, UIBackgroundModes: bluetooth-peripheral",
    instead: "Add bluetooth-peripheral to UIBackgroundModes.")
  static let backgroundName = SystemRule(
    103, .warning, "a name is advertised in the background",
    then: "The name is not sent, and all services are in the overflow area, which only Apple's devices find.",
    from: "Apple, Core Bluetooth Background Processing for iOS Apps: advertising in the background",
    instead: "Find the device by its service, and read its name from a characteristic.")
  static let modeWithoutRestoration = SystemRule(
    104, .warning, "a background mode, and a manager without a restore identifier",
    then: "When the system ends the app to free memory, its connections are forgotten.",
    from: "Apple, Core Bluetooth Background Processing for iOS Apps: state preservation and restoration",
    instead: "Pass CBCentralManagerOptionRestoreIdentifierKey, and implement willRestoreState.")

  static let background = [
    workAfterSuspension, noCentralMode, noPeripheralMode, backgroundName, modeWithoutRestoration,
  ]

  static let identifierChanged = SystemRule(
    110, .error, "a restore identifier that the earlier process did not have",
    then: "What the earlier process was doing is not restored.",
    from: "Apple, CBCentralManagerOptionRestoreIdentifierKey: the same identifier in each launch",
    instead: "Use a constant.")
  static let identifierMissing = SystemRule(
    111, .error, "a manager without a restore identifier after a process that had one",
    then: "What the earlier process was doing is not restored.",
    from: "Apple, State Preservation and Restoration: make the managers again when the app is launched",
    instead: "Make the manager with the same options in each launch.")
  static let restorationUnhandled = SystemRule(
    112, .error, "a restored manager whose delegate does not implement willRestoreState",
    then: "The restored peripherals are released, and their connections with them; the log has an API MISUSE line.",
    from: "Apple, centralManager(_:willRestoreState:) and peripheralManager(_:willRestoreState:)",
    instead: "Implement it, keep the peripherals, and set their delegates.")
  static let restoringWithoutDelegate = SystemRule(
    113, .error, "a restore identifier without a delegate",
    then: "willRestoreState is called before a delegate can be set; the log has an API MISUSE line.",
    from: "The field: the log line \"has provided a restore identifier but the delegate is nil\"",
    instead: "Pass the delegate to the manager's initializer.")
  static let identifierTwice = SystemRule(
    114, .error, "two managers with one restore identifier",
    then: "The system cannot say whose state it is: only one of them is restored.",
    from: "Apple, CBCentralManagerOptionRestoreIdentifierKey: unique within the app",
    instead: "Give each manager an identifier of its own.")

  static let restoring = [
    identifierChanged, identifierMissing, restorationUnhandled, restoringWithoutDelegate, identifierTwice,
  ]

  static let connectionParameters = SystemRule(
    120, .error, "a device requests connection parameters that Apple's products refuse",
    then: "The request is rejected, and the connection keeps its parameters.",
    from:
      "Apple, Accessory Design Guidelines, Connection Parameters: interval of 15 ms and more, the longest 15 ms above the "
      + "shortest or both 15 ms; longest interval × (latency + 1) at most 2 s, and less than a third of the time-out; latency "
      + "of 30 at most; time-out of 2 s and more",
    instead: "Request parameters within these limits.")
  static let securityRequestUnprompted = SystemRule(
    121, .warning, "a device requests security before it has refused a request",
    then: "The pairing dialogue comes up without a reason that the user knows.",
    from:
      "Apple, Accessory Design Guidelines, Pairing: not before a request was rejected with Insufficient Authentication",
    instead: "Answer the first protected request with Insufficient Authentication.")

  static let accessories = [connectionParameters, securityRequestUnprompted]
}
