import BLECore

/// Thermometers of meals, with their public sources.
extension FixedLayout {
  static let probes = grills + spikes + goveeProbes

  /// Inkbird's IBT and others with the name iBBQ: one, two, four or six probes behind the device's address, whose octets are in either order.
  /// Sources: https://github.com/Bluetooth-Devices/inkbird-ble, https://github.com/custom-components/ble_monitor and
  /// https://github.com/theengs/decoder
  private static let grills: [FixedLayout] = [1, 2, 4, 6].flatMap { count in
    [false, true].flatMap { isLittle in
      FixedLayout(
        format: .inkbird, place: .manufacturer, lengths: [8 + 2 * count], literals: [0: [0, 0]],
        address: (2, isLittle),
        fields: [.address(2, isLittle: isLittle)]
          + (0..<count).map { probe in
            let place = 8 + 2 * probe
            // Tenths; -1.0 and -0.1 °C are what is not plugged in.
            return FixedField(.probes[probe], place..<place + 2, .signedLittle)
              .over(10, none: [0xFFF6, 0xFFFF], in: FixedField.heat)
          }
      ).behind([0x0000, 0x0001])
    }
  }

  /// ThermoPro's TP960 and TP97x, of which each message is of one probe: its tip, and what is around it. Sources:
  /// https://github.com/Bluetooth-Devices/thermopro-ble and its tests
  private static let spikes: [FixedLayout] = [0, 1].map { probe in
    FixedLayout(
      format: .thermoPro, place: .manufacturer, lengths: [7], constants: [0: [UInt8(probe)]], names: ["TP96", "TP97"],
      service: BLEUUID("72FBB631-6F6B-D1BA-DB55-2EE6FDD942BD"),
      fields: [
        FixedField("Probe", 0..<1).framing, FixedField(.probes[probe], 1..<3).scaled(1, -30, 1, decimals: nil),
        FixedField(.ambience[probe], 5..<7).scaled(1, -30, 1, decimals: nil, in: FixedField.heat),
      ])
  }
}
