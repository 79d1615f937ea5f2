import BLECore
import CoreBluetooth

extension CBUUID {
  package convenience init(_ uuid: BLEUUID) { self.init(string: uuid.description) }
}
