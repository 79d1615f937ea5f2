import BLETestKit
import CoreBluetooth
import Testing
import TestSupport

/// A world under the rules, with a phone and a lamp, for one case of a rule.
final class RuleBench {
  let world: World
  let phone: Device
  let lamp: Device
  /// What a case keeps until its end.
  var kept: [Any] = []

  init() {
    // Without a seed of its own, so that a case holds for any.
    world = World(seed: nil, watchedEvery: .milliseconds(20))
    phone = world.makeDevice("phone")
    lamp = world.makeDevice("lamp")
    judge()
  }

  /// The rules from now on.
  func judge(_ information: RuleSet.ApplicationInformation? = nil) { world.rules = .iOS(18, information: information) }

  var broken: Set<Int> { Set(world.brokenRules.map(\.rule.number)) }

  static let service = CBUUID(string: "FFF0")

  /// FFF1 can do everything, FFF2 can be read, FFF3 written without response, FFF4 written with one, FFF5 notify.
  static func makeService(_ uuid: String = "FFF0") -> CBMutableService {
    CBMutableService(
      uuid,
      [
        CBMutableCharacteristic("FFF1", [.read, .write, .notify], [.readable, .writeable]),
        CBMutableCharacteristic("FFF2", [.read], .readable),
        CBMutableCharacteristic("FFF3", [.writeWithoutResponse], .writeable),
        CBMutableCharacteristic("FFF4", [.write], .writeable),
        CBMutableCharacteristic("FFF5", [.notify]),
      ])
  }

  @discardableResult
  func publish(_ services: [CBMutableService] = [makeService()]) -> PeripheralApp {
    let app = PeripheralApp("lamp", on: lamp, services: services, advertises: [Self.service])
    app.value = Data([1])
    kept.append(app)
    return app
  }

  /// An app on the phone that was told its state.
  func app(_ more: [String: Any] = [:]) async -> CentralApp {
    let app = CentralApp(phone.options, more: more)
    kept.append(app)
    await world.settle()
    return app
  }

  /// The app has found the lamp, and does not scan any more.
  func found(_ app: CentralApp) async throws -> CBPeripheral {
    let peripheral = try await app.find("lamp", services: [Self.service], in: world)
    peripheral.delegate = app
    return peripheral
  }

  func connected(_ app: CentralApp) async throws -> CBPeripheral {
    let peripheral = try await found(app)
    try await app.connect(to: peripheral, in: world)
    return peripheral
  }

  /// The lamp is published, connected, and its service discovered with all characteristics.
  func met() async throws -> (app: CentralApp, peripheral: CBPeripheral, lamp: PeripheralApp) {
    let publisher = publish()
    let app = await app()
    let peripheral = try await connected(app)
    try await discover(peripheral)
    return (app, peripheral, publisher)
  }

  func discover(_ peripheral: CBPeripheral) async throws {
    await peripheral.discoverServices([Self.service], in: world)
    let all = ["FFF1", "FFF2", "FFF3", "FFF4", "FFF5"].map { CBUUID(string: $0) }
    peripheral.discoverCharacteristics(all, for: try peripheral.service("FFF0"))
    await world.settle()
  }

  func disconnect(_ app: CentralApp, _ peripheral: CBPeripheral) async {
    app.manager.cancelPeripheralConnection(peripheral)
    await world.advance(by: .seconds(1))
  }

  /// A device that says what the case says, connected to the phone.
  func scripted(_ app: CentralApp) async throws -> (ScriptedDevice, CBPeripheral) {
    let lock = world.makeScriptedDevice("lock")
    lock.advertise([2, 0x01, 0x06, 5, 0x09, 0x6C, 0x6F, 0x63, 0x6B])
    let peripheral = try await app.reach("lock", in: world)
    await world.settle()
    return (lock, peripheral)
  }
}

/// A rule, what breaks it and what keeps it.
struct RuleCase: Sendable, CustomTestStringConvertible {
  typealias Script = @Sendable (RuleBench) async throws -> Void

  let rule: Int
  /// What breaks the rule, in words.
  let breaking: String
  /// What is close to it, and keeps the rule.
  let keeping: String
  let breaks: Script
  let keeps: Script

  init(
    _ rule: Int, _ breaking: String, not keeping: String, breaks: @escaping Script, keeps: @escaping Script
  ) {
    self.rule = rule
    self.breaking = breaking
    self.keeping = keeping
    self.breaks = breaks
    self.keeps = keeps
  }

  var testDescription: String { "rule \(rule)" }

  static let all =
    managers + scanning + connecting + discovering + values + publishing + requests + application + accessories
}
