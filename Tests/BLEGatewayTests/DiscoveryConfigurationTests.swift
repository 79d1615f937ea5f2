import Foundation
import Testing

@testable import BLEGateway

@Suite("Configuration of Home Assistant's discovery")
struct DiscoveryConfigurationTests {
  private func read(_ members: String) throws -> GatewayConfiguration {
    let text = """
      {"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "127.0.0.1"}, \(members)}
      """
    return try GatewayConfigurationReader.read(octets: text.utf8, folder: "/etc/ble")
  }

  @Test("I17.1 devices are announced to Home Assistant if the configuration says so, on topics with its prefix")
  func prefixes() throws {
    #expect(try read(#""listen": [{}]"#).homeAssistant == nil)
    #expect(try read(#""listen": [{}], "home_assistant": false"#).homeAssistant == nil)
    #expect(try read(#""listen": [{}], "home_assistant": true"#).homeAssistant?.prefix == "homeassistant")
    #expect(try read(#""listen": [{}], "home_assistant": {}"#).homeAssistant?.prefix == "homeassistant")
    let own = try read(#""listen": [{"weakest": -80}], "home_assistant": {"prefix": "house/ha"}"#)
    #expect(own.homeAssistant?.prefix == "house/ha" && own.listening.first?.weakest == -80)
  }

  @Test(
    "I17.1 what is no prefix, and a device whose name could begin a template, are mistakes",
    arguments: [
      #""listen": [{}], "home_assistant": "yes""#, #""listen": [{}], "home_assistant": {"prefix": "a/#"}"#,
      #""listen": [{}], "home_assistant": {"discovery": true}"#, #""listen": [{"weakest": -200}]"#,
      #""devices": [{"name": "{{ 7 * 7 }}", "match": {"names": ["A"]}}], "home_assistant": true"#,
    ])
  func mistakes(members: String) {
    #expect(throws: (any Error).self) { try read(members) }
  }
}
