import BLESession
import BLEText

/// Home Assistant's discovery, as the configuration wants it.
package struct HomeAssistantSettings: Sendable, Equatable {
  /// What its topics begin with.
  package var prefix = "homeassistant"

  package init() {}

  /// Where Home Assistant says `online` when it has started.
  var status: String { prefix + "/status" }
}

extension GatewayConfigurationReader {
  /// `true`, `false`, or an object with the prefix.
  func homeAssistant(_ json: PositionedJSON) -> HomeAssistantSettings? {
    var settings = HomeAssistantSettings()
    if case .bool(let isWanted) = json.content { return isWanted ? settings : nil }
    guard var object = FileObject(json, "\"home_assistant\", unless it is true or false,", mistakes) else { return nil }
    object.set(&settings.prefix, "prefix") { (json) throws(PositionedError) in try json.prefix() }
    object.finish()
    return settings
  }
}
