import BLEGateway
import BLEReports
import BLEText
import BLEWeb
import Foundation

/// The board of a fleet, for the explorer.
extension FleetBoard: FleetSource {
  package var fleet: JSONValue { scene.json }
  package func changes() -> JSONValue? { changedScene()?.json }
}

extension FleetSettings {
  /// Reads the file of `--fleet`. Throws its mistakes as `file:line:column: what was expected`.
  static func load(_ path: String) throws(ToolError) -> FleetSettings {
    let octets = try InputFile.read(path, "a configuration", limit: GatewayConfiguration.largestFile)
    do throws(FileMistakes) {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      return try FleetSettings.read(octets: octets, folder: folder)
    } catch {
      throw ToolError(.badData, error.lines(in: path).joined(separator: "\n"))
    }
  }
}
