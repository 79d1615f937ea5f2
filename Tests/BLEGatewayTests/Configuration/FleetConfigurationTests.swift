import BLESession
import BLEText
import Testing

@testable import BLEGateway

@Suite("Configuration of a fleet")
struct FleetConfigurationTests {
  private func read(_ fleet: String, _ devices: String) -> Result<GatewayConfiguration, FileMistakes> {
    let text = """
      {"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "127.0.0.1"}, "listen": [{}],
       "devices": [\(devices)],
       "fleet": \(fleet)}
      """
    return Result { () throws(FileMistakes) in try GatewayConfigurationReader.read(octets: text.utf8, folder: "/etc") }
  }

  private func mistakes(_ fleet: String, _ devices: String) -> [String] {
    guard case .failure(let error) = read(fleet, devices) else { return [] }
    return error.lines(in: "attic.json")
  }

  private let door = #"{"name": "door", "match": {"names": ["Door"]}}"#
  private let scale = #"{"name": "scale", "match": {"names": ["Scale"]}}"#

  @Test("I17.3 a fleet has all devices where it names none, and other devices are kept by the gateway alone")
  func devices() throws {
    let all = try read("{}", door + "," + scale).get()
    #expect(all.devices.allSatisfy { all.isInFleet($0) })
    #expect(all.fleet?.hysteresis == 8 && all.fleet?.isolation == .keep)
    let some = try read(
      #"{"devices": ["door"], "hysteresis": 12, "without_broker": "let_go"}"#, door + "," + scale
    ).get()
    #expect(some.devices.map { some.isInFleet($0) } == [true, false])
    #expect(some.fleet?.hysteresis == 12 && some.fleet?.isolation == .letGo)
  }

  @Test("I17.3 unknown devices and settings of a fleet, and commands on a topic of several gateways, are mistakes")
  func wrong() {
    let found = mistakes(
      #"{"devices": ["doors", "scale"], "hysteresis": 0, "without_broker": "drop", "room": "attic"}"#,
      door + "," + scale)
    #expect(found.count == 4 && found.contains { $0.contains("Did you mean 'door'") }, "\(found)")
    let shared = #"{"name": "door", "match": {"names": ["Door"]}, "commands": {"topic": "ble/door"}}"#
    let topic = mistakes("{}", shared)
    #expect(topic.count == 1 && topic[0].contains("\"ble/attic/\""), "\(topic)")
    #expect(mistakes(#"{"devices": ["scale"]}"#, shared + "," + scale).isEmpty)
    #expect(mistakes("{}", "").count == 1)
    // A device with a mistake of its own is not unknown besides.
    #expect(mistakes(#"{"devices": ["door"]}"#, #"{"name": "door", "match": {}}"#).count == 1)
  }
}
