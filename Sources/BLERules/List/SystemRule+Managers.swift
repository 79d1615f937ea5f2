extension SystemRule {
  static let notPoweredOn = SystemRule(
    1, .error, "a command before the manager is powered on",
    then: "The command is ignored; the log has an API MISUSE line.",
    from: "Apple, CBCentralManager and CBPeripheralManager: commands only while the state is powered on",
    instead: "Begin when the did-update-state method reports poweredOn, each time that it does.")
  static let noUsageDescription = SystemRule(
    2, .error, "a manager in an app without a usage description",
    then: "The system ends the app as soon as it uses Bluetooth.",
    from: "Apple, Information Property List: NSBluetoothAlwaysUsageDescription (iOS 13 and later)",
    instead: "Add NSBluetoothAlwaysUsageDescription to the Info.plist, with the reason in words for the user.")
  static let peripheralReleased = SystemRule(
    3, .error, "a peripheral that is connected or being connected is released",
    then: "The connection is cancelled; the log has an API MISUSE line.",
    from: "Apple, CBCentralManager.connect(_:options:): an attempt is cancelled when the peripheral is deallocated",
    instead: "Keep a strong reference to the CBPeripheral from didDiscover until it is disconnected.")
  static let managerReleased = SystemRule(
    4, .error, "a manager is released before its first state",
    then: "No delegate method is ever called.",
    from: "The field: a manager in a local variable is the most frequent reason for a silent delegate",
    instead: "Keep the manager in a property of an object that lives as long as Bluetooth is used.")
  static let stateUndelivered = SystemRule(
    5, .error, "a manager without a delegate when its state is reported",
    then: "The state is not reported again: the app waits for poweredOn in vain.",
    from: "Apple, centralManagerDidUpdateState(_:): called when the state changes",
    instead: "Pass the delegate to the manager's initializer.")
  static let resultUndelivered = SystemRule(
    6, .error, "an event for which there is no delegate",
    then: "The event is lost.",
    from: "Apple, CBPeripheral.delegate: results are delivered to the delegate that is set when they arrive",
    instead: "Set the delegate before the first command, and keep it: the reference is weak.")
  static let delegateMissing = SystemRule(
    7, .warning, "a command to a peripheral without a delegate",
    then: "The command is carried out; the log has an API MISUSE line.",
    from: "The field: log lines \"while delegate is either nil or does not implement ...\"",
    instead: "Set the peripheral's delegate in didDiscover or didConnect, before the first command.")
  static let queueBlocked = SystemRule(
    8, .warning, "a delegate method that does not return for a second",
    then: "All further callbacks of the manager wait, and values are lost when the system's buffers are full.",
    from: "Apple, CBCentralManager.init(delegate:queue:options:): events are delivered on that one queue",
    instead: "Return at once; do what takes time, or waits, on another queue.")
  static let invalidPeripheral = SystemRule(
    9, .error, "a peripheral from before the Bluetooth system was reset",
    then: "The command is ignored: the object is invalid.",
    from: "Apple, CBCentralManagerDelegate: below poweredOff all peripherals become invalid and are retrieved again",
    instead: "Keep the identifier, and retrieve the peripheral when the state is poweredOn again.")
  static let foreignPeripheral = SystemRule(
    10, .error, "a peripheral that another manager has vended",
    then: "The command is ignored; the log has an API MISUSE line.",
    from: "The field: a CBPeripheral belongs to the manager that has vended it",
    instead: "Retrieve the peripheral from the manager that is to connect it.")
  static let tooManyEventServices = SystemRule(
    11, .warning, "connection events for more than four services",
    then: "Further services are ignored.",
    from: "Apple's headers, registerForConnectionEvents(options:); see Docs/core-bluetooth-behaviour.md",
    instead: "Register at most four services, or identifiers.")

  static let managers = [
    notPoweredOn, noUsageDescription, peripheralReleased, managerReleased, stateUndelivered, resultUndelivered,
    delegateMissing, queueBlocked, invalidPeripheral, foreignPeripheral, tooManyEventServices,
  ]
}
