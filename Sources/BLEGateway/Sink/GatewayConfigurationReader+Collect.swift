import BLEDeviceFiles
import BLESessionStore
import BLEText

extension GatewayConfigurationReader {
  /// `collect`: the file, and what of it is kept.
  func collection(_ json: PositionedJSON) -> (file: String?, retention: Retention)? {
    guard var object = FileObject(json, "\"collect\"", mistakes) else { return nil }
    let file = object.required("file") { (json) throws(PositionedError) in
      try self.file(json, in: stateFolder)
    }
    let days = object.optional("keep_days") { (json) throws(PositionedError) in
      try json.integer(1...36_500, "the number of days")
    }
    let octets = object.optional("octets") { (json) throws(PositionedError) in
      try json.integer((1 << 20)...(1 << 40), "the size")
    }
    object.finish()
    return (file, Retention(age: days.map { .seconds(86_400 * $0) }, size: octets))
  }
}
