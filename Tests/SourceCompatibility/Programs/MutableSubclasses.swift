import CoreBluetooth

/// Subclasses of published objects, which carry what the application knows about them.
final class HandledCharacteristic: CBMutableCharacteristic {
  var read: (() -> Data)?

  convenience init(_ uuid: String, read: @escaping () -> Data) {
    self.init(type: CBUUID(string: uuid), properties: .read, value: nil, permissions: .readable)
    self.read = read
  }
}

class NamedService: CBMutableService {
  let label: String

  init(_ uuid: String, label: String) {
    self.label = label
    super.init(type: CBUUID(string: uuid), primary: true)
  }

  override var description: String { label }
}

final class MutableSubclasses: Program {
  func run(on stage: any Stage) async throws {
    let service = NamedService("FF11", label: "vendor")
    service.characteristics = [HandledCharacteristic("FF22") { Data([42]) }]
    try check("\(service)" == "vendor")
    let plain: CBService = service
    try check(plain is CBMutableService && plain is NamedService)
    let handled = plain.characteristics?.first as? HandledCharacteristic
    try check(handled?.read?() == Data([42]))
    try check(plain.peripheral == nil && handled?.uuid.uuidString == "FF22")
  }
}
