import BLETestKit
import CoreBluetooth
import TestSupport

/// A program in the peripheral role with each kind of attribute: short and long values, notifications, indications, a value
/// for encrypted links, an included service, one to remove, and a channel.
struct SweepPeripheral {
  static let name = "Swept"
  static let longValue = Data((0..<500).map { UInt8($0 % 251) })

  let app: PeripheralApp
  private let removable = CBMutableService("FF70")

  init(_ device: Device) {
    let included = CBMutableService("FF60")
    let short = CBMutableCharacteristic("FF51", [.read, .write, .writeWithoutResponse], [.readable, .writeable])
    short.descriptors = [.userDescription("short")]
    let main = CBMutableService(
      "FF50",
      [
        short, CBMutableCharacteristic("FF52", [.read, .write], [.readable, .writeable]),
        CBMutableCharacteristic("FF53", .notify), CBMutableCharacteristic("FF54", .indicate),
        CBMutableCharacteristic("FF55", .read, .readEncryptionRequired),
      ])
    main.includedServices = [included]
    app = PeripheralApp(device.options, services: [included, removable, main])
    for uuid in ["FF51", "FF55"] { app.values[.of(uuid)] = Data("short".utf8) }
    app.values[.of("FF52")] = Self.longValue
    app.onWrite = { manager, requests in manager.respond(to: requests[0], withResult: .success) }
    app.reactions["added"] = { [unowned app] in
      if app.told.last == "added FF50" { app.manager.publishL2CAPChannel(withEncryption: false) }
    }
    app.reactions["published"] = { [unowned app] in
      app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: Self.name])
    }
  }

  /// Each batch of writes, put together.
  var writes: [Data] { app.batches.map { $0.reduce(Data()) { $0 + ($1.value ?? Data()) } } }

  /// What is subscribed to, and how often a subscription began twice or ended without having begun.
  var subscriptions: (uuids: [String], faults: Int) {
    var (uuids, faults): ([String], Int) = ([], 0)
    for words in app.told.map({ $0.split(separator: " ").map(String.init) }) {
      switch words[0] {
      case "state": uuids = []
      case "subscribed":
        faults += uuids.contains(words[1]) ? 1 : 0
        uuids.append(words[1])
      case "unsubscribed":
        faults += uuids.contains(words[1]) ? 0 : 1
        uuids.removeAll { $0 == words[1] }
      default: break
      }
    }
    return (uuids, faults)
  }

  func push(_ count: Int, _ uuid: String) { for number in 0..<count { app.push(Data([UInt8(number)]), uuid) } }

  func takeServiceAway() { app.manager.remove(removable) }
}
