import BLEDeviceFiles
import BLEText

extension GatewayConfigurationReader {
  /// `{"port": 9464}`.
  func metricsPort(_ json: PositionedJSON) -> UInt16? {
    guard var object = FileObject(json, "\"metrics\"", mistakes) else { return nil }
    let port = object.required("port") { (json) throws(PositionedError) in try json.integer(0...65_535, "the port") }
    object.finish()
    return port.map { UInt16($0) }
  }
}
