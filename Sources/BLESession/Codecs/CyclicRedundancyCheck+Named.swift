extension CyclicRedundancyCheck {
  /// CRC-8/MAXIM-DOW of the 1-Wire bus, the most common one in locks and thermometers.
  public static let maximDallas8 = CyclicRedundancyCheck("CRC-8/MAXIM-DOW", 8, 0x31, 0, reflected: true)
  /// CRC-16/MODBUS.
  public static let modbus16 = CyclicRedundancyCheck("CRC-16/MODBUS", 16, 0x8005, 0xFFFF, reflected: true)
  /// CRC-16/IBM-3740, which many documents call CRC-16/CCITT-FALSE.
  public static let ccittFalse16 = CyclicRedundancyCheck("CRC-16/IBM-3740", 16, 0x1021, 0xFFFF, reflected: false)
  /// CRC-32/ISO-HDLC of Ethernet and ZIP, usually called "CRC-32".
  public static let ethernet32 = CyclicRedundancyCheck(
    "CRC-32/ISO-HDLC", 32, 0x04C1_1DB7, .max, reflected: true, .max)

  /// Returns the algorithm with this name, ignoring case. Common aliases are accepted.
  public static func named(_ name: String) -> CyclicRedundancyCheck? {
    let key = name.uppercased()
    return byName[otherNames[key] ?? key]
  }

  /// All named algorithms, sorted by name.
  public static var named: [CyclicRedundancyCheck] { byName.values.sorted { $0.name < $1.name } }

  private static let byName = Dictionary(
    uniqueKeysWithValues: (width8 + width16 + width24 + width32).map { ($0.name, $0) })

  private static let otherNames = [
    "CRC-8": "CRC-8/SMBUS",
    "CRC-8/ITU": "CRC-8/I-432-1",
    "CRC-8/MAXIM": "CRC-8/MAXIM-DOW",
    "CRC-8/DALLAS": "CRC-8/MAXIM-DOW",
    "CRC-8/EBU": "CRC-8/TECH-3250",
    "CRC-16": "CRC-16/ARC",
    "CRC-16/CCITT-FALSE": "CRC-16/IBM-3740",
    "CRC-16/CCITT": "CRC-16/KERMIT",
    "CRC-16/MAXIM": "CRC-16/MAXIM-DOW",
    "CRC-16/X-25": "CRC-16/IBM-SDLC",
    "CRC-16/AUG-CCITT": "CRC-16/SPI-FUJITSU",
    "CRC-32": "CRC-32/ISO-HDLC",
    "CRC-32C": "CRC-32/ISCSI",
    "CRC-32/POSIX": "CRC-32/CKSUM",
  ]

  private static let width8: [CyclicRedundancyCheck] = [
    maximDallas8,
    .init("CRC-8/AUTOSAR", 8, 0x2F, 0xFF, reflected: false, 0xFF),
    .init("CRC-8/BLUETOOTH", 8, 0xA7, 0, reflected: true),
    .init("CRC-8/CDMA2000", 8, 0x9B, 0xFF, reflected: false),
    .init("CRC-8/DARC", 8, 0x39, 0, reflected: true),
    .init("CRC-8/DVB-S2", 8, 0xD5, 0, reflected: false),
    .init("CRC-8/GSM-A", 8, 0x1D, 0, reflected: false),
    .init("CRC-8/I-432-1", 8, 0x07, 0, reflected: false, 0x55),
    .init("CRC-8/LTE", 8, 0x9B, 0, reflected: false),
    .init("CRC-8/NRSC-5", 8, 0x31, 0xFF, reflected: false),
    .init("CRC-8/OPENSAFETY", 8, 0x2F, 0, reflected: false),
    .init("CRC-8/ROHC", 8, 0x07, 0xFF, reflected: true),
    .init("CRC-8/SAE-J1850", 8, 0x1D, 0xFF, reflected: false, 0xFF),
    .init("CRC-8/SMBUS", 8, 0x07, 0, reflected: false),
    .init("CRC-8/TECH-3250", 8, 0x1D, 0xFF, reflected: true),
    .init("CRC-8/WCDMA", 8, 0x9B, 0, reflected: true),
  ]

  private static let width16: [CyclicRedundancyCheck] = [
    modbus16,
    ccittFalse16,
    .init("CRC-16/ARC", 16, 0x8005, 0, reflected: true),
    .init("CRC-16/CDMA2000", 16, 0xC867, 0xFFFF, reflected: false),
    .init("CRC-16/DNP", 16, 0x3D65, 0, reflected: true, 0xFFFF),
    .init("CRC-16/EN-13757", 16, 0x3D65, 0, reflected: false, 0xFFFF),
    .init("CRC-16/GENIBUS", 16, 0x1021, 0xFFFF, reflected: false, 0xFFFF),
    .init("CRC-16/IBM-SDLC", 16, 0x1021, 0xFFFF, reflected: true, 0xFFFF),
    .init("CRC-16/KERMIT", 16, 0x1021, 0, reflected: true),
    .init("CRC-16/MAXIM-DOW", 16, 0x8005, 0, reflected: true, 0xFFFF),
    .init("CRC-16/MCRF4XX", 16, 0x1021, 0xFFFF, reflected: true),
    .init("CRC-16/SPI-FUJITSU", 16, 0x1021, 0x1D0F, reflected: false),
    .init("CRC-16/UMTS", 16, 0x8005, 0, reflected: false),
    .init("CRC-16/USB", 16, 0x8005, 0xFFFF, reflected: true, 0xFFFF),
    .init("CRC-16/XMODEM", 16, 0x1021, 0, reflected: false),
  ]

  private static let width24: [CyclicRedundancyCheck] = [
    .init("CRC-24/BLE", 24, 0x00065B, 0x555555, reflected: true)
  ]

  private static let width32: [CyclicRedundancyCheck] = [
    ethernet32,
    .init("CRC-32/BZIP2", 32, 0x04C1_1DB7, .max, reflected: false, .max),
    .init("CRC-32/CKSUM", 32, 0x04C1_1DB7, 0, reflected: false, .max),
    .init("CRC-32/ISCSI", 32, 0x1EDC_6F41, .max, reflected: true, .max),
    .init("CRC-32/JAMCRC", 32, 0x04C1_1DB7, .max, reflected: true),
    .init("CRC-32/MPEG-2", 32, 0x04C1_1DB7, .max, reflected: false),
    .init("CRC-32/XFER", 32, 0x0000_00AF, 0, reflected: false),
  ]
}
