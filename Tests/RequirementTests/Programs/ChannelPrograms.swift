import CoreBluetooth
import TestSupport

extension PeripheralApp {
  /// Called "server": publishes a channel, and gives its PSM in the usual characteristic.
  static func channelServer(_ options: [String: Any], withEncryption needsEncryption: Bool = false) -> PeripheralApp {
    let app = PeripheralApp(options)
    app.reactions["state"] = { [unowned app] in
      if app.manager.state == .poweredOn { app.manager.publishL2CAPChannel(withEncryption: needsEncryption) }
    }
    app.reactions["published"] = { [unowned app] in
      let value = app.multiplexers.last.map { Data([UInt8($0 & 0xFF), UInt8($0 >> 8)]) }
      let characteristic = CBMutableCharacteristic(CBUUIDL2CAPPSMCharacteristicString, .read, value: value)
      app.manager.add(CBMutableService("FFC0", [characteristic]))
    }
    app.reactions["added"] = { [unowned app] in
      app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "server"])
    }
    return app
  }
}

extension CentralApp {
  /// Finds the server, reads the channel's PSM, and opens the channel.
  static func channelClient(_ options: [String: Any]) -> CentralApp {
    let app = CentralApp(options)
    app.onWalked = { [unowned app] in app.read(CBUUIDL2CAPPSMCharacteristicString) }
    app.reactions["value"] = { [unowned app] in
      if let psm = app.psm { app.peripheral?.openL2CAPChannel(psm) }
    }
    app.seek("server")
    return app
  }

  /// The PSM that was read.
  var psm: CBL2CAPPSM? {
    guard let value = values.last, value.count == 2 else { return nil }
    return UInt16(value[value.startIndex]) | UInt16(value[value.startIndex + 1]) << 8
  }
}
