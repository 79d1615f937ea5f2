import BLECore
import BLEReports
import Foundation

extension Fuzzer {
  /// What stands around the data of a maker's advertisement.
  private struct Surroundings {
    var name = "x"
    /// Whose data it is; `nil`: the manufacturer's.
    var service: String?
    /// What is advertised beside it.
    var advertised = "180A"
    /// Where the device's address stands in the data.
    var address = 0
    var isLittle = false
  }

  private static let surroundings: [Surroundings] =
    ["sps", "tps", "TP357 (2142)", "GVH5102_CB9B", "x", "Moat_S2", "Polar H10", "GVH5055", "GVH5106", "B5178"].map {
      Surroundings(name: $0)
    }
    + [
      Surroundings(name: "TP960R", advertised: "72FBB631-6F6B-D1BA-DB55-2EE6FDD942BD"),
      Surroundings(name: "BR", advertised: "27A5"), Surroundings(advertised: "5182"), Surroundings(advertised: "5183"),
      Surroundings(advertised: "5185"), Surroundings(advertised: "EF090000-11D6-42BA-93B8-9DD7EC090AB0"),
      Surroundings(advertised: "FEE5"), Surroundings(address: 4), Surroundings(address: 4, isLittle: true),
      Surroundings(address: 2), Surroundings(address: 9), Surroundings(address: 20),
    ]
    + ["FD3D", "FDCD", "FEAA"].map { Surroundings(service: $0) }
    + [Surroundings(service: "FE59", address: 2), Surroundings(service: "FFE1", address: 7)]
    + ["FD50", "181D", "181B", "FEE0"].map { Surroundings(service: $0) }
    + [
      Surroundings(service: "0D00", advertised: "CBA20D00-224D-11E6-9FB8-0002A5D5C51B"), Surroundings(service: "181A"),
      Surroundings(service: "181A", isLittle: true), Surroundings(service: "181A", address: 10),
      Surroundings(service: "5242", address: 2), Surroundings(name: "P T", service: "2A6E"),
      Surroundings(name: "P RHT", service: "2A6F"), Surroundings(name: "P MAG", service: "2A06"),
    ]

  /// An advertisement of a maker: what is around it, and its data.
  static let gatewayMaker = Fuzzer(name: "gateway-maker") { octets in
    let around = surroundings[Int(octets.first ?? 0) % surroundings.count]
    let data = Array(octets.dropFirst())
    let own = Array(data.dropFirst(around.address).prefix(6))
    let sighting = Sighting(
      identifier: UUID(),
      address: DeviceAddress(octets: around.isLittle ? own : Array(own.reversed()), kind: .public), name: around.name,
      rssi: nil, isConnectable: false, services: [around.advertised], solicitedServices: [], overflowServices: [],
      manufacturerData: around.service == nil ? data : nil,
      serviceData: [.init(service: around.service ?? "FD3D", data: around.service == nil ? [0x77, 0, 0x64] : data)],
      txPower: nil)
    for frame in sighting.beacons where around.service != nil || frame.service == nil {
      let read = frame.fields.flatMap(\.octets)
      require(read == data || (around.service == nil && read == Array(data.dropFirst(2))), "octets were lost")
    }
    requireInert(sighting.measurements.json.text)
  } seeds: {
    makerSeeds.flatMap { place, all in all.compactMap { [UInt8](hexadecimal: $0).map { [UInt8(place)] + $0 } } }
  }

  /// By what is around them, the data that was published.
  private static let makerSeeds: [(Int, [String])] = [
    (0, ["9c08f41000ba4e6408"]), (1, ["ff0700000031603306"]), (2, ["c2ff0035012c"]), (3, ["0100010103cb0164"]),
    (
      4,
      [
        "99040512fc5394c37c0004fffc040cac364200cdcbb8334c884f", "990403291a1ece1efc18f94202ca0b53",
        "990406170c5668c79e007000c90501d9ffcd004c884f",
        "9904e1170c5668c79e0065007004bd11ca00c90a0213e0acffffffdecdee11ffffffffffcbb8334c884f",
        "88ec0003215d6400", "88ec0088078c116402", "330117560e10177000ef01b3006c0100", "ae0156d708420000c84252006907",
        "d506000ae2e733339dc4e902", "0207210e0401000c0f016f030802681f1362012c018c00b9",
        "5b070504471a0c7f022627d300b701f101000000000000023a02",
        "4c000215ebefd08370a247c89837e7b5634df52567f857becb64",
        "4c000215a495bb10c5b14b44b5121370f02d74de004403f8c5", "524150540178e36d3cb994948b447cb9f63445026226772aac",
        "90826300f0cf0000c409820080", "3101006400323131313030373933350020202020",
        "eefa0000240015000015001a0029000c194f000000", "0d00080c010664", "aabb1005372020362e35384d2f533430800475",
        "b5b513523631314142433158595a313233343558000100003e08",
        "4c000215655f83caae16a10a702e31f30d58dd82f644000064", "dc000471050332010301030a04",
        "ffff49ef138802e20153696e676c6520506f7274000000000000000000", "5707213012b80a",
        "9a0801b708b4120ccb0bffc767", "4f090100cea6000000000200a01c91085700185f",
      ]
    ),
    (5, ["0010aabbccddeeff11111111d46103cbbe0a0000"]), (6, ["6b003b164446"]),
    (7, ["cf040400461b061700ffff2c01067300ffff2c010000"]), (8, ["010001010ed2e431"]), (9, ["010001010003a00f640000"]),
    (10, ["003a0030083800"]), (11, ["401e1001a79692"]), (12, ["30554401000101e401860834ffff860960ffff"]),
    (13, ["5da1b401000101e400800a2813240000"]), (14, ["32490a01000101e4c1ff0960ffffffff0a28ffffffff"]),
    (15, ["0089e456bea6b4", "04e9187d39"]), (16, ["5900035d41a4c150a8cc0323"]),
    (17, ["00000000aabbccddeeff18014001", "55aa0105aabbccddeeff01070a0015e0630001"]),
    (18, ["100000001a110000f770580cf5016c0443090000"]),
    (19, ["6909aabbccddeeffe00f06983500", "000180eacaddeefff46503007c0c00003300"]),
    (20, ["c0a30276138b0002215f5a29e5e094"]), (21, ["57010202017dffffffffffffffffffffffffff02aabbccddeeff"]),
    (22, ["6900640098a6", "6440c1050000000000", "73b037000045", "63805599a0", "48004700"]),
    (23, ["0812005e60342d580201640f011c09048b090000"]), (24, ["2101070e5b154f2169"]),
    (25, ["ab03aabbccddeeff64ebff7f005e01"]), (26, ["a1016315803200aabbccddeeff"]), (27, ["0e006e0134a428005b"]),
    (28, ["223e30e607020e10293a"]), (29, ["0226e607020e10293af7019a38"]), (30, ["8d230000"]),
    (31, ["54006400990e", "4890cc"]), (32, ["a4c1380283f400a22f5f0bf819"]), (33, ["f4830238c1a4a9066911b60b58f70d"]),
    (34, ["11c30b8658aca6666b85aabbccddeeff30d4"]), (35, ["4164c6b545f6f18e060601ed25"]), (36, ["860b"]), (37, ["46"]),
    (38, ["2400"]),
  ]
}
